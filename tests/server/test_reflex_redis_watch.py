"""A process without its Redis disconnects its tabs, and takes none until Redis is back."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from redis.exceptions import ConnectionError, ResponseError

from fuel_app.kit import background
from fuel_app.server.reflex import redis_tabs, shutdown


class FakeRedis:
    """Answers by the name of its start; an exception instead is raised."""

    def __init__(self) -> None:
        self.start: Any = "first"
        self.enabled: list[str] = []
        self.config_fails = False

    async def info(self, _section: str) -> dict[str, str]:
        if isinstance(self.start, Exception):
            raise self.start
        return {"run_id": self.start}

    async def config_set(self, name: str, _value: str) -> None:
        if self.config_fails:
            raise ResponseError("not allowed")
        self.enabled.append(name)


@pytest.fixture
def watched(monkeypatch):
    """Looks once at a Redis; knows how often the tabs were sent away, with all that they held
    forgotten before."""
    monkeypatch.setattr(redis_tabs, "_gone", False)
    seen = SimpleNamespace(redis=FakeRedis(), known="", times=0, forgotten=0)

    def forget() -> None:
        seen.forgotten += 1

    async def send_away() -> None:
        seen.times += 1
        assert seen.forgotten == seen.times

    monkeypatch.setattr(shutdown, "send_away", send_away)

    async def look() -> tuple[int, bool]:
        seen.known = await redis_tabs.look(seen.redis, seen.known, forget)
        await asyncio.gather(*background.under_way())
        return seen.times, redis_tabs.is_gone()

    seen.look = look
    return seen


@pytest.mark.parametrize("error", [ConnectionError("refused"), OSError(), TimeoutError()])
async def test_tabs_are_disconnected_once_while_redis_is_lost(watched, error):
    await watched.look()
    watched.redis.start = error
    assert [await watched.look() for _ in range(3)] == [(1, True)] * 3
    watched.redis.start = "first"  # it was the network
    assert await watched.look() == (1, False)
    assert watched.redis.enabled == []


async def test_an_empty_redis_gets_its_notifications_enabled_again(watched):
    await watched.look()
    watched.redis.start = OSError()
    await watched.look()
    watched.redis.start = "second"
    assert await watched.look() == (1, False)
    assert watched.redis.enabled == ["notify-keyspace-events"]


async def test_a_restart_between_two_checks_is_noticed(watched):
    await watched.look()
    watched.redis.start = "second"
    assert [await watched.look() for _ in range(2)] == [(1, False)] * 2
    assert watched.redis.enabled == ["notify-keyspace-events"]


async def test_a_redis_missing_at_the_start_is_waited_for(watched):
    watched.redis.start = OSError()
    assert await watched.look() == (1, True)
    watched.redis.start = "first"
    assert await watched.look() == (1, False)


async def test_without_redis_nothing_is_watched():
    an_app: Any = None
    await redis_tabs.watch(an_app)
