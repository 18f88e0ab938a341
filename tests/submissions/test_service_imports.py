"""A file of leads becomes leads: all of them or none."""

import asyncio

import pytest
from sqlalchemy import event

from fuel_app.kit.signals import IMPORTS, LEADS, signals
from fuel_app.leads.rules import LeadQuery
from fuel_app.submissions.queries import imported as imported_leads
from fuel_app.submissions.queries import imports as lead_imports
from fuel_app.submissions.rules.csv_import import UnusableFile
from fuel_app.submissions.rules.imports import ImportRunning
from fuel_app.submissions.service import importing as running
from fuel_app.submissions.service import importing as storing
from fuel_app.submissions.service import imports
from fuel_app.submissions.service import listing as leads
from fuel_app.waitlist import service as waitlist
from tests import factories
from tests.lead_files import (
    BY,
    NOTHING,
    counts,
    ended,
    found,
    people,
    rejected,
    run,
    stored,
    table,
)

pytestmark = pytest.mark.usefixtures("few_rows_at_a_time")


async def test_every_row_becomes_a_lead_that_staff_find(database):
    outcome = await run(table(*people(7)), name="Ads March.csv")
    assert (outcome.state, counts(outcome)) == ("done", (7, 0, 0))
    assert (outcome.file_name, outcome.by_session, outcome.rows) == ("Ads March.csv", BY, 7)
    assert (outcome.rows_done, outcome.percent, outcome.phase) == (7, 100, "done")
    assert outcome.finished_at
    assert await stored() == (7, 7)
    (row,) = (await leads.page(LeadQuery.parse("ada7@import"), 1)).rows
    assert (row.name, row.phone, row.type) == ("Ada Lovelace", "9415550123", "waitlist")
    assert (row.status, row.shown_status, row.lead_source) == (
        "Not Contacted",
        "pending",
        "Meta Ads",
    )


async def test_importing_a_file_twice_adds_nothing(database):
    await run(table(*people(7)))
    again = await run(table(*people(7)))
    assert (again.state, counts(again)) == ("done", (0, 7, 0))
    assert await stored() == (7, 7)


async def test_bad_rows_and_duplicates_do_not_stop_the_good_ones(database):
    await waitlist.join(
        factories.waitlist_entry(email="ada2@import.example"), referrer=None, address="here"
    )
    rows = [*people(4), "Eve,,eve@import.example,,", "Ada,King,ADA1@import.example,,"]
    outcome = await run(table(*rows))
    assert (outcome.state, counts(outcome)) == ("done", (3, 2, 1))
    assert await stored() == (4, 4)
    assert [(each.line, each.reason) for each in await imports.first_rejects(outcome.id)] == [
        (3, "This email has already been registered."),
        (6, "Last name is required"),
        (7, "The email is already in line 2 of the file"),
    ]
    assert (await rejected(outcome.id)).split("\r\n") == [
        "reason,first_name,last_name,email,phone,zip_code",
        "This email has already been registered.,Ada,Lovelace,ada2@import.example,9415550123,34236",
        "Last name is required,Eve,,eve@import.example,,",
        "The email is already in line 2 of the file,Ada,King,ADA1@import.example,,",
        "",
    ]


async def test_rejected_rows_are_corrected_and_imported_again(database):
    first = await run(table("=Ada,,ada@import.example,,", *people(1)))
    corrected = (await rejected(first.id)).replace(",,ada@", ",Lovelace,ada@")
    assert "'=Ada" in corrected
    second = await run(corrected.encode("utf-8-sig"))
    assert counts(second) == (1, 0, 0)
    assert (await leads.page(LeadQuery.parse("=ada"), 1)).rows[0].name == "=Ada Lovelace"


async def test_a_file_that_cannot_be_imported_leaves_no_trace(database):
    with pytest.raises(UnusableFile):
        await imports.start("leads.csv", b"name\nAda\n", by=BY)
    assert await imports.history() == []


async def test_statements_do_not_grow_with_the_rows(database, monkeypatch):
    monkeypatch.setattr(storing, "MANY", 200)
    await run(table(*people(2)))
    statements = []

    @event.listens_for(database.sync_engine, "before_cursor_execute")
    def note(_connection, _cursor, statement, *_):
        statements.append(statement)

    await run(table(*people(3, start=10), *people(1)))
    few = len(statements)
    await run(table(*people(190, start=20), *people(9)))
    assert len(statements) - few == few


@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_the_file_has_an_order_also_where_its_parts_are_stored_together(
    database, monkeypatch
):
    store, second = imported_leads.store, asyncio.Event()

    async def first_waits(session, prepared):
        stored = await store(session, prepared)
        lines = [row.line for row in (*prepared.rows.values(), *prepared.checked.invalid)]
        if min(lines) == 2:
            await asyncio.wait_for(second.wait(), 10)
        else:
            second.set()
        return stored

    monkeypatch.setattr(imported_leads, "store", first_waits)
    rows = [row for n in range(1, 6) for row in (people(1, start=n)[0], f"Eve,,eve{n}@x.io,,")]
    outcome = await run(table(*rows))
    assert (outcome.state, counts(outcome)) == ("done", (5, 0, 5))
    rejects = await imports.first_rejects(outcome.id)
    assert [each.line for each in rejects] == [3, 5, 7, 9, 11]


