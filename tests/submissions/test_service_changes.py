"""Changes of one or many leads, their log, Undo and the purge of deleted leads."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from fuel_app.accounts.rules import Actor, Role
from fuel_app.joining import service as neighborhoods
from fuel_app.kit import audit, clock
from fuel_app.kit.db.tables import metadata
from fuel_app.kit.errors import LeadChanged, LeadGone, NothingToUndo, TooLateToUndo
from fuel_app.leads.rules import DELETE, Change, LeadQuery
from fuel_app.submissions import service as submissions
from fuel_app.submissions.jobs import purge_deleted_leads
from tests.helpers.bookings import STAFF
from tests.helpers.lead_tabs import listed
from tests.helpers.leads import business, fleet, joined
from tests.helpers.undoing import undone

ALICE, BOB = (Actor(frozenset({Role.DISPATCHER}), person_id=name) for name in ("alice", "bob"))
CONTACTED, WON = Change.status("Contacted"), Change.status("Closed Won")
SOURCE = Change("lead_source", {"lead_source": "Meta Ads"})


async def everything(engine, *without: str, log: bool = False) -> dict[str, list[tuple]]:
    """Return every row of every table but those named."""
    async with engine.connect() as connection:
        return {
            name: sorted(map(tuple, (await connection.execute(sa.select(table))).all()), key=repr)
            for name, table in metadata.tables.items()
            if name not in {*without, *(() if log else ("audit_entries",))}
        }


async def stored(engine, table: str, lead_id: str, column: str) -> Any:
    rows = metadata.tables[table]
    async with engine.connect() as connection:
        return await connection.scalar(sa.select(rows.c[column]).where(rows.c.id == lead_id))


async def all_changed(query: LeadQuery, change: Change) -> audit.Done:
    return [done async for done in submissions.change_all(query, change, actor=ALICE)][-1]


@pytest.mark.parametrize(
    ("make", "table", "shown"),
    [(fleet, "fleet_quotes", "Contacted"), (joined, "waitlist_submissions", "pending")],
)
async def test_status_is_set_in_the_list_and_in_the_lead_s_own_table(database, make, table, shown):
    lead = await make()
    await submissions.change_lead(lead, 0, CONTACTED, actor=ALICE)
    row = await listed(lead)
    assert (row.status, row.shown_status, row.revision) == ("Contacted", shown, 1)
    assert await stored(database, table, lead, "status") == "Contacted"


async def test_one_of_two_simultaneous_changes_is_refused_and_so_is_a_later_one(database):
    quote = await business()
    outcomes = await asyncio.gather(
        submissions.change_lead(quote, 0, WON, actor=ALICE),
        submissions.change_lead(quote, 0, CONTACTED, actor=BOB),
        return_exceptions=True,
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Done", "LeadChanged"]
    status = await stored(database, "business_quotes", quote, "status")
    with pytest.raises(LeadChanged):
        await submissions.change_lead(quote, 0, Change.status("Closed Lost"), actor=BOB)
    assert await stored(database, "business_quotes", quote, "status") == status


async def test_deleted_lead_cannot_be_changed_or_deleted_again(database):
    quote = await business()
    await submissions.change_lead(quote, 0, DELETE, actor=ALICE)
    for change in (CONTACTED, DELETE):
        with pytest.raises(LeadGone):
            await submissions.change_lead(quote, 0, change, actor=BOB)


@pytest.mark.parametrize("change", [CONTACTED, SOURCE, DELETE])
@pytest.mark.parametrize("make", [joined, fleet, business])
async def test_undo_restores_every_kind_of_lead(database, change, make):
    lead = await make()
    before, row = await everything(database, "leads"), await listed(lead)
    done = await submissions.change_lead(lead, 0, change, actor=ALICE)
    assert await everything(database, "leads") != before
    assert (await undone(done.action_id)).changed == 1
    assert await everything(database, "leads") == before
    assert replace(await listed(lead), revision=0) == row


async def test_restored_lead_is_pioneer_and_referrer_again(database):
    pioneer = await joined(zip_code="34236")
    neighborhood = await neighborhoods.create(pioneer, "Palm Court", "34236")
    guest = await joined(referrer=pioneer)
    done = await submissions.change_lead(pioneer, 0, DELETE, actor=ALICE)
    assert await stored(database, "neighborhoods", neighborhood.id, "pioneer_id") is None
    assert await stored(database, "waitlist_submissions", guest, "referred_by_id") is None
    await undone(done.action_id)
    assert await stored(database, "neighborhoods", neighborhood.id, "pioneer_id") == pioneer
    assert await stored(database, "waitlist_submissions", guest, "referred_by_id") == pioneer


async def test_restored_lead_does_not_reference_a_deleted_neighborhood(database):
    pioneer, member = await joined(), await joined()
    neighborhood = await neighborhoods.create(pioneer, "Palm", "34236")
    await neighborhoods.join(member, neighborhood.id)
    done = await submissions.change_lead(member, 0, DELETE, actor=ALICE)
    async with database.begin() as connection:
        await connection.execute(metadata.tables["neighborhoods"].delete())
    await undone(done.action_id)
    assert await stored(database, "waitlist_submissions", member, "neighborhood_id") is None


async def test_undo_skips_what_was_changed_again_and_an_email_that_joined_again(database):
    quote, gone = await fleet(), await joined(email="ada@example.com")
    changed = await submissions.change_lead(quote, 0, CONTACTED, actor=ALICE)
    await submissions.change_lead(quote, 1, WON, actor=BOB)
    deleted = await submissions.change_lead(gone, 0, DELETE, actor=ALICE)
    await joined(email="ada@example.com")
    for done in (changed, deleted):
        outcome = await undone(done.action_id)
        assert (outcome.changed, outcome.left) == (0, 1)
    assert await stored(database, "fleet_quotes", quote, "status") == "Closed Won"
    assert (await submissions.list_page(LeadQuery(), actor=STAFF)).total == 2


async def test_log_names_the_actors_of_changes_and_undos_and_nothing_that_stayed(database):
    quote = await fleet()
    same = await submissions.change_lead(quote, 0, Change.status("Not Contacted"), actor=ALICE)
    assert (same.changed, (await listed(quote)).revision) == (0, 0)
    done = await submissions.change_lead(quote, 0, CONTACTED, actor=BOB)
    await undone(done.action_id)
    details = await submissions.find_details(quote, actor=STAFF)
    assert details is not None
    assert [(line.who, line.what) for line in details.log] == [
        ("by alice", "Status: Contacted → Not Contacted (undo)"),
        ("by bob", "Status: Not Contacted → Contacted"),
    ]


async def test_action_cannot_be_undone_twice(database):
    quote = await fleet()
    done = await submissions.change_lead(quote, 0, CONTACTED, actor=ALICE)
    outcomes = await asyncio.gather(
        undone(done.action_id), undone(done.action_id), return_exceptions=True
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Done", "NothingToUndo"]
    with pytest.raises(NothingToUndo):
        await undone("no such action")


async def test_selected_leads_are_changed_except_those_changed_meanwhile(database):
    first, second, third = await fleet(), await business(), await joined()
    await submissions.change_lead(second, 0, WON, actor=BOB)
    seen = {first: 0, second: 0, third: 0, "nobody": 0}
    done = await submissions.change_selected(seen, CONTACTED, actor=ALICE)
    assert (done.changed, done.left) == (2, 2)
    assert await stored(database, "business_quotes", second, "status") == "Closed Won"
    assert (await undone(done.action_id)).changed == 2
    assert await stored(database, "fleet_quotes", first, "status") == "Not Contacted"
    assert (await submissions.change_selected({}, DELETE, actor=ALICE)).changed == 0


@pytest.mark.parametrize(
    ("asked", "changed"),
    [
        ({}, 2),
        ({"q": "gulf"}, 1),
        ({"type": "business"}, 1),
        ({"q": "gulf", "type": "business"}, 0),
    ],
)
async def test_selected_leads_that_the_list_does_not_show_are_left(database, asked, changed):
    seen = {await fleet(company_name="Gulf"): 0, await business(company_name="Bay"): 0}
    query = LeadQuery.parse(asked)
    done = await submissions.change_selected(seen, CONTACTED, actor=ALICE, query=query)
    assert (done.changed, done.left) == (changed, 2 - changed)


@pytest.mark.parametrize("change", [CONTACTED, DELETE])
async def test_all_matching_leads_are_changed_in_batches_and_undone_as_a_whole(
    database, monkeypatch, change
):
    monkeypatch.setattr(submissions, "_AT_ONCE", 3)
    monkeypatch.setattr(audit, "_BATCH", 3)
    for number in range(8):
        await fleet(company_name=f"Gulf {number}")
    other = await fleet(company_name="Bay")
    before = await everything(database, "leads")
    done = await all_changed(LeadQuery(q="gulf", type="fleet", sort="status"), change)
    assert done.changed == 8
    assert await stored(database, "fleet_quotes", other, "status") == "Not Contacted"
    assert (await undone(done.action_id)).changed == 8
    assert await everything(database, "leads") == before


async def test_batches_before_a_failure_can_be_undone(database, monkeypatch):
    monkeypatch.setattr(submissions, "_AT_ONCE", 2)
    for _ in range(4):
        await fleet()
    before = await everything(database, "leads")
    steps = submissions.change_all(LeadQuery(), CONTACTED, actor=ALICE)
    first = await anext(steps)
    await steps.aclose()
    assert first.changed == 2
    assert (await undone(first.action_id)).changed == 2
    assert await everything(database, "leads") == before


@pytest.mark.parametrize("stored_lead", [joined, fleet, business])
async def test_deleted_lead_is_purged_after_ten_minutes(database, stored_lead):
    kept, gone = await joined(), await stored_lead(email="gone@example.com")
    await submissions.change_lead(gone, 0, DELETE, actor=ALICE)
    status = await submissions.change_lead(kept, 0, CONTACTED, actor=ALICE)
    deleted_at = clock.now()
    assert await purge_deleted_leads(deleted_at + timedelta(minutes=9)) == 0
    assert await purge_deleted_leads(deleted_at + timedelta(minutes=10)) == 1
    assert await purge_deleted_leads(deleted_at + timedelta(days=1)) == 0
    assert "gone@example.com" not in str(await everything(database, log=True))
    assert (await undone(status.action_id)).changed == 1


@pytest.mark.parametrize("purged", [True, False])
async def test_undo_of_a_delete_is_refused_after_ten_minutes(database, monkeypatch, purged):
    done = await submissions.change_lead(await joined(), 0, DELETE, actor=ALICE)
    later = clock.now() + timedelta(minutes=10)
    if purged:
        await purge_deleted_leads(later)
    monkeypatch.setattr(audit, "now", lambda: later)
    with pytest.raises(TooLateToUndo, match="too late"):
        await undone(done.action_id)
