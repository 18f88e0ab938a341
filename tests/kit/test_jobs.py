"""Jobs run once, are retried, and survive the death of their process."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import col

from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs import queue, registry, service
from fuel_app.kit.jobs import worker as workers
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.jobs.worker import Worker
from fuel_app.settings import Settings
from tests.helpers.jobs import run_due

NOON = datetime(2026, 3, 2, 17, tzinfo=UTC)  # in New York
pytestmark = pytest.mark.usefixtures("registered")


@pytest.fixture
def registered(monkeypatch) -> None:
    """A registry of the test's own."""
    own = registry.Registry()
    for module in (registry, queue, workers):
        monkeypatch.setattr(module, "REGISTRY", own)


class Clock:
    """A worker's clock."""

    def __init__(self) -> None:
        self.now = clock.now() + timedelta(seconds=1)  # after what the test enqueues

    def __call__(self) -> datetime:
        return self.now

    def passes(self, **time: float) -> None:
        self.now += timedelta(**time)


def handles(kind: str, work: Callable[[jobs.Job], Awaitable[None]], **options: Any) -> None:
    jobs.handler(kind, **options)(work)


@pytest.fixture
def ran() -> list[Any]:
    """What the handler of 'note' was given."""
    notes: list[Any] = []

    async def note(job: jobs.Job) -> None:
        notes.append(job.payload.get("n"))

    handles("note", note)
    return notes


async def enqueue(kind: str = "note", n: int = 0, **options: Any) -> None:
    async with transaction() as session:
        await jobs.enqueue(session, kind, {"n": n}, **options)


async def stored() -> list[StoredJob]:
    async with reading() as session:
        return list(await session.scalars(select(StoredJob).order_by(col(StoredJob.id))))


async def states() -> list[str]:
    return [line.state for line in await service.recent()]


async def test_a_job_runs_once(database, ran):
    await enqueue(n=7)
    assert await states() == ["waiting"]
    await run_due()
    await run_due()
    assert ran == [7]
    (job,) = await stored()
    assert (job.outcome, job.attempts, job.error) == ("done", 1, None)


async def test_a_job_is_enqueued_with_its_transaction_or_not_at_all(database, ran):
    async def fail() -> None:
        async with transaction() as session:
            await jobs.enqueue(session, "note")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    await run_due()
    assert ran == []


async def test_a_key_makes_a_job_idempotent_also_after_it_has_ended(database, ran):
    await asyncio.gather(*[enqueue(n=n, key="remind:1") for n in range(3)])
    await run_due()
    await enqueue(n=9, key="remind:1")
    await run_due()
    assert len(ran) == 1


async def test_a_job_waits_for_its_time(database, ran):
    now = Clock()
    await enqueue(run_at=now.now + timedelta(hours=1))
    await run_due(now)
    assert ran == []
    now.passes(hours=1)
    await run_due(now)
    assert ran == [0]


async def test_two_workers_run_each_job_once(database, ran):
    for n in range(40):
        await enqueue(n=n)
    one, other = Worker(), Worker()
    while sum(await asyncio.gather(one.start_due(), other.start_due())):
        await asyncio.gather(one.ended(), other.ended())
    assert sorted(ran) == list(range(40))


async def test_a_failure_is_retried_with_growing_pauses_until_the_job_is_dead(database):
    now, tries, told = Clock(), [], []

    async def fail(job):
        tries.append(now.now)
        raise OSError("no answer")

    async def dead(session, job):
        told.append(job.payload)

    handles("fail", fail, attempts=3, on_dead=dead)
    await enqueue("fail", n=4)
    for _ in range(3):
        await run_due(now)
        await run_due(now)  # the pause is not over
        now.passes(seconds=7 if len(tries) == 1 else 14)
    await run_due(now)
    assert len(tries) == 3
    (job,) = await stored()
    assert (job.outcome, job.error) == ("dead", "OSError: no answer")
    assert told == [{"n": 4}]
    assert (await service.backlog()).dead == 1


