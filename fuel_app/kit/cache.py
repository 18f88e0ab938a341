"""Cache values for all tabs of this process, until a topic changes or for a short time."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from fuel_app.kit import clock
from fuel_app.kit.signals import MemorySignals, signals

_Value = TypeVar("_Value")
_FOR = timedelta(minutes=1)


class _Read(Generic[_Value]):
    """The last read, begun at a moment and a count of changes."""

    def __init__(
        self, read: Coroutine[Any, Any, _Value], of: MemorySignals, count: int, at: datetime
    ) -> None:
        self.task = asyncio.create_task(read)
        self.of, self.count, self.at = of, count, at

    def is_good(self, of: MemorySignals, count: int, now: datetime) -> bool:
        is_young = timedelta(0) <= now - self.at < _FOR
        has_failed = self.task.done() and (self.task.cancelled() or self.task.exception())
        return of is self.of and count == self.count and is_young and not has_failed


class Cached(Generic[_Value]):
    """Cache of what `read` returns, until one of its topics changes or a minute is over.

    All who ask meanwhile get the same value. A page that is left while it is read ends no read.
    """

    def __init__(self, read: Callable[[], Coroutine[Any, Any, _Value]], *topics: str) -> None:
        self._read, self._topics = read, topics
        self._last: _Read[_Value] | None = None

    async def get(self) -> _Value:
        of, now = signals(), clock.now()
        count = of.count(*self._topics)
        if self._last is None or not self._last.is_good(of, count, now):
            # A change while it is read makes the next one read it again.
            self._last = _Read(self._read(), of, count, now)
        return await asyncio.shield(self._last.task)

    def forget(self) -> None:
        """Read it again when somebody asks next: this process has changed it."""
        self._last = None
