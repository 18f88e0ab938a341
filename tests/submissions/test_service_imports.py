"""Imports of leads: outcomes, duplicates, rejected rows and concurrency."""

import asyncio

import pytest
from sqlalchemy import event

from fuel_app.accounts.rules import Actor, Role
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.signals import IMPORTS, LEADS, signals
from fuel_app.leads.rules import LeadQuery
from fuel_app.submissions import jobs
from fuel_app.submissions import service as leads
from fuel_app.submissions import service as submissions
from fuel_app.submissions.queries import imports as queries
from fuel_app.submissions.rules.imports import ImportRunning
from tests.helpers.bookings import STAFF
from tests.helpers.jobs import run_due
from tests.helpers.leads import joined
from tests.lead_files import BY, counts, files, people, rejected, run, start, stored, table

pytestmark = pytest.mark.usefixtures("few_rows_at_a_time")


async def test_every_row_becomes_a_lead_once(database):
    async with signals().listening(IMPORTS, LEADS) as changes:
        outcome = await run(table(*people(7)), name="Ads March.csv")
        assert await changes.next() == {IMPORTS, LEADS}
    assert (outcome.state, counts(outcome)) == ("done", (7, 0, 0))
    assert (outcome.file_name, outcome.actor, outcome.rows) == ("Ads March.csv", str(BY), 7)
    (line,) = await submissions.list_imports(actor=STAFF)
    assert (line.percent, line.who, await files()) == (100, "by shared password", 0)
    assert outcome.finished_at
    assert await stored() == (7, 7)
    (row,) = (await leads.list_page(LeadQuery(q="ada7@import"), actor=STAFF)).rows
    assert (row.name, row.phone, row.type) == ("Ada Lovelace", "9415550123", "waitlist")
    assert (row.status, row.shown_status, row.lead_source) == (
        "Not Contacted",
        "pending",
        "Meta Ads",
    )
    again = await run(table(*people(7)))
    assert (again.state, counts(again), await stored()) == ("done", (0, 7, 0), (7, 7))


async def test_invalid_rows_and_duplicates_are_rejected_and_the_others_stored(database):
    await joined(email="ada2@import.example")
    rows = [*people(4), "Eve,,eve@import.example,,", "Ada,King,ADA1@import.example,,"]
    outcome = await run(table(*rows))
    assert (outcome.state, counts(outcome)) == ("done", (3, 2, 1))
    assert await stored() == (4, 4)
    assert [
        (each.line, each.reason)
        for each in await submissions.first_rejects(outcome.id, actor=STAFF)
    ] == [
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


async def test_corrected_rejected_rows_are_imported(database):
    first = await run(table("=Ada,,ada@import.example,,", *people(1)))
    corrected = (await rejected(first.id)).replace(",,ada@", ",Lovelace,ada@")
    assert "'=Ada" in corrected
    second = await run(corrected.encode("utf-8-sig"))
    assert counts(second) == (1, 0, 0)
    assert (await leads.list_page(LeadQuery(q="=ada"), actor=STAFF)).rows[0].name == "=Ada Lovelace"


async def test_number_of_statements_does_not_depend_on_the_rows(database, monkeypatch):
    monkeypatch.setattr(jobs, "CHUNK", 250)
    await run(table(*people(2)))
    statements = []

    noted = (
        database.sync_engine,
        "before_cursor_execute",
        lambda *given: statements.append(given[2]),
    )
    event.listen(*noted)
    await run(table(*people(3, start=10), *people(1)))
    few = len(statements)
    await run(table(*people(190, start=20), *people(9)))
    event.remove(*noted)
    assert len(statements) - few == few


async def test_join_commits_between_two_chunks(sqlite_database, monkeypatch):
    store, order, begun = queries.store, [], asyncio.Event()

    async def noted(*args):
        order.append("rows")
        begun.set()
        return await store(*args)

    monkeypatch.setattr(queries, "store", noted)

    async def join():
        await begun.wait()
        await joined()
        order.append("join")

    await asyncio.gather(run(table(*people(12))), join())
    assert order.index("join") < len(order) - 1


def person() -> Actor:
    return Actor(frozenset({Role.ADMIN}), person_id=new_id())


async def test_only_one_of_simultaneous_imports_starts(database):
    starts = [start(table(*people(5)), by=person()) for _ in range(3)]
    outcomes = await asyncio.gather(*starts, return_exceptions=True)
    await run_due()
    assert [type(each) for each in outcomes].count(ImportRunning) == 2
    assert await stored() == (5, 5)


async def test_history_is_newest_first_and_bounded(database, monkeypatch):
    monkeypatch.setattr("fuel_app.submissions.service.HISTORY", 2)
    for name in ("a.csv", "b.csv", "c.csv"):
        await run(table(*people(1)), name=name)
    assert [each.file_name for each in await submissions.list_imports(actor=STAFF)] == [
        "c.csv",
        "b.csv",
    ]
