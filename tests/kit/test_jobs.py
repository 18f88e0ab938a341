"""Jobs run once, are retried, and survive the death of their process."""

import asyncio
from datetime import UTC, datetime, time, timedelta

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import select

from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import queue, service
from fuel_app.kit.jobs.registry import SCHEDULES
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.jobs.worker import Worker
from tests.helpers.jobs import Clock, enqueue, handles, run_due, states, stored_jobs

NOON = datetime(2026, 3, 2, 17, tzinfo=UTC)  # in New York
pytestmark = pytest.mark.usefixtures("registered")


async def test_job_runs_once(database, ran):
    await enqueue(n=7)
    assert await states() == ["waiting"]
    await run_due()
    await run_due()
    assert ran == [7]
    (job,) = await stored_jobs()
    assert (job.outcome, job.attempts, job.error) == ("done", 1, None)


async def test_key_makes_a_job_idempotent_also_after_its_end(database, ran):
    await asyncio.gather(*[enqueue(n=n, key="remind:1") for n in range(3)])
    await run_due()
    await enqueue(n=9, key="remind:1")
    await run_due()
    assert len(ran) == 1


async def test_job_waits_for_its_time(database, ran):
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


@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_job_that_another_worker_is_just_claiming_is_left_to_it(database, ran):
    await enqueue()
    async with transaction() as other:
        await other.execute(select(StoredJob).with_for_update())
        assert await queue.claim(clock.now(), 8) == []
    assert len(await queue.claim(clock.now(), 8)) == 1


async def test_failure_is_retried_with_backoff_until_the_job_is_dead(database):
    now, tries, dead_jobs = Clock(), [], []

    async def fail(job):
        tries.append(now.now)
        raise OSError("no answer")

    async def dead(session, job):
        dead_jobs.append(job.payload)

    handles("fail", fail, attempts=3, on_dead=dead)
    await enqueue("fail", n=4)
    for _ in range(3):
        await run_due(now)
        await run_due(now)  # the pause is not over
        now.passes(seconds=7 if len(tries) == 1 else 14)
    await run_due(now)
    assert len(tries) == 3
    (job,) = await stored_jobs()
    assert (job.outcome, job.error) == ("dead", "OSError: no answer")
    assert dead_jobs == [{"n": 4}]


async def test_giving_up_or_having_no_handler_makes_a_job_dead_at_once(database):
    async def give_up(job):
        raise jobs.GiveUp("no such customer")

    handles("give_up", give_up)
    await enqueue("give_up")
    await enqueue("unknown")
    await run_due()
    given_up, unknown = await stored_jobs()
    assert (given_up.outcome, given_up.error) == ("dead", "GiveUp: no such customer")
    assert (unknown.outcome, unknown.error) == ("dead", "GiveUp: no handler for unknown")


async def test_postponed_job_waits_without_losing_an_attempt(database):
    now, tries = Clock(), []

    async def wait_twice(job):
        tries.append(job.attempts)
        if len(tries) < 3:
            raise jobs.Later(now.now + timedelta(hours=9))

    handles("wait", wait_twice, attempts=1)
    await enqueue("wait", n=5, key="once")
    for _ in range(3):
        await run_due(now)
        await run_due(now)
        now.passes(hours=9)
    assert tries == [1, 1, 1]
    stored = await stored_jobs()
    assert {(job.outcome, job.error, job.payload["n"]) for job in stored} == {("done", None, 5)}


@pytest.mark.parametrize(
    ("attempts", "least", "most"), [(1, 5, 6.7), (3, 20, 27), (12, 3600, 4800)]
)
def test_backoff_doubles_up_to_an_hour(attempts, least, most):
    assert least <= queue.backoff(attempts).total_seconds() <= most


async def test_job_of_a_dead_process_is_due_when_its_lease_expires(database, ran):
    now = Clock()
    await enqueue(n=3)
    (claimed,) = await queue.claim(now(), 8)  # and its process dies
    now.passes(seconds=29)
    await run_due(now)
    assert ran == []
    now.passes(seconds=1)
    await run_due(now)
    assert ran == [3]
    async with transaction() as session:  # the first worker is fenced off
        assert not await jobs.end(session, claimed)
        with pytest.raises(jobs.LeaseLost):
            await jobs.extend_lease(session, claimed)


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


async def test_schedule_goes_on_after_a_clock_that_was_fast_is_set_back(database):
    now, runs = Clock(), []

    async def work(moment):
        runs.append(moment)

    jobs.scheduled("sweep", jobs.every(timedelta(minutes=5)))(work)
    for minutes, expected in ((0, 0), (300, 1), (-299, 1), (5, 2), (5, 3)):
        now.passes(minutes=minutes)
        await asyncio.gather(*[queue.fire_schedules(now()) for _ in range(3)])
        await run_due(now)
        assert len(runs) == expected


async def test_open_run_of_a_schedule_is_not_enqueued_again(database):
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
def test_daily_is_new_york_time(at, moment, expected):
    assert jobs.daily(at)(moment) == expected


async def test_ended_jobs_are_deleted_after_30_days_and_runs_of_schedules_after_one(
    database, ran, monkeypatch
):
    monkeypatch.setattr(service, "_MANY", 1)
    monkeypatch.setitem(SCHEDULES, "note", jobs.every(timedelta(minutes=1)))
    handles("other", lambda job: asyncio.sleep(0))
    for kind in ("note", "note", "other"):
        await enqueue(kind)
    await run_due()
    await enqueue()
    for days, deleted in ((0.9, 0), (1.1, 2), (29, 0), (31, 1)):
        assert await service.delete_ended(clock.now() + timedelta(days=days)) == deleted
    assert await states() == ["waiting"]


async def test_backlog_is_measured(database):
    await enqueue("unknown")
    await run_due()
    await enqueue(run_at=clock.now() - timedelta(minutes=2))
    await enqueue(run_at=clock.now() + timedelta(minutes=2))
    await service.measure()
    due, oldest, dead = (
        REGISTRY.get_sample_value(f"fuel_jobs_{name}")
        for name in ("due", "oldest_due_seconds", "dead")
    )
    assert (due, dead) == (1, 1)
    assert 120 <= (oldest or 0) < 180
