"""The handlers of jobs and the schedules, which packages register in their `jobs.py`."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import clock

ATTEMPTS = 12  # after 5 s, 10 s, 20 s and so on, an hour at most: about three hours in all


@dataclass(frozen=True, slots=True)
class Job:
    """A job that this worker has claimed. Its id is an idempotency key for calls to others."""

    id: str
    kind: str
    payload: Mapping[str, Any]
    attempts: int
    is_suspect: bool = False  # the process of an earlier attempt has died
    failures: int = 0  # of the earlier attempts; in the others its process has died

    @property
    def kills(self) -> int:
        return self.attempts - 1 - self.failures


class GiveUp(Exception):  # noqa: N818 (raised on purpose)
    """No further attempt can succeed: the job is dead."""


class Later(Exception):  # noqa: N818 (raised on purpose)
    """The job has to wait until `run_at`; this is no failed attempt."""

    def __init__(self, run_at: datetime) -> None:
        super().__init__(run_at)
        self.run_at = run_at


class LeaseLost(Exception):  # noqa: N818 (expected)
    """Another worker has this job now."""


Run = Callable[[Job], Awaitable[None]]
OnDead = Callable[[AsyncSession, Job], Awaitable[None]]
Following = Callable[[datetime], datetime]
Scheduled = TypeVar("Scheduled", bound=Callable[[datetime], Awaitable[Any]])


@dataclass(frozen=True, slots=True)
class Handler:
    run: Run
    attempts: int
    on_dead: OnDead | None


HANDLERS: dict[str, Handler] = {}  # by the kind of job
SCHEDULES: dict[str, Following] = {}  # by the kind of job


def handler(
    kind: str, *, attempts: int = ATTEMPTS, on_dead: OnDead | None = None
) -> Callable[[Run], Run]:
    """Register the handler of a kind of job. It may run twice and has to be idempotent.

    Args:
        attempts: After so many failures the job is dead, or twice as often killed.
        on_dead: Called then, in the transaction that ends the job.
    """

    def register(run: Run) -> Run:
        HANDLERS[kind] = Handler(run, attempts, on_dead)
        return run

    return register


def scheduled(name: str, following: Following) -> Callable[[Scheduled], Scheduled]:
    """Register a function of the present moment that runs by a schedule, such as `daily(...)`."""

    def register(work: Scheduled) -> Scheduled:
        async def run(_job: Job) -> None:
            await work(clock.now())

        HANDLERS[name] = Handler(run, ATTEMPTS, None)
        SCHEDULES[name] = following
        return work

    return register


def every(interval: timedelta) -> Following:
    return lambda moment: moment + interval


def daily(at: time) -> Following:
    """Run daily at a time in New York; one that a change of clocks skips is an hour later."""

    def following(moment: datetime) -> datetime:
        today = clock.day_of(moment)
        days = (today, today + timedelta(days=1))
        runs = (datetime.combine(day, at, clock.NEW_YORK).astimezone(UTC) for day in days)
        return next(run for run in runs if run > moment)

    return following
