"""Staff look through the leads: pages, searches, totals."""

from fuel_app.domain.leads import COMMON_REACH, PAGE_SIZE, LeadQuery
from fuel_app.services import leads, quotes, waitlist
from tests.db.test_leads import lead, store
from tests.factories import business_quote, fleet_quote, waitlist_entry

HERE = "203.0.113.7"


async def test_everyone_who_writes_to_us_is_listed_at_once_newest_first(database):
    joined = await waitlist.join(waitlist_entry(), referrer=None, address=HERE)
    fleet = await quotes.request(fleet_quote(company_name="Gulf Trucks"), address=HERE)
    business = await quotes.request(business_quote(), address=HERE)
    page = await leads.page(LeadQuery(), 1)
    assert [row.id for row in page.rows] == [business, fleet, joined]
    assert [row.shown_status for row in page.rows] == ["Not Contacted", "Not Contacted", "pending"]
    assert [row.company for row in page.rows] == ["Analytical Engines", "Gulf Trucks", ""]
    assert (page.page, page.pages, page.total, page.counted) == (1, 1, 3, True)


async def test_an_empty_list_is_one_empty_page(database):
    page = await leads.page(LeadQuery(), 3)
    assert (page.rows, page.page, page.pages, page.total) == ((), 1, 1, 0)


async def test_a_page_beyond_the_end_is_the_last_one(database):
    await store(*(lead(number) for number in range(PAGE_SIZE + 1)))
    page = await leads.page(LeadQuery(), 9)
    assert (len(page.rows), page.page, page.pages) == (1, 2, 2)
    found = await leads.page(LeadQuery.parse("example"), 9)
    assert (len(found.rows), found.page, found.pages, found.total) == (1, 2, 2, PAGE_SIZE + 1)


async def test_a_common_search_shows_its_first_matches_and_says_that_there_are_more(
    database, monkeypatch
):
    await store(*(lead(number) for number in range(PAGE_SIZE + 10)))
    monkeypatch.setattr("fuel_app.db.leads.FEW_MATCHES", 5)
    page = await leads.page(LeadQuery.parse("example"), 1)
    assert len(page.rows) == PAGE_SIZE
    assert not page.counted
    assert page.pages == COMMON_REACH // PAGE_SIZE
    assert len((await leads.page(LeadQuery.parse("example"), 2)).rows) == 10


async def test_a_lead_is_found_by_its_id(database):
    joined = await waitlist.join(waitlist_entry(), referrer=None, address=HERE)
    row = await leads.find(joined)
    assert row is not None
    assert row.id == joined
    assert await leads.find("nobody") is None


async def test_a_great_total_is_counted_once_in_a_while(database, monkeypatch):
    monkeypatch.setattr(leads, "_COUNTED_AT_ONCE", 2)
    await store(*(lead(number) for number in range(3)))
    assert (await leads.page(LeadQuery(), 1)).total == 3
    await store(lead(4))
    assert (await leads.page(LeadQuery(), 1)).total == 3
    leads._totals.clear()
    assert (await leads.page(LeadQuery(), 1)).total == 4
