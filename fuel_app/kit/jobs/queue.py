"""The jobs in the database: enqueue, claim, extend the lease, end."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, event, exists, not_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit import background, clock
from fuel_app.kit.db.session import insert_new, reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.jobs.registry import SCHEDULES, Job, LeaseLost
from fuel_app.kit.jobs.tables import ERROR_MAX, StoredJob, StoredSchedule
from fuel_app.kit.signals import JOBS, signals

LEASE = timedelta(seconds=30)
_RETRY_MAX_S = 3600

_TABLE = StoredJob.__table__
_id, _kind, _run_at = col(StoredJob.id), col(StoredJob.kind), col(StoredJob.run_at)
_attempts, _error = col(StoredJob.attempts), col(StoredJob.error)
_failures = col(StoredJob.failures)
_name, _next_at = col(StoredSchedule.name), col(StoredSchedule.next_at)
_open = col(StoredJob.ended_at).is_(None)
_suspect = and_(_attempts > 0, _error.is_(None))


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to add.

    Args:
        payload: Ids only: the handler reads the current rows when it runs.
        key: Makes the job idempotent: a second one with the same key is not added.
    """

    kind: str
    payload: Mapping[str, Any] | None = None
    key: str | None = None
    run_at: datetime | None = None


async def enqueue(
    session: AsyncSession, kind: str, payload: Mapping[str, Any] | None = None, **more: Any
) -> None:
    """Add a job in the caller's transaction; the rest as in `NewJob`."""
    await enqueue_all(session, [NewJob(kind, payload, **more)])


async def enqueue_all(session: AsyncSession, new: Sequence[NewJob]) -> None:
    """Add jobs in the caller's transaction, whose commit wakes the workers."""
    now = clock.now()
    rows = [
        {"id": new_id(), "kind": job.kind, "key": job.key, "payload": dict(job.payload or {})}
        | {"created_at": now, "run_at": job.run_at or now, "attempts": 0}
        for job in new
    ]
    if rows:
        await session.execute(insert_new(session, _TABLE), rows)
        wake_after_commit(session)


def wake_after_commit(session: AsyncSession) -> None:
    def wake(_session: object) -> None:
        background.start(signals().publish(JOBS))

    if not session.info.get("wakes_workers"):
        session.info["wakes_workers"] = True
        event.listen(session.sync_session, "after_commit", wake, once=True)


async def claim(now: datetime, limit: int) -> list[Job]:
    """Claim due jobs for the length of a lease. A suspect comes first and by itself."""
    due = select(_id).where(_open, _run_at <= now).order_by(_run_at)
    suspect = due.where(_suspect).limit(1)
    async with reading() as session:  # an idle worker writes nothing
        suspects = await session.scalar(suspect) is not None
        if not suspects and await session.scalar(due.limit(1)) is None:
            return []
    which = suspect if suspects else due.where(not_(_suspect)).limit(limit)
    async with transaction() as session:
        ids = (await session.scalars(which.with_for_update(skip_locked=True))).all()
        values = {"attempts": _attempts + 1, "run_at": now + LEASE, "error": None}
        claimed = update(StoredJob).where(_id.in_(ids)).values(values)
        columns = (_id, _kind, col(StoredJob.payload), _attempts, _failures)
        rows = await session.execute(claimed.returning(*columns))
        return [Job(*row[:4], is_suspect=suspects, failures=row[4]) for row in rows]


async def extend_lease(session: AsyncSession, job: Job) -> None:
    """Extend the lease of a running job in the caller's transaction.

    Raises:
        LeaseLost: If another worker has the job by now: roll back.
    """
    extended = _still(job).values(run_at=clock.now() + LEASE).returning(_id)
    if await session.scalar(extended) is None:
        raise LeaseLost


async def end(session: AsyncSession, job: Job, outcome: str = "done", error: str = "") -> bool:
    """End a job in the caller's transaction; False if it has ended or the lease is lost.

    A handler that changes only our database may call this itself, and is done exactly once.
    """
    values = {"ended_at": clock.now(), "outcome": outcome, "error": error[:ERROR_MAX] or None}
    return await session.scalar(_still(job).values(values).returning(_id)) is not None


async def retry(session: AsyncSession, job: Job, run_at: datetime, error: str) -> None:
    values = {"run_at": run_at, "error": error[:ERROR_MAX] or "failed", "failures": _failures + 1}
    await session.execute(_still(job).values(values))


async def postpone(session: AsyncSession, job: Job, run_at: datetime) -> None:
    """Replace a job by a new one, with all its attempts, that is due later."""
    if await end(session, job):
        await enqueue(session, job.kind, job.payload, run_at=run_at)


def _still(job: Job) -> Any:
    return update(StoredJob).where(_id == job.id, _attempts == job.attempts, _open)


def backoff(attempts: int) -> timedelta:
    """Return 5 s, 10 s, 20 s and so on, an hour at most, with a jitter of up to a third."""
    seconds = min(_RETRY_MAX_S, 5 * 2 ** (attempts - 1))
    return timedelta(seconds=seconds * (1 + random.random() / 3))  # noqa: S311 (no secret)


async def expire_leases() -> None:
    """Make the running jobs of a dead process due. Only for a worker that is the only one."""
    now = clock.now()
    held = update(StoredJob).where(_open, _suspect, _run_at > now)
    async with transaction() as session:
        await session.execute(held.values(run_at=now))


async def fire_schedules(now: datetime) -> None:
    """Enqueue a run of each due schedule: one for all missed runs, none while one is open.

    One that is further ahead than it can be was moved by a clock that was fast: it is set back.
    """
    async with reading() as session:
        next_at_by_name = dict((await session.execute(select(_name, _next_at))).all())
    for name, following in SCHEDULES.items():
        due = next_at_by_name.get(name)
        if due is not None and now < due <= following(now):
            continue
        async with transaction() as session:
            if due is None:
                first = {"name": name, "next_at": following(now)}
                await session.execute(insert_new(session, StoredSchedule).values(first))
                continue
            ours = update(StoredSchedule).where(_name == name, _next_at == due).returning(_name)
            fired = await session.scalar(ours.values(next_at=following(now)))
            if due > now:
                continue
            unended = select(exists().where(_kind == name, _open))
            if fired and not await session.scalar(unended):
                await enqueue(session, name, key=f"{name}:{due.isoformat()}", run_at=now)
