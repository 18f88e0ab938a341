"""Values that tabs share until a topic changes."""

import asyncio
from datetime import timedelta

import pytest

from fuel_app.kit import clock
from fuel_app.kit.cache import Cached
from fuel_app.kit.signals import BOOKINGS, ROUTES, MemorySignals, one, signals
from tests.helpers.bookings import NOW, at


class Counting:
    """A value that is the number of times it was read."""

    def __init__(self) -> None:
        self.reads = 0
        self.kept = Cached(self.read, BOOKINGS)

    async def read(self) -> int:
        self.reads += 1
        await asyncio.sleep(0)
        return self.reads


async def test_all_who_ask_share_one_read_until_a_topic_changes():
    it = Counting()
    assert await asyncio.gather(*(it.kept.get() for _ in range(3))) == [1, 1, 1]
    await signals().publish(ROUTES)
    assert await it.kept.get() == 1
    await signals().publish(BOOKINGS)
    assert await it.kept.get() == 2
    await signals().publish(one(BOOKINGS, "of-one-row"))
    assert await it.kept.get() == 3
    it.kept.forget()
    assert await it.kept.get() == 4


async def test_change_while_it_is_read_is_read_by_the_next():
    it = Counting()
    reading = asyncio.create_task(it.kept.get())
    await asyncio.sleep(0)
    await signals().publish(BOOKINGS)
    assert await reading == 1
    assert await it.kept.get() == 2


async def test_one_who_leaves_ends_no_read_and_one_that_failed_is_read_again():
    it = Counting()
    leaving = asyncio.create_task(it.kept.get())
    await asyncio.sleep(0)
    leaving.cancel()
    assert await it.kept.get() == 1

    async def fail() -> int:
        raise ConnectionError

    failing = Cached(fail)
    for _ in range(2):
        with pytest.raises(ConnectionError):
            await failing.get()
    failing._read = it.read
    assert await failing.get() == 2


async def test_value_is_read_again_after_a_minute_and_by_another_process(monkeypatch):
    it = Counting()
    it.kept.forget()
    at(monkeypatch, NOW)
    assert await it.kept.get() == 1
    monkeypatch.setattr(clock, "now", lambda: NOW + timedelta(seconds=59))
    assert await it.kept.get() == 1
    monkeypatch.setattr(clock, "now", lambda: NOW + timedelta(seconds=61))
    assert await it.kept.get() == 2
    signals.cache_clear()
    assert isinstance(signals(), MemorySignals)
    assert await it.kept.get() == 3
