"""What a process that is gone has left behind is taken back, once, by whoever finds it."""

import asyncio
from datetime import timedelta

import pytest

from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.submissions.queries import imported as imported_leads
from fuel_app.submissions.queries import imports as lead_imports
from fuel_app.submissions.rules.imports import ImportRunning
from fuel_app.submissions.service import importing, imports
from fuel_app.submissions.service import importing as leftovers
from fuel_app.submissions.service import importing as running
from tests.lead_files import (
    NOTHING,
    counts,
    found,
    left_behind,
    people,
    run,
    stored,
    table,
)

pytestmark = pytest.mark.usefixtures("few_rows_at_a_time")


async def test_a_database_that_stays_locked_leaves_the_rest_to_those_who_look_for_leftovers(
    database, monkeypatch
):
    async def locked(*_):
        raise TimeoutError

    monkeypatch.setattr(running, "PATIENCE_S", -1)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(imported_leads, "store", locked)
        meanwhile.setattr(imported_leads, "take_back", locked)
        outcome = await run(table(*people(5)))
    assert outcome.state == "running"
    await importing.take_back_leftovers(timedelta(0))
    assert (await found(outcome.id)).state == "failed"


async def test_what_a_killed_process_left_behind_is_taken_back_once(database):
    import_id = await left_behind(table(*people(7), "Eve,,,,"))
    assert await stored() == (2, 2)
    with pytest.raises(ImportRunning):
        await run(table(*people(1)))
    await asyncio.gather(*[importing.take_back_leftovers(timedelta(0)) for _ in range(3)])
    outcome = await found(import_id)
    assert (outcome.state, counts(outcome)) == ("failed", NOTHING)
    assert "The server was stopped in the middle." in outcome.message
    assert await stored() == (0, 0)
    assert counts(await run(table(*people(7)))) == (7, 0, 0)


async def test_an_import_that_is_alive_is_nobody_s_leftover(database):
    import_id = await left_behind(table(*people(7)))
    await importing.take_back_leftovers()
    assert (await found(import_id)).state == "running"


async def test_a_process_that_was_believed_dead_stores_nothing_more(database, monkeypatch):
    account, steps = imported_leads.account, []

    async def slow(session, import_id, *what):
        steps.append(import_id)
        if len(steps) == 2:
            await lead_imports.take_over(session, clock.now())
        return await account(session, import_id, *what)

    monkeypatch.setattr(imported_leads, "account", slow)
    outcome = await run(table(*people(9)))
    assert (outcome.state, outcome.imported) == ("running", 3)
    await importing.take_back_leftovers(timedelta(0))
    assert (await found(outcome.id)).state == "failed"
    assert await stored() == (0, 0)


async def test_an_undo_that_was_interrupted_is_gone_on_with(database):
    outcome = await run(table(*people(7)))
    async with transaction() as session:
        await lead_imports.begin_undo(session, outcome.id)
    (half,) = await imports.history()
    assert (half.phase, half.percent) == ("undoing", 0)
    await importing.take_back_leftovers(timedelta(0))
    assert (await found(outcome.id)).state == "undone"
    assert await stored() == (0, 0)


@pytest.mark.parametrize(("redis_url", "state"), [(None, "failed"), ("redis://x", "running")])
async def test_a_process_that_is_alone_takes_back_whatever_runs_when_it_starts(
    sqlite_database, monkeypatch, redis_url, state
):
    import_id = await left_behind(table(*people(7)))
    settings = leftovers.settings.model_copy(update={"redis_url": redis_url})
    monkeypatch.setattr(leftovers, "settings", settings)
    looked = asyncio.Event()

    async def rest(_seconds):
        looked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(leftovers.asyncio, "sleep", rest)
    watching = asyncio.create_task(importing.watch())
    await looked.wait()
    watching.cancel()
    assert (await found(import_id)).state == state


async def test_a_watch_outlives_a_database_that_is_gone(sqlite_database, monkeypatch):
    looks = []

    async def gone(silent):
        looks.append(silent)
        if len(looks) < 3:
            raise OSError
        raise asyncio.CancelledError

    monkeypatch.setattr(leftovers, "take_back_leftovers", gone)
    monkeypatch.setattr(leftovers, "LOOK_S", 0)
    with pytest.raises(asyncio.CancelledError):
        await importing.watch()
    assert looks == [timedelta(0)] * 3