async def test_joins_come_in_between_the_steps(sqlite_database, monkeypatch):
    """The queue of writers is fair: who waits while rows are stored is next."""
    monkeypatch.setattr(storing, "AT_ONCE", 4)
    store, order, begun = imported_leads.store, [], asyncio.Event()

    async def noted(*args):
        order.append("rows")
        begun.set()
        return await store(*args)

    monkeypatch.setattr(imported_leads, "store", noted)

    async def join():
        await begun.wait()
        await waitlist.join(factories.waitlist_entry(), referrer=None, address="here")
        order.append("join")

    await asyncio.gather(run(table(*people(12))), join())
    assert order.index("join") < len(order) - 1


async def test_as_long_as_nobody_waits_parts_are_stored_together(sqlite_database, monkeypatch):
    monkeypatch.setattr(storing, "AT_ONCE", 4)
    step, steps = lead_imports.step, []

    async def noted(session, turn, **counted):
        steps.append(counted)
        return await step(session, turn, **counted)

    monkeypatch.setattr(lead_imports, "step", noted)
    outcome = await run(table(*people(13), "Eve,,,,"))
    assert (outcome.state, counts(outcome)) == ("done", (13, 0, 1))
    assert [each["rows_done"] for each in steps] == [12, 2]


async def test_two_files_at_once_are_one_too_many(database):
    starts = [imports.start("leads.csv", table(*people(5)), by=BY) for _ in range(3)]
    outcomes = await asyncio.gather(*starts, return_exceptions=True)
    await ended()
    assert [type(each) for each in outcomes].count(ImportRunning) == 2
    assert await stored() == (5, 5)


async def test_a_cancelled_import_takes_back_what_it_brought(database, monkeypatch):
    account = imported_leads.account

    async def then_cancel(session, import_id, *what):
        counted = await account(session, import_id, *what)
        await lead_imports.ask_to_cancel(session, import_id)
        return counted

    monkeypatch.setattr(imported_leads, "account", then_cancel)
    outcome = await run(table(*people(7), "Eve,,,,"))
    assert (outcome.state, outcome.message) == ("cancelled", "")
    assert (counts(outcome), outcome.rows_done) == (NOTHING, 0)
    assert await stored() == (0, 0)
    assert await rejected(outcome.id) == ""


async def test_an_import_can_be_cancelled_until_its_last_moment(database, monkeypatch):
    finish = lead_imports.finish

    async def too_late(session, turn):
        await lead_imports.ask_to_cancel(session, turn.import_id)
        return await finish(session, turn)

    monkeypatch.setattr(lead_imports, "finish", too_late)
    outcome = await run(table(*people(7)))
    assert outcome.state == "cancelled"
    assert await stored() == (0, 0)


async def test_cancelling_what_has_ended_changes_nothing(database):
    outcome = await run(table(*people(2)))
    await imports.cancel(outcome.id)
    await imports.cancel("no such import")
    assert await found(outcome.id) == outcome


async def test_a_failure_in_the_middle_takes_everything_back(database, monkeypatch):
    store, steps = imported_leads.store, []

    async def failing(*args):
        steps.append(args)
        if len(steps) == 3:
            raise RuntimeError("out of memory")
        return await store(*args)

    monkeypatch.setattr(imported_leads, "store", failing)
    outcome = await run(table(*people(9)))
    assert (outcome.state, counts(outcome)) == ("failed", NOTHING)
    assert outcome.message == (
        "Something went wrong on our side. Nothing was imported. Please try again."
    )
    assert await stored() == (0, 0)


async def test_a_database_that_is_locked_for_a_while_is_waited_for(database, monkeypatch):
    store, tries = imported_leads.store, []

    async def locked(*args):
        tries.append(args)
        if len(tries) < 4:
            raise TimeoutError
        return await store(*args)

    monkeypatch.setattr(imported_leads, "store", locked)
    assert counts(await run(table(*people(5)))) == (5, 0, 0)


async def test_those_who_follow_imports_hear_of_each_step(database):
    async with signals().listening(IMPORTS, LEADS) as changes:
        await run(table(*people(2)))
        assert await changes.next() == {IMPORTS, LEADS}


async def test_not_every_step_is_told(database, monkeypatch):
    monkeypatch.setattr(running, "_TOLD_EVERY_S", 60)
    told = []

    async def publish(topic):
        told.append(topic)

    monkeypatch.setattr(signals(), "publish", publish)
    await run(table(*people(30)))
    assert told == [IMPORTS, IMPORTS, IMPORTS, LEADS]  # begun, the first step, done


async def test_history_is_newest_first_and_short(database, monkeypatch):
    monkeypatch.setattr("fuel_app.submissions.service.imports.HISTORY", 2)
    for name in ("a.csv", "b.csv", "c.csv"):
        await run(table(*people(1)), name=name)
    assert [each.file_name for each in await imports.history()] == ["c.csv", "b.csv"]
