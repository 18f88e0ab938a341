"""The state of the jobs, for staff and for monitoring."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from sqlalchemy import case, func, select
from sqlmodel import col

from fuel_app.kit import clock, metrics
from fuel_app.kit.db.session import reading
from fuel_app.kit.jobs import queue
from fuel_app.kit.jobs.registry import daily, scheduled
from fuel_app.kit.jobs.tables import StoredJob

KEPT = timedelta(days=30)
_MANY = 200

_run_at, _attempts = col(StoredJob.run_at), col(StoredJob.attempts)
_ended_at, _outcome = col(StoredJob.ended_at), col(StoredJob.outcome)


@dataclass(frozen=True, slots=True)
class JobLine:
    """A job as staff see it."""

    id: str
    kind: str
    state: str  # waiting, running, retrying, done or dead
    created_at: datetime
    run_at: datetime
    attempts: int
    error: str | None


@dataclass(frozen=True, slots=True)
class Backlog:
    due: int
    oldest_s: float  # how long the first of them has been due
    dead: int


async def recent(limit: int = 100) -> list[JobLine]:
    """The jobs that were enqueued last, newest first."""
    state = case(
        (_outcome.is_not(None), _outcome),
        (_attempts == 0, "waiting"),
        (col(StoredJob.error).is_(None), "running"),
        else_="retrying",
    )
    columns = [col(StoredJob.id), col(StoredJob.kind), state, col(StoredJob.created_at)]
    jobs = select(*columns, _run_at, _attempts, col(StoredJob.error))
    async with reading() as session:
        found = await session.execute(jobs.order_by(col(StoredJob.id).desc()).limit(limit))
        return [JobLine(*row) for row in found]


async def backlog() -> Backlog:
    """How much work waits."""
    now = clock.now()
    due = select(func.count(), func.min(_run_at)).where(_ended_at.is_(None), _run_at <= now)
    dead = select(func.count()).where(_outcome == "dead")
    async with reading() as session:
        count, oldest = (await session.execute(due)).one()
        oldest_s = (now - oldest).total_seconds() if oldest else 0.0
        return Backlog(count, oldest_s, await session.scalar(dead) or 0)


async def measure() -> None:
    """Bring the metrics of the backlog up to date."""
    now = await backlog()
    metrics.JOBS_DUE.set(now.due)
    metrics.JOBS_OLDEST_S.set(now.oldest_s)
    metrics.JOBS_DEAD.set(now.dead)


@scheduled("jobs.delete_ended", daily(time(3, 15)))
async def delete_ended(now: datetime) -> int:
    """Delete the jobs that ended 30 days ago, in short transactions. Return how many."""
    deleted = 0
    while gone := await queue.delete_ended(now - KEPT, _MANY):
        deleted += gone
    return deleted
