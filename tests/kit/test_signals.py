"""Signals: who listens is told, in every process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from redis.asyncio import Redis, from_url

from fuel_app.kit import signals as module
from fuel_app.kit.signals import MemorySignals, SharedSignals, signals


async def test_who_listens_is_told_what_has_changed():
    hub = MemorySignals()
    async with hub.listening("leads", "staff") as changes:
        await hub.publish("leads")
        await hub.publish("members")
        assert await changes.next() == {"leads"}


async def test_a_burst_is_told_once():
    hub = MemorySignals()
    async with hub.listening("leads", "staff") as changes:
        for _ in range(100):
            await hub.publish("leads")
        await hub.publish("staff")
        assert await changes.next() == {"leads", "staff"}
        assert await changes.next(0) == set()


async def test_a_change_meanwhile_is_not_missed():
    hub = MemorySignals()
    async with hub.listening("leads") as changes:
        await hub.publish("leads")
        await changes.next()
        await hub.publish("leads")
        assert await changes.next() == {"leads"}


async def test_each_listener_is_told_for_itself():
    hub = MemorySignals()
    async with hub.listening("leads") as one, hub.listening("leads") as other:
        await hub.publish("leads")
        assert await one.next() == await other.next() == {"leads"}


async def test_whoever_has_gone_is_forgotten():
    hub = MemorySignals()
    with suppress(RuntimeError):
        async with hub.listening("leads", "staff"):
            assert hub.listeners == 1
            raise RuntimeError
    assert hub.listeners == 0
    assert not hub._listeners


@pytest.mark.parametrize(
    ("connections", "kind"), [(None, MemorySignals), (object(), SharedSignals)]
)
def test_the_settings_choose_the_signals(monkeypatch, connections, kind):
    monkeypatch.setattr(module, "redis", lambda: connections)
    assert type(signals()) is kind


@pytest.fixture
async def connections(redis_url: str, monkeypatch) -> AsyncIterator[Redis]:
    monkeypatch.setattr(module, "_RETRY_S", 0.01)
    async with from_url(redis_url, decode_responses=True) as opened:
        yield opened


async def heard(changes: module.Changes) -> frozenset[str]:
    return await changes.next(10)


@pytest.mark.slow
async def test_another_process_hears_it(connections):
    one, other = SharedSignals(connections), SharedSignals(connections)
    async with one.listening("leads") as here, other.listening("leads") as there:
        # The first answer says that listening has begun: something may have been missed before.
        assert await heard(here) == await heard(there) == {"leads"}
        await one.publish("leads")
        assert await heard(here) == await heard(there) == {"leads"}
        assert await here.next(0.05) == set()  # not a second time, from itself


@pytest.mark.slow
async def test_nobody_listens_to_redis_when_no_tab_does(connections):
    hub = SharedSignals(connections)
    async with hub.listening("leads") as first:
        await heard(first)
        async with hub.listening("leads"):
            pass
        assert await connections.pubsub_numsub("fuel:signals") == [("fuel:signals", 1)]
    async with asyncio.timeout(10):
        while await connections.pubsub_numsub("fuel:signals") != [("fuel:signals", 0)]:
            pass
    assert hub.listeners == 0


@pytest.mark.slow
async def test_listening_goes_on_after_redis_has_dropped_the_connection(connections, logged):
    hub, other = SharedSignals(connections), SharedSignals(connections)
    async with hub.listening("leads") as changes:
        await heard(changes)
        await connections.client_kill_filter(_type="pubsub")
        assert await heard(changes) == {"leads"}  # whatever was missed meanwhile
        await other.publish("leads")
        assert await heard(changes) == {"leads"}
    assert {entry["event"] for entry in logged} <= {"signals.interrupted"}


async def test_without_redis_this_process_is_told_all_the_same(logged, monkeypatch):
    monkeypatch.setattr(module, "_RETRY_S", 0.01)
    async with from_url("redis://127.0.0.1:1/0", decode_responses=True) as nowhere:
        hub = SharedSignals(nowhere)
        async with hub.listening("leads") as changes:
            await hub.publish("leads")
            assert await changes.next() == {"leads"}
    assert ("signals.unavailable", "error") in [
        (entry["event"], entry["log_level"]) for entry in logged
    ]
