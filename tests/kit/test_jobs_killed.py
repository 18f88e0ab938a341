"""Worker processes are killed (SIGKILL) at any moment, and no job is lost."""

import os
import random
import signal
import subprocess
import sys
import time
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

# A job counts in its own transaction, so a job done twice would be seen.
WORKER = """
import asyncio
from sqlalchemy import text
from fuel_app import tables
from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import queue, worker

@jobs.handler("count")
async def count(job):
    await asyncio.sleep(0.02)
    async with transaction() as session:
        await session.execute(text("UPDATE tallies SET n = n + 1"))
        if not await jobs.end(session, job):
            raise jobs.LeaseLost

worker.POLL_S = 0.1
asyncio.run(worker.serve())
"""


@contextmanager
def worker(url: str) -> Iterator[subprocess.Popen[bytes]]:
    environment = os.environ | {"FUEL_DATABASE_URL": url}
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


async def tally() -> int:
    async with reading() as session:
        return await session.scalar(text("SELECT n FROM tallies")) or 0


@pytest.mark.slow
async def test_jobs_of_a_killed_worker_are_done_once_by_the_next(database, database_url):
    await enqueue(60)
    with worker(database_url) as first:

        async def has_begun() -> bool:
            return await done() >= 5

        assert await comes_true(has_begun, within=60)
        first.send_signal(signal.SIGKILL)
        first.wait()
    left = 60 - await done()
    assert left
    await queue.expire_leases()  # instead of waiting for 30 seconds
    with worker(database_url) as second:

        async def has_ended() -> bool:
            return await done() == 60

        assert await comes_true(has_ended, within=60)
        second.send_signal(signal.SIGTERM)
        assert second.wait(30) == 0
    assert await tally() == 60


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
async def test_workers_killed_at_random_moments_lose_nothing(database, database_url, seed):
    chance, count = random.Random(seed), 600
    await enqueue(count)
    until = time.monotonic() + 240
    while await done() < count:
        assert time.monotonic() < until
        with worker(database_url) as process:
            started = time.monotonic()
            lives = chance.uniform(1.0, 4.0)

            async def is_over(started=started, lives=lives) -> bool:
                return time.monotonic() - started > lives or await done() == count

            await comes_true(is_over, within=10)
            process.send_signal(signal.SIGKILL)
            process.wait()
        await queue.expire_leases()
    assert await tally() == count
    assert max(job.attempts for job in await stored_jobs()) > 1
    assert all(job.ended_at and job.ended_at <= clock.now() for job in await stored_jobs())
