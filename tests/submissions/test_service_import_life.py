"""Imports resume after a crash, and are cancelled, retried, expired and undone as a whole."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import insert, select, update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.errors import NothingToUndo
from fuel_app.kit.jobs import queue
from fuel_app.leads.rules import DELETE, LeadQuery
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.submissions import jobs
from fuel_app.submissions import service as submissions
from fuel_app.submissions.queries import imports as queries
from fuel_app.submissions.rules.imports import REJECTS_KEPT, ImportRunning, LeadMapping, UploadGone
from fuel_app.submissions.tables import LeadImport
from fuel_app.waitlist.tables import WaitlistSubmission
from tests import factories
from tests.helpers.bookings import STAFF
from tests.helpers.jobs import run_due
from tests.helpers.leads import joined
from tests.helpers.undoing import undone
from tests.lead_files import (
    BY,
    NOTHING,
    after_its_lease,
    counts,
    files,
    found,
    left_behind,
    people,
    rejected,
    run,
    start,
    stored,
    table,
)

OTHER = Actor(frozenset({Role.ADMIN}), person_id=new_id())

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_rows_at_a_time")]


async def test_import_resumes_where_its_process_was_killed(database):
    rows = [*people(4), "Eve,,,,", "Ada,King,ADA1@import.example,,", *people(5, start=5)]
    import_id = await left_behind(table(*rows))
    assert await stored() == (3, 3)
    with pytest.raises(ImportRunning):
        await run(table(*people(1)))
    await run_due()
    assert (await found(import_id)).rows_done == 3  # until the lease has ended
    await after_its_lease()
    outcome = await found(import_id)
    assert (outcome.state, outcome.rows_done, counts(outcome)) == ("done", 11, (9, 1, 1))
    assert await stored() == (9, 9)
    lines = [each.line for each in await submissions.first_rejects(import_id, actor=STAFF)]
    assert lines == [6, 7]


async def test_worker_that_lost_its_lease_stores_nothing(database, monkeypatch):
    import_id = await start(table(*people(9)))
    (job,) = await queue.claim(clock.now(), 1)
    await queue.claim(clock.now() + queue.LEASE, 1)  # by another process
    with pytest.raises(queue.LeaseLost):
        await jobs.import_file(job)
    assert await stored() == (0, 0)
    assert (await found(import_id)).rows_done == 0


async def test_repeated_job_and_late_cancel_change_nothing(database):
    import_id = await start(table(*people(4)))
    (job,) = await queue.claim(clock.now(), 1)
    await jobs.import_file(job)
    outcome = await found(import_id)
    await jobs.remove_leads(job)
    for ended in (import_id, "no such import"):
        await submissions.cancel_import(ended, actor=STAFF)
    assert (await found(import_id)).model_dump() == outcome.model_dump()
    assert await stored() == (4, 4)


async def test_cancelled_import_removes_its_leads(database):
    import_id = await left_behind(table(*people(7), "Eve,,,,"))
    await submissions.cancel_import(import_id, actor=STAFF)
    assert (await found(import_id)).state == "cancelling"
    await after_its_lease()
    outcome = await found(import_id)
    assert (outcome.state, outcome.message) == ("cancelled", "")
    assert (counts(outcome), outcome.rows_done) == (NOTHING, 0)
    assert (await stored(), await files()) == ((0, 0), 0)
    assert (await rejected(import_id)).count("\n") == 1  # the header


async def test_import_is_cancelled_between_two_chunks(database, monkeypatch):
    store = queries.store

    async def then_cancel(session, import_id, rows):
        counts = await store(session, import_id, rows)
        await queries.start_removal(session, import_id, "cancelling", instead_of="running")
        return counts

    monkeypatch.setattr(queries, "store", then_cancel)
    assert (await run(table("Eve,,,,", *people(7)))).state == "cancelled"
    assert await stored() == (0, 0)


async def test_an_import_that_fails_again_and_again_removes_what_it_brought(database, monkeypatch):
    store, chunks = queries.store, []

    async def failing(session, import_id, rows):
        chunks.append(rows)
        if len(chunks) > 2:
            raise RuntimeError("out of memory")
        return await store(session, import_id, rows)

    monkeypatch.setattr(queries, "store", failing)
    import_id = await start(table(*people(9)))
    for minutes in range(jobs.ATTEMPTS):
        assert (await found(import_id)).state == "running"
        await run_due(lambda: clock.now() + timedelta(minutes=5 * minutes))  # noqa: B023
    outcome = await found(import_id)
    assert (outcome.state, counts(outcome)) == ("failed", NOTHING)
    assert outcome.message == (
        "Something went wrong on our side. Nothing was imported. Please try again."
    )
    assert await stored() == (0, 0)


async def test_failed_undo_can_be_repeated(database, monkeypatch):
    outcome = await run(table(*people(5)))
    await submissions.undo_import(outcome.id, actor=STAFF)

    async def failing(*_):
        raise RuntimeError("out of memory")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(queries, "some_leads", failing)
        for days in range(12):
            await run_due(lambda: clock.now() + timedelta(days=days))  # noqa: B023
    kept = await found(outcome.id)
    assert (kept.state, kept.message[:36]) == ("done", "Some of its leads could not be remov")
    await submissions.undo_import(outcome.id, actor=STAFF)
    await run_due()
    assert ((await found(outcome.id)).state, await stored()) == ("undone", (0, 0))


async def test_rejected_rows_are_deleted_after_30_days(database, monkeypatch):
    outcome = await run(table(*people(1), *["Eve,,,,"] * 8))
    await jobs.delete_rejects(clock.now() + REJECTS_KEPT - timedelta(minutes=1))
    assert (await rejected(outcome.id)).count("\n") == 9
    assert [line.rejected for line in await submissions.list_imports(actor=STAFF)] == [8]
    later = clock.now() + REJECTS_KEPT
    await jobs.delete_rejects(later)
    assert (await rejected(outcome.id)).count("\n") == 1
    monkeypatch.setattr(clock, "now", lambda: later)
    assert [line.rejected for line in await submissions.list_imports(actor=STAFF)] == [0]
    assert await stored() == (1, 1)


async def test_import_is_undone_as_a_whole(database):
    await run(table(*people(2)))
    outcome = await run(table(*people(7)))
    await submissions.undo_import(outcome.id, actor=STAFF)
    (now,) = [each for each in await submissions.list_imports(actor=STAFF) if each.id == outcome.id]
    assert (now.phase, now.percent) == ("undoing", 0)
    await run_due()
    undone = await found(outcome.id)
    assert (undone.state, undone.message, counts(undone)) == ("undone", "", counts(outcome))
    assert undone.finished_at == outcome.finished_at
    assert await stored() == (2, 2)
    assert await rejected(outcome.id) != ""


async def test_import_is_not_undone_twice_or_beside_another(database):
    outcome, other = await run(table(*people(2))), await run(table(*people(2, start=3)))
    await submissions.undo_import(outcome.id, actor=STAFF)
    with pytest.raises(ImportRunning):
        await submissions.undo_import(other.id, actor=STAFF)
    for _ in ("while it is undone", "afterwards"):
        for import_id in (outcome.id, "no such import"):
            with pytest.raises(NothingToUndo):
                await submissions.undo_import(import_id, actor=STAFF)
        await run_due()


async def test_undo_keeps_the_neighborhoods_and_referrals_of_deleted_leads(database):
    outcome = await run(table(*people(1)))
    async with transaction() as session:
        imported = await session.scalar(select(col(WaitlistSubmission.id)))
        neighborhood = factories.row("neighborhoods", pioneer_id=imported)
        await session.execute(insert(Neighborhood), [neighborhood])
    await joined(referrer=imported, email="friend@example.com")
    await submissions.undo_import(outcome.id, actor=STAFF)
    await run_due()
    async with reading() as session:
        neighborhoods = (await session.scalars(select(Neighborhood))).all()
        waiting = (await session.scalars(select(WaitlistSubmission))).all()
    assert [each.pioneer_id for each in neighborhoods] == [None]
    assert [(each.email, each.referred_by_id) for each in waiting] == [("friend@example.com", None)]


async def test_undo_skips_leads_deleted_meanwhile(database):
    outcome = await run(table(*people(4)))
    async with transaction() as session:
        some = await queries.some_leads(session, outcome.id, 1)
        await queries.remove(session, outcome.id, some, set())
    await submissions.undo_import(outcome.id, actor=STAFF)
    await run_due()
    assert await stored() == (0, 0)


async def test_lead_deleted_before_its_import_was_undone_stays_away(database):
    outcome = await run(table(*people(2)))
    (lead, _) = (await submissions.list_page(LeadQuery(), actor=STAFF)).rows
    deleted = await submissions.change_lead(lead.id, 0, DELETE, actor=BY)
    await submissions.undo_import(outcome.id, actor=STAFF)
    await run_due()
    done = await undone(deleted.action_id)
    assert (done.changed, done.left) == (0, 1)
    assert await stored() == (0, 0)


async def test_uploads_that_were_never_imported_are_deleted_after_a_day(database):
    upload_id = await submissions.keep_file("leads.csv", table(*people(1)), actor=BY)
    await jobs.delete_rejects(clock.now() + timedelta(hours=23))
    assert (await submissions.read_file(upload_id, actor=BY)).rows == 1
    await jobs.delete_rejects(clock.now() + timedelta(hours=25))
    with pytest.raises(UploadGone):
        await submissions.read_file(upload_id, actor=BY)


async def test_an_upload_is_its_sender_s_and_imported_once(database):
    upload_id = await submissions.keep_file("leads.csv", table(*people(2)), actor=BY)
    mapping = LeadMapping.guess(await submissions.read_file(upload_id, actor=BY))
    with pytest.raises(UploadGone):
        await submissions.start_import(upload_id, mapping, actor=OTHER)
    starts = [submissions.start_import(upload_id, mapping, actor=BY) for _ in range(2)]
    outcomes = await asyncio.gather(*starts, return_exceptions=True)
    await run_due()
    assert [type(each) for each in outcomes if isinstance(each, Exception)] == [UploadGone]
    assert await stored() == (2, 2)


async def test_people_who_share_the_password_send_a_file_each(database):
    both = BY, replace(BY, session_id=new_id())
    ids = [await submissions.keep_file("a.csv", table(*people(1)), actor=by) for by in both]
    for upload_id, by in zip(ids, both, strict=True):
        assert (await submissions.read_file(upload_id, actor=by)).rows == 1
    with pytest.raises(UploadGone):
        await submissions.read_file(ids[0], actor=both[1])


async def test_file_that_another_press_imports_in_the_same_moment_is_gone(
    sqlite_database, monkeypatch
):
    upload_id = await submissions.keep_file("leads.csv", table(*people(2)), actor=BY)
    mapping = LeadMapping.guess(await submissions.read_file(upload_id, actor=BY))

    async def gone(*_: object) -> bool:
        return False

    monkeypatch.setattr(queries, "drop_upload", gone)
    with pytest.raises(UploadGone):
        await submissions.start_import(upload_id, mapping, actor=BY)
    assert await stored() == (0, 0)


@pytest.mark.usefixtures("few_rows_at_a_time")
async def test_import_of_the_release_before_goes_on_without_a_mapping(sqlite_database):
    import_id = await start(table(*people(4)))
    async with transaction() as session:
        begun = update(LeadImport).where(col(LeadImport.id) == import_id)
        await session.execute(begun.values(places=None))
    await run_due()
    assert (await found(import_id)).imported == 4


async def test_preview_counts_what_is_stored_and_an_import_keeps_notes(database):
    await joined(email="ada1@import.example")
    data = table(
        "Ada,Lovelace,ada1@import.example,x",
        "Bob,Lovelace,b@import.example,Spring",
        header="first_name,last_name,email,Campaign",
    )
    upload_id = await submissions.keep_file("leads.csv", data, actor=BY)
    guessed = LeadMapping.guess(await submissions.read_file(upload_id, actor=BY))
    mapping = LeadMapping(guessed.places, keeps_rest=True)
    async for preview in submissions.preview_file(upload_id, mapping, actor=BY):
        assert (preview.good, preview.known, preview.refused) == (1, 1, 0)
    import_id = await submissions.start_import(upload_id, mapping, actor=BY)
    await run_due()
    assert counts(await found(import_id)) == (1, 1, 0)
    async with reading() as session:
        own = select(col(WaitlistSubmission.notes)).where(
            col(WaitlistSubmission.first_name) == "Bob"
        )
        assert await session.scalar(own) == "Campaign: Spring"
