"""The staff's figures, counted on both databases."""

from datetime import UTC, datetime, timedelta

from fuel_app.dashboard import service as figures
from fuel_app.kit import clock
from fuel_app.preview import samples as sample
from fuel_app.preview.samples import ADMIN_FIGURES
from fuel_app.quotes import service as quotes
from fuel_app.waitlist import service as waitlist
from tests.factories import business_quote, fleet_quote, waitlist_entry
from tests.helpers.neighborhoods import neighborhood
from tests.leads.test_queries_listing import lead, store

HERE = "203.0.113.7"
NOW = datetime(2026, 3, 12, 3, 30, tzinfo=UTC)  # the 11th in New York


async def test_empty_database_counts_zero(database):
    now = await figures.lead_figures()
    assert (now.leads, now.new, now.neighborhoods, now.members, now.nearest) == (0, 0, 0, 0, ())
    assert [day.leads for day in now.days] == [0] * 7
    assert now.new_by_type == {"fleet": 0, "business": 0, "waitlist": 0}


async def test_leads_are_counted_by_type_and_status(database):
    await waitlist.join(waitlist_entry(), referrer=None, address=HERE)
    for quote in (fleet_quote(), fleet_quote(), business_quote()):
        await quotes.request(quote, address=HERE)
    now = await figures.lead_figures()
    assert {count.type: count.by_status for count in now.types} == {
        "fleet": {"Not Contacted": 2},
        "business": {"Not Contacted": 1},
        "waitlist": {"pending": 1},
    }
    assert (now.leads, now.new) == (4, 4)
    assert now.new_by_type == {"fleet": 2, "business": 1, "waitlist": 1}


async def test_new_leads_are_those_of_seven_days_in_new_york(database, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOW)
    first = clock.mornings(clock.day_of(NOW), 7)[0]
    ages = [first - timedelta(seconds=1), first, NOW - timedelta(hours=1), NOW]
    await store(*(lead(number, created_at=at) for number, at in enumerate(ages)))
    now = await figures.lead_figures()
    assert [day.leads for day in now.days] == [1, 0, 0, 0, 0, 0, 2]
    assert (now.leads, now.new) == (4, 3)


async def test_neighborhoods_nearest_to_their_next_tier_come_first(database):
    sizes = {"Palm Court": 1, "Bay Shore": 4, "Oak Park": 19, "Top Street": 20, "Elm Row": 7}
    for name, members in sizes.items():
        await neighborhood(name, members)
    now = await figures.lead_figures()
    assert (now.neighborhoods, now.members) == (5, 51)
    near = [row.name for row in now.nearest]
    assert sorted(near[:2]) == ["Bay Shore", "Oak Park"]
    assert near[2:] == ["Elm Row", "Palm Court"]
    for number in range(2):
        await neighborhood(f"Group {number}", 3)
    assert [row.members for row in (await figures.lead_figures()).nearest][2:] == [3, 3, 7]


def test_todays_stops_are_the_remaining_fillups():
    today, completed = (int(ADMIN_FIGURES[name]) for name in ("Scheduled fill-ups", "Completed"))
    assert len(sample.stops(NOW)) == today - completed
