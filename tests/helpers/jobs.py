"""Jobs run to their end, without a worker that waits."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import service
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
    return (await service.recent(1000))[::-1]


async def states() -> list[str]:
    return [job.state for job in await service.recent()]