@pytest.mark.parametrize(
    ("attempts", "least", "most"), [(1, 5, 6.7), (3, 20, 27), (12, 3600, 4800)]
)
def test_pauses_double_up_to_an_hour(attempts, least, most):
    assert least <= queue.backoff(attempts).total_seconds() <= most


async def test_a_handler_asks_for_another_attempt_or_gives_up(database):
    now, tries = Clock(), []

    async def later(job):
        tries.append(now.now)
        if len(tries) == 1:
            raise jobs.Retry(timedelta(minutes=5), "rate limit")
        raise jobs.GiveUp("no such customer")

    handles("later", later)
    await enqueue("later")
    await run_due(now)
    assert await states() == ["retrying"]
    now.passes(minutes=4)
    await run_due(now)
    assert len(tries) == 1
    now.passes(minutes=1)
    await run_due(now)
    (job,) = await stored()
    assert (job.outcome, job.attempts, job.error) == ("dead", 2, "GiveUp: no such customer")


async def test_a_kind_without_a_handler_is_dead_with_its_reason(database):
    await enqueue("unheard-of")
    await run_due()
    assert "no handler for unheard-of" in ((await stored())[0].error or "")


async def test_the_job_of_a_process_that_died_is_due_when_its_lease_has_ended(database, ran):
    now = Clock()
    await enqueue(n=3)
    (claimed,) = await queue.claim(now(), 8)  # and its process dies
    now.passes(seconds=29)
    await run_due(now)
    assert ran == []
    now.passes(seconds=1)
    await run_due(now)
    assert ran == [3]
    async with transaction() as session:  # should the first worker come back
        assert not await jobs.end(session, claimed)
        with pytest.raises(jobs.LeaseLost):
            await jobs.hold(session, claimed)


async def test_a_job_that_is_held_is_nobody_else_s(database, ran):
    long_ago = clock.now() - timedelta(minutes=1)
    await enqueue(run_at=long_ago)
    (claimed,) = await queue.claim(long_ago, 8)
    async with transaction() as session:
        await jobs.hold(session, claimed)
    await run_due()
    assert ran == []


async def test_who_loses_the_lease_while_running_changes_nothing(database):
    async def slow(job):
        async with transaction() as session:
            await queue.retry(session, job, clock.now() + timedelta(hours=1), "taken")
            held = StoredJob.__table__.update().values(attempts=9)  # type: ignore[attr-defined]
            await session.execute(held)
        async with transaction() as session:
            await jobs.hold(session, job)

    handles("slow", slow)
    await enqueue("slow")
    await run_due()
    assert [(job.attempts, job.outcome) for job in await stored()] == [(9, None)]


async def test_a_heartbeat_keeps_a_long_job(database, monkeypatch):
    monkeypatch.setattr(workers, "HEARTBEAT_S", 0.001)
    hold, beats = queue.hold, asyncio.Queue()

    async def noted(session, job):
        await hold(session, job)
        await beats.put(job.id)

    monkeypatch.setattr(queue, "hold", noted)

    async def long(job):
        for _ in range(3):
            await beats.get()

    handles("long", long)
    await enqueue("long")
    await run_due()
    assert await states() == ["done"]


async def test_a_job_that_kills_its_process_takes_no_other_along_and_is_dead_in_the_end(
    database, ran
):
    now, claimed = Clock(), []
    handles("poison", lambda job: asyncio.sleep(0), attempts=3)
    await enqueue("poison")
    await enqueue("note")
    for _ in range(3):  # each time the process of all that is claimed dies
        while together := await queue.claim(now(), 8):
            claimed.append([job.kind for job in together])
        now.passes(seconds=31)
    assert claimed == [["poison", "note"], *2 * [["poison"], ["note"]]]
    await run_due(now)
    poison, note = await stored()
    assert (poison.outcome, note.outcome, ran) == ("dead", "done", [0])
    assert "its process died" in (poison.error or "")


