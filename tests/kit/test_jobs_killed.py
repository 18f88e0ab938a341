"""Worker processes are killed (SIGKILL) at any moment, and no job is lost.

A worker that will be killed never ends some of the jobs that it is the first to claim: so it is
killed in the middle of them, however fast the machine is.
"""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs import queue
from fuel_app.settings import ROOT
from tests.helpers.jobs import stored_jobs
from tests.waiting import comes_true

PATIENCE_S = 120
HELD = "JOBS_HELD"  # which of the jobs a worker never ends: one in so many; 0 for none

# A job counts in its own transaction, so a job done twice would be seen.
WORKER = """
import asyncio
import os
from sqlalchemy import text
from fuel_app import tables
from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import queue, worker

@jobs.handler("count")
async def count(job):
    held = int(os.environ["JOBS_HELD"])
    if held and job.attempts == 1 and job.payload["n"] % held == 5:
        await asyncio.Event().wait()
    await asyncio.sleep(0.02)
    async with transaction() as session:
        await session.execute(text("UPDATE tallies SET n = n + 1"))
        if not await jobs.end(session, job):
            raise jobs.LeaseLost

worker.POLL_S = 0.1
asyncio.run(worker.serve())
"""


@contextmanager
def worker(url: str, *, held: int = 0) -> Iterator[subprocess.Popen[bytes]]:
    environment = os.environ | {"FUEL_DATABASE_URL": url, HELD: str(held)}
    command = [sys.executable, "-c", WORKER]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


async def enqueue(count: int) -> None:
    async with transaction() as session:
        await session.execute(text("CREATE TABLE tallies (n INTEGER NOT NULL)"))
        await session.execute(text("INSERT INTO tallies VALUES (0)"))
        for number in range(count):
            await jobs.enqueue(session, "count", {"n": number})


async def done() -> int:
    return sum(job.outcome == "done" for job in await stored_jobs())


async def kill_when_done(url: str, jobs_done: int, *, held: int) -> None:
    """Run a worker until so many jobs are done, then kill it."""

    async def is_so_far() -> bool:
        return await done() >= jobs_done

    with worker(url, held=held) as process:
        assert await comes_true(is_so_far, within=PATIENCE_S)
        process.send_signal(signal.SIGKILL)
        process.wait()
    await queue.expire_leases()  # instead of waiting for 30 seconds


async def end_all(url: str, count: int) -> None:
    """Run a worker until all jobs are done, then stop it."""

    async def has_ended() -> bool:
        return await done() == count

    with worker(url) as process:
        assert await comes_true(has_ended, within=PATIENCE_S)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0


async def tally() -> int:
    async with reading() as session:
        return await session.scalar(text("SELECT n FROM tallies")) or 0


@pytest.mark.slow
async def test_jobs_of_a_killed_worker_are_done_once_by_the_next(database, database_url):
    await enqueue(60)
    await kill_when_done(database_url, 10, held=10)
    assert await done() < 60
    await end_all(database_url, 60)
    assert await tally() == 60
    assert max(job.attempts for job in await stored_jobs()) == 2


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
async def test_workers_killed_at_random_moments_lose_nothing(database, database_url, seed):
    count = 600
    await enqueue(count)
    for jobs_done in sorted(random.Random(seed).sample(range(20, 500), 6)):
        await kill_when_done(database_url, jobs_done, held=100)
    await end_all(database_url, count)
    assert await tally() == count
    assert max(job.attempts for job in await stored_jobs()) > 1
    assert all(job.ended_at and job.ended_at <= clock.now() for job in await stored_jobs())
