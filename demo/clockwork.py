"""The clock that the making of the demo moves, ids that repeat, and what happens in between."""

import gc
import heapq
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any

from aiosqlite import core
from sqlalchemy import func, select
from sqlmodel import col

from fuel_app.billing.providers.stand_in import objects, payments
from fuel_app.kit import background, clock
from fuel_app.kit.clock import day_of, mornings
from fuel_app.kit.db import session as database
from fuel_app.kit.db import tables
from fuel_app.kit.db.session import reading
from fuel_app.kit.jobs import queue, worker
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.jobs.worker import Worker

Deed = Callable[[], Awaitable[Any]]
_SEED = 941
_JOBS_DUE = select(func.min(col(StoredJob.run_at))).where(col(StoredJob.ended_at).is_(None))


class Days:
    """The days of the company, lived through in order: deeds at their times, jobs at theirs."""

    def __init__(self, starts: datetime, ends: datetime) -> None:
        self.now, self.ends = starts, ends
        self.detailed_from = mornings(day_of(ends), 2)[0]  # each step, each message by its job
        self.chance = Random(_SEED)
        self._deeds: list[tuple[datetime, int, Deed]] = []
        self._numbers = count()
        self._last_ms = 0
        worker.AT_ONCE = 50
        tables.__dict__["randbits"] = Random(_SEED).getrandbits
        tables.__dict__["time"] = SimpleNamespace(time_ns=self._time_ns)
        # Nothing is lost in a power cut that could not be made again.
        pragmas = [each for each in database.SQLITE_PRAGMAS if "synchronous" not in each]
        database.__dict__["SQLITE_PRAGMAS"] = (*pragmas, "synchronous = OFF")
        for module in (objects, payments, payments):  # send no webhooks: answers have been stored
            module.__dict__["tell"] = _tell_nobody
        gc.set_threshold(100_000, 50, 50)
        _without_threads()
        self._turn(starts)

    def at(self, moment: datetime, deed: Deed) -> None:
        """Do something at a moment; what lies ahead of today is not done."""
        if moment <= self.ends:
            heapq.heappush(self._deeds, (moment, next(self._numbers), deed))

    def later(self, deed: Deed, **after: float) -> None:
        self.at(self.now + timedelta(**after), deed)

    async def live(self, said: Callable[[datetime], None]) -> None:
        """Live until the end.

        Args:
            said: Called with the time before each deed.
        """
        while self._deeds:
            moment, _, deed = heapq.heappop(self._deeds)
            await self._work(moment)
            said(moment)
            await deed()
        await self._work(self.ends)
        while left := background.under_way():
            for task in left:
                await task

    async def _work(self, until: datetime) -> None:
        """Run the jobs that are due up to a moment, each at its time, and leave the clock there."""
        while True:
            async with reading() as session:
                due = await session.scalar(_JOBS_DUE)
            if due is None or due > until:
                break
            self._turn(max(due, self.now))
            running = Worker(clock.now)
            await running.start_due()
            await running.ended()
        self._turn(max(until, self.now))

    def _turn(self, moment: datetime) -> None:
        """Set the clock, for those also who have imported `now` itself."""
        self.now = moment
        frozen = SimpleNamespace(now=lambda _zone: moment, combine=datetime.combine)
        clock.__dict__["datetime"] = frozen

    def _time_ns(self) -> int:
        """Return the clock's time for a new id, a millisecond after the one before at least."""
        self._last_ms = max(self._last_ms + 1, round(self.now.timestamp() * 1000))
        return self._last_ms * 1_000_000


async def _tell_nobody(*_: object) -> None:
    """Send no webhook."""


def _without_threads() -> None:
    """Ask SQLite at once, not by way of a thread: nothing else runs meanwhile. Takes 40 % off."""

    async def execute(self: Any, do: Any, *args: Any, **more: Any) -> Any:
        return do(*args, **more)

    async def connect(self: Any) -> Any:
        self._connection = self._connection or self._connector()
        return self

    setattr(core.Connection, "_execute", execute)  # noqa: B010 (of another type)
    setattr(core.Connection, "_connect", connect)  # noqa: B010


async def fire_schedules() -> None:
    """Enqueue a run of each schedule that is due, as the site does all day."""
    await queue.fire_schedules(clock.now())
