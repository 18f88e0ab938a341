"""Values that all tabs of this process share until a topic changes, or for a short time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from fuel_app.kit import clock
from fuel_app.kit.signals import MemorySignals, signals

_Value = TypeVar("_Value")
_FOR = timedelta(minutes=1)


@dataclass
class _Read(Generic[_Value]):
    """The last value, of which changes, and when it was read."""

    of: MemorySignals
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    value: _Value | None = None
    count: int = -1
    at: datetime | None = None


class Kept(Generic[_Value]):
    """What `read` returns; it is read again after a change of its topics, or after a minute.

    Those who ask while it is being read get the same value.
    """

    def __init__(self, read: Callable[[], Awaitable[_Value]], *topics: str) -> None:
        self._read, self._topics = read, topics
        self._last: _Read[_Value] | None = None

    async def get(self) -> _Value:
        last = self._last
        if last is None or last.of is not signals():
            last = self._last = _Read(signals())
        async with last.lock:
            count, now = signals().count(*self._topics), clock.now()
            is_old = last.at is None or not timedelta(0) <= now - last.at < _FOR
            if is_old or count != last.count:
                # A change while it is read makes the next one read it again.
                last.value, last.count, last.at = await self._read(), count, now
        return last.value  # type: ignore[return-value]

    def forget(self) -> None:
        """Read it again when somebody asks next: this process has changed it."""
        if self._last:
            self._last.at = None
