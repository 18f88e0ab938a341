"""Pages, searches, totals and details of leads."""

import pytest

from fuel_app.joining import service as neighborhoods
from fuel_app.leads.rules import COMMON_REACH, PAGE_SIZE, Change, LeadQuery
from fuel_app.quotes import service as quotes
from fuel_app.submissions.rules.details import Linked
from fuel_app.submissions.service import changes as lead_changes
from fuel_app.submissions.service import listing as leads
from fuel_app.waitlist import service as waitlist
from tests.factories import business_quote, fleet_quote, waitlist_entry
from tests.leads.test_queries_listing import lead, store

HERE = "203.0.113.7"
NOBODY = "0f8fad5b-d9cb-469f-a165-70867728950e"


async def test_joins_and_quotes_are_listed_at_once_newest_first(database):
    joined = await waitlist.join(waitlist_entry(), referrer=None, address=HERE)
    fleet = await quotes.request(fleet_quote(company_name="Gulf Trucks"), address=HERE)
    business = await quotes.request(business_quote(), address=HERE)
    page = await leads.page(LeadQuery(), 1)
    assert [row.id for row in page.rows] == [business, fleet, joined]
    assert [row.shown_status for row in page.rows] == ["Not Contacted", "Not Contacted", "pending"]
    assert [row.company for row in page.rows] == ["Analytical Engines", "Gulf Trucks", ""]
    assert (page.page, page.pages, page.total, page.counted) == (1, 1, 3, True)


async def test_empty_list_is_one_empty_page(database):
    page = await leads.page(LeadQuery(), 3)
    assert (page.rows, page.page, page.pages, page.total) == ((), 1, 1, 0)


async def test_page_beyond_the_end_is_the_last_one(database):
    await store(*(lead(number) for number in range(PAGE_SIZE + 1)))
    page = await leads.page(LeadQuery(), 9)
    assert (len(page.rows), page.page, page.pages) == (1, 2, 2)
    found = await leads.page(LeadQuery.parse("example"), 9)
    assert (len(found.rows), found.page, found.pages, found.total) == (1, 2, 2, PAGE_SIZE + 1)


async def test_a_common_search_shows_its_first_matches_and_says_that_there_are_more(
    database, monkeypatch
):
    await store(*(lead(number) for number in range(PAGE_SIZE + 10)))
    monkeypatch.setattr("fuel_app.leads.rules.FEW_MATCHES", 55)
    page = await leads.page(LeadQuery.parse("example"), 1)
    assert len(page.rows) == PAGE_SIZE
    assert not page.counted
    assert page.pages == COMMON_REACH // PAGE_SIZE
    assert len((await leads.page(LeadQuery.parse("example"), 2)).rows) == 10


async def test_details_hold_every_column_but_secrets(database):
    pioneer = await waitlist.join(waitlist_entry(), referrer=None, address=HERE, resume_key="x")
    neighborhood = await neighborhoods.create(pioneer, "Palm Court", "34236")
    guest = await waitlist.join(
        waitlist_entry(first_name="Bob", last_name="B"), referrer=pioneer, address=HERE
    )
    await lead_changes.change(pioneer, 0, Change.status("Contacted"), by="alice")
    known = await leads.details(pioneer)
    assert known is not None
    assert known.stored["zip_code"] == "34236"
    assert known.stored["status"] == "Contacted"
    assert "resume_hash" not in known.stored
    assert known.neighborhood == Linked(neighborhood.id, "Palm Court")
    assert (known.referred_by, known.referred, known.referred_total) == (
        None,
        (Linked(guest, "Bob B"),),
        1,
    )
    assert [(e.actor, e.kind, e.before, e.after) for e in known.log] == [
        ("alice", "status", "Not Contacted", "Contacted")
    ]
    theirs = await leads.details(guest)
    assert theirs is not None
    assert theirs.referred_by == Linked(pioneer, "Ada Lovelace")


async def test_details_of_a_quote_hold_its_columns(database):
    quote = await quotes.request(fleet_quote(notes="Gate 12"), address=HERE)
    known = await leads.details(quote.upper())
    assert known is not None
    assert (known.stored["notes"], known.stored["fuel_types"]) == ("Gate 12", ["diesel"])
    assert (known.neighborhood, known.referred_by, known.referred, known.log) == (
        None,
        None,
        (),
        (),
    )


@pytest.mark.parametrize("lead_id", [None, 7, "", "nobody", NOBODY, "x" * 10_000, ["a"]])
async def test_unknown_lead_id_has_no_details(sqlite_database, lead_id):
    assert await leads.details(lead_id) is None
