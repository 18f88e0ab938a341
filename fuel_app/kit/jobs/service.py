"""The state of the jobs, for staff and for monitoring."""

from datetime import datetime, time, timedelta

from sqlalchemy import and_, delete, func, or_, select
from sqlmodel import col

from fuel_app.kit import clock, metrics
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs.registry import SCHEDULES, daily, scheduled
from fuel_app.kit.jobs.tables import StoredJob

JOBS_KEPT = timedelta(days=30)
RUNS_KEPT = timedelta(days=1)  # of schedules, where nothing went wrong
_MANY = 200

_id, _run_at, _ended_at = col(StoredJob.id), col(StoredJob.run_at), col(StoredJob.ended_at)


async def measure() -> None:
    """Bring the metrics of the backlog up to date."""
    now = clock.now()
    due = select(func.count(), func.min(_run_at)).where(_ended_at.is_(None), _run_at <= now)
    dead = select(func.count()).where(col(StoredJob.outcome) == "dead")
    async with reading() as session:
        count, oldest = (await session.execute(due)).one()
        metrics.JOBS_DUE.set(count)
        metrics.JOBS_OLDEST_S.set((now - oldest).total_seconds() if oldest else 0)
        metrics.JOBS_DEAD.set(await session.scalar(dead) or 0)


@scheduled("jobs.delete_ended", daily(time(3, 15)))
async def delete_ended(now: datetime) -> int:
    """Delete jobs 30 days after they ended, successful runs of schedules after one day.

    In short transactions. Returns how many.
    """
    good_run = and_(col(StoredJob.kind).in_(SCHEDULES), col(StoredJob.outcome) == "done")
    gone_by = or_(_ended_at < now - JOBS_KEPT, and_(good_run, _ended_at < now - RUNS_KEPT))
    deleted, old = 0, select(_id).where(gone_by).limit(_MANY)
    while True:
        async with transaction() as session:
            gone = await session.scalars(delete(StoredJob).where(_id.in_(old)).returning(_id))
            count = len(gone.all())
        deleted += count
        if not count:
            return deleted
