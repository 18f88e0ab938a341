"""The worker: heartbeats, suspects, a database that is gone, and stopping."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import update

from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import Job, queue
from fuel_app.kit.jobs import worker as workers
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.jobs.worker import Worker
from tests.helpers.jobs import Clock, enqueue, handles, run_due, states, stored_jobs
from tests.waiting import comes_true

pytestmark = pytest.mark.usefixtures("registered")


async def test_worker_that_loses_its_lease_changes_nothing(database):
    async def slow(job):
        async with transaction() as session:
            await queue.retry(session, job, clock.now() + timedelta(hours=1), "taken")
            held = StoredJob.__table__.update().values(attempts=9)  # type: ignore[attr-defined]
            await session.execute(held)
        async with transaction() as session:
            await jobs.extend_lease(session, job)

    handles("slow", slow)
    await enqueue("slow")
    await run_due()
    assert [(job.attempts, job.outcome) for job in await stored_jobs()] == [(9, None)]


async def test_heartbeat_extends_the_lease_of_a_long_job(database, monkeypatch):
    monkeypatch.setattr(workers, "HEARTBEAT_S", 0.001)
    hold, extensions = queue.extend_lease, asyncio.Queue()

    async def noted(session, job):
        await hold(session, job)
        await extensions.put(job.id)

    monkeypatch.setattr(queue, "extend_lease", noted)

    async def long(job):
        for _ in range(3):
            await extensions.get()

    handles("long", long)
    await enqueue("long")
    await run_due()
    assert await states() == ["done"]


async def test_job_that_kills_its_process_stops_no_other_and_is_dead_in_the_end(database, ran):
    now, claimed = Clock(), []
    handles("poison", lambda job: asyncio.sleep(0), attempts=3)
    await enqueue("poison")
    await enqueue("note")
    for _ in range(6):  # each time the process of all that is claimed dies
        while together := await queue.claim(now(), 8):
            claimed.append([job.kind for job in together])
        now.passes(seconds=31)
    assert claimed == [["poison", "note"], *5 * [["poison"], ["note"]]]
    await run_due(now)
    poison, note = await stored_jobs()
    assert (poison.outcome, note.outcome, ran) == ("dead", "done", [0])
    assert poison.error == "GiveUp: its process died in every attempt"


async def test_failures_and_kills_are_counted_apart(database):
    now, tries = Clock(), []

    async def fail(job: Job) -> None:
        tries.append(job.attempts)
        raise OSError("no answer")

    handles("fail", fail, attempts=3)
    await enqueue("fail")
    for _ in range(2):  # a failure, then a kill, twice
        await run_due(now)
        now.passes(seconds=31)
        assert len(await queue.claim(now(), 1)) == 1
        now.passes(seconds=31)
    assert await states() == ["running"]
    await run_due(now)
    [job] = await stored_jobs()
    assert (tries, job.failures, job.outcome, job.error) == (
        *([1, 3, 5], 2, "dead"),
        "OSError: no answer",
    )


@pytest.mark.parametrize("error", [None, "OSError: no answer"])
async def test_attempts_that_a_former_release_did_not_count_as_failures_kill_no_job(
    database, error
):
    now = Clock()
    handles("note", lambda job: asyncio.sleep(0), attempts=12)
    await enqueue("note")
    async with transaction() as session:
        await session.execute(update(StoredJob).values(attempts=11, failures=0, error=error))
    for _ in range(2):  # such as two restarts
        assert len(await queue.claim(now(), 1)) == 1
        now.passes(seconds=31)
    await run_due(now)
    assert await states() == ["done"]


@pytest.mark.parametrize("takes", [0, 0.01])
async def test_a_crowd_of_jobs_is_done_without_waiting_for_the_poll(database, monkeypatch, takes):
    monkeypatch.setattr(workers, "POLL_S", 60)
    handles("work", lambda job: asyncio.sleep(takes))
    for number in range(5 * workers.AT_ONCE):
        await enqueue("work", n=number)
    worker = Worker()
    running = asyncio.create_task(worker.run())

    async def all_done() -> bool:
        return set(await states()) == {"done"}

    try:
        assert await comes_true(all_done, within=30)
    finally:
        await worker.stop()
        await running
        await worker.ended()


async def test_suspect_runs_alone(database):
    now, running, beside = Clock(), set(), []

    async def work(job):
        running.add(job.payload["n"])
        beside.append(set(running))
        await asyncio.sleep(0.01)
        running.remove(job.payload["n"])

    handles("work", work)
    await enqueue("work", n=1)
    await queue.claim(now(), 1)  # and its process dies
    now.passes(seconds=31)
    await enqueue("work", n=2)
    await enqueue("work", n=3)
    await run_due(now)
    assert [each for each in beside if 1 in each] == [{1}]


async def test_suspect_comes_before_jobs_that_have_waited_longer(database):
    now = Clock()
    await enqueue("died")
    await queue.claim(now(), 1)  # and its process dies
    for number in range(3):
        await enqueue("waits", n=number)
    now.passes(seconds=31)
    assert [job.kind for job in await queue.claim(now(), 2)] == ["died"]
    assert [job.kind for job in await queue.claim(now(), 2)] == ["waits", "waits"]


async def test_suspect_keeps_its_lease_while_it_waits_for_a_long_job(sqlite_database, monkeypatch):
    monkeypatch.setattr(workers, "HEARTBEAT_S", 0.001)
    worker, held, ran = Worker(), asyncio.Event(), []
    hold = queue.extend_lease

    async def noted(session, job):
        await hold(session, job)
        if job.kind == "suspect":
            held.set()

    async def long(job):
        await held.wait()
        ran.append(job.kind)

    async def short(job):
        ran.append(job.kind)

    monkeypatch.setattr(queue, "extend_lease", noted)
    handles("long", long)
    handles("suspect", short)
    await enqueue("long")
    await worker.start_due()
    await enqueue("suspect", run_at=clock.now() - timedelta(minutes=1))
    await queue.claim(clock.now() - timedelta(seconds=31), 1)  # and its process dies
    await asyncio.wait_for(worker.start_due(), 10)
    assert ran == ["long", "suspect"]


async def test_database_error_at_the_end_leaves_the_job_to_its_lease(database, monkeypatch, ran):
    now = Clock()

    async def gone(*_):
        raise OSError

    await enqueue()
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(queue, "end", gone)
        meanwhile.setattr(queue, "retry", gone)
        await run_due(now)
    now.passes(seconds=31)
    await run_due(now)
    assert (await states(), ran) == (["done"], [0, 0])


async def test_worker_is_woken_and_ends_its_jobs_when_stopped(database, monkeypatch, ran):
    monkeypatch.setattr(workers, "POLL_S", 60)
    worker, begun, going_on = Worker(), asyncio.Event(), asyncio.Event()

    async def slow(job):
        begun.set()
        await going_on.wait()

    handles("slow", slow)
    running = asyncio.create_task(worker.run())
    await asyncio.sleep(0)
    await enqueue("slow")
    await asyncio.wait_for(begun.wait(), 10)
    await worker.stop()
    await running
    await enqueue(n=5)
    going_on.set()
    await worker.ended()
    assert (await states(), ran) == (["waiting", "done"], [])


async def test_worker_bounds_concurrency_and_survives_a_database_error(
    sqlite_database, monkeypatch
):
    monkeypatch.setattr(workers, "AT_ONCE", 2)
    monkeypatch.setattr(workers, "POLL_S", 0.01)
    at_once, most, fire, failed = 0, 0, queue.fire_schedules, []

    async def gone_at_first(now):
        if not failed:
            failed.append(now)
            raise OSError
        await fire(now)

    async def work(job):
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0)
        at_once -= 1
        if job.payload["n"] == 9:
            await worker.stop()

    monkeypatch.setattr(queue, "fire_schedules", gone_at_first)
    handles("work", work)
    for n in range(10):
        await enqueue("work", n=n)
    worker = Worker()
    await asyncio.wait_for(worker.run(), 30)
    await worker.ended()
    assert (set(await states()), most) == ({"done"}, 2)


@pytest.mark.parametrize(("redis_url", "taken_over"), [(None, True), ("redis://x", False)])
async def test_single_worker_on_sqlite_expires_leases_at_start(
    sqlite_database, monkeypatch, configure, ran, redis_url, taken_over
):
    configure(workers, redis_url=redis_url)
    await enqueue(n=1)
    await queue.claim(clock.now(), 8)  # and its process dies
    worker = Worker()

    async def after_one_look(*_):
        await worker.ended()
        await worker.stop()

    monkeypatch.setattr(worker, "_wait", after_one_look)
    await worker.run()
    assert ran == ([1] if taken_over else [])