async def test_a_suspect_runs_alone(database):
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


async def test_a_job_that_ends_in_its_handler_s_own_transaction_is_done_once(database):
    async def own(job):
        async with transaction() as session:
            assert await jobs.end(session, job)

    handles("own", own)
    await enqueue("own")
    await run_due()
    assert await states() == ["done"]


async def test_a_database_that_is_gone_at_the_end_leaves_the_job_to_its_lease(
    database, monkeypatch, ran
):
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


async def test_missed_runs_of_a_schedule_are_one(database):
    now, runs = Clock(), []

    async def work(moment):
        runs.append(moment)

    jobs.scheduled("sweep", jobs.every(timedelta(minutes=1)))(work)
    for minutes, expected in ((0, 0), (1, 1), (0, 1), (30, 2), (1, 3)):
        now.passes(minutes=minutes)
        await asyncio.gather(*[queue.fire_schedules(now()) for _ in range(3)])
        await run_due(now)
        assert len(runs) == expected


async def test_a_run_that_has_not_ended_is_not_enqueued_again(database):
    now = Clock()
    jobs.scheduled("sweep", jobs.every(timedelta(minutes=1)))(lambda _moment: asyncio.sleep(0))
    for _ in range(4):
        await queue.fire_schedules(now())
        now.passes(minutes=1)
    assert await states() == ["waiting"]


@pytest.mark.parametrize(
    ("at", "moment", "expected"),
    [
        (time(18), NOON, datetime(2026, 3, 2, 23, tzinfo=UTC)),
        (time(12), NOON, datetime(2026, 3, 3, 17, tzinfo=UTC)),
        (time(2, 30), datetime(2026, 3, 8, 6, tzinfo=UTC), datetime(2026, 3, 8, 7, 30, tzinfo=UTC)),
        (time(9), datetime(2026, 3, 8, 6, tzinfo=UTC), datetime(2026, 3, 8, 13, tzinfo=UTC)),
        (time(9), datetime(2026, 11, 1, 4, tzinfo=UTC), datetime(2026, 11, 1, 14, tzinfo=UTC)),
    ],
)
def test_daily_means_new_york_s_clocks(at, moment, expected):
    assert jobs.daily(at)(moment) == expected


async def test_ended_jobs_are_deleted_after_30_days(database, ran, monkeypatch):
    monkeypatch.setattr(service, "_MANY", 1)
    for n in range(3):
        await enqueue(n=n)
    await run_due()
    await enqueue()
    assert await service.delete_ended(clock.now() + timedelta(days=29)) == 0
    assert await service.delete_ended(clock.now() + timedelta(days=31)) == 3
    assert await states() == ["waiting"]


async def test_monitoring_sees_what_waits(database):
    now = clock.now()
    await enqueue(run_at=now - timedelta(minutes=2))
    await enqueue(run_at=now + timedelta(minutes=2))
    waiting = await service.backlog()
    assert (waiting.due, waiting.dead) == (1, 0)
    assert 120 <= waiting.oldest_s < 180


async def test_a_worker_is_woken_and_stops_when_told_with_its_jobs_ended(
    database, monkeypatch, ran
):
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


async def test_a_worker_waits_for_room_and_for_a_database_that_is_gone(
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
async def test_alone_on_sqlite_a_worker_takes_over_at_once(
    sqlite_database, monkeypatch, ran, redis_url, taken_over
):
    chosen = Settings(_env_file=None, redis_url=redis_url)  # type: ignore[call-arg]
    monkeypatch.setattr(workers, "settings", chosen)
    await enqueue(n=1)
    await queue.claim(clock.now(), 8)  # and its process dies
    worker = Worker()

    async def after_one_look(changes):
        await worker.ended()
        await worker.stop()

    monkeypatch.setattr(worker, "_wait", after_one_look)
    await worker.run()
    assert ran == ([1] if taken_over else [])
