"""The handlers of jobs and the schedules, which packages register in their `jobs.py`."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import clock

ATTEMPTS = 12  # after 5 s, 10 s, 20 s and so on, an hour at most: about half a day in all


@dataclass(frozen=True, slots=True)
class Job:
    """A job that this worker has claimed. Its id is an idempotency key for calls to others."""

    id: str
    kind: str
    payload: Mapping[str, Any]
    attempts: int
    is_suspect: bool = False  # the process of an earlier attempt has died


class Retry(Exception):  # noqa: N818 (asked for)
    """Run the job again after a while. It counts as an attempt."""

    def __init__(self, after: timedelta, why: str = "retry requested") -> None:
        super().__init__(why)
        self.after = after


class GiveUp(Exception):  # noqa: N818 (asked for)
    """No further attempt can succeed."""


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


@dataclass(frozen=True, slots=True)
class Registry:
    handlers: dict[str, Handler] = field(default_factory=dict)
    schedules: dict[str, Following] = field(default_factory=dict)


REGISTRY = Registry()


def handler(
    kind: str, *, attempts: int = ATTEMPTS, on_dead: OnDead | None = None
) -> Callable[[Run], Run]:
    """Register the handler of a kind of job. It may run twice and has to be idempotent.

    Args:
        attempts: After so many the job is dead.
        on_dead: Called then, in the transaction that ends the job.
    """

    def register(run: Run) -> Run:
        REGISTRY.handlers[kind] = Handler(run, attempts, on_dead)
        return run

    return register


def scheduled(name: str, following: Following) -> Callable[[Scheduled], Scheduled]:
    """Register a function of the present moment that runs by a schedule, such as `daily(...)`."""

    def register(work: Scheduled) -> Scheduled:
        async def run(_job: Job) -> None:
            await work(clock.now())

        REGISTRY.handlers[name] = Handler(run, ATTEMPTS, None)
        REGISTRY.schedules[name] = following
        return work

    return register


def every(interval: timedelta) -> Following:
    return lambda moment: moment + interval


def daily(at: time) -> Following:
    """Every day at this time in New York. A time that a change of clocks skips is an hour later."""

    def following(moment: datetime) -> datetime:
        today = clock.day_of(moment)
        days = (today, today + timedelta(days=1))
        runs = (datetime.combine(day, at, clock.NEW_YORK).astimezone(UTC) for day in days)
        return next(run for run in runs if run > moment)

    return following
