"""Jobs run to their end, without a worker that waits."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import select

from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.jobs.worker import Worker


async def run_due(now: Callable[[], datetime] = clock.now) -> None:
    """Run the jobs that are due, and those that they enqueue, until none is left."""
    worker = Worker(now)
    while await worker.start_due():
        await worker.ended()


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = clock.now() + timedelta(seconds=1)  # after what the test enqueues

    def __call__(self) -> datetime:
        return self.now

    def passes(self, **time: float) -> None:
        self.now += timedelta(**time)


def handles(kind: str, work: Callable[[jobs.Job], Awaitable[None]], **options: Any) -> None:
    jobs.handler(kind, **options)(work)


async def enqueue(kind: str = "note", n: int = 0, **options: Any) -> None:
    async with transaction() as session:
        await jobs.enqueue(session, kind, {"n": n}, **options)


async def stored_jobs() -> list[StoredJob]:
    """Return all jobs in the order in which they were enqueued."""
    async with reading() as session:
        return list(await session.scalars(select(StoredJob).order_by(StoredJob.id)))


async def states() -> list[str]:
    """Return the states of all jobs, newest first."""
    return [_state(job) for job in await stored_jobs()][::-1]


def _state(job: StoredJob) -> str:
    if job.outcome or not job.attempts:
        return job.outcome or "waiting"
    return "retrying" if job.error else "running"
