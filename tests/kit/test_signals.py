"""Signals reach the listeners of every process."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis, from_url

from fuel_app.kit import signals as module
from fuel_app.kit.signals import MemorySignals, SharedSignals


async def test_each_listener_gets_the_topics_it_asked_for():
    hub = MemorySignals()
    async with hub.listening("leads", "staff") as one, hub.listening("leads") as other:
        await hub.publish("leads")
        await hub.publish("members")
        assert await one.next() == await other.next() == {"leads"}


async def test_burst_is_one_change_and_later_ones_are_not_missed():
    hub = MemorySignals()
    async with hub.listening("leads", "staff") as changes:
        for _ in range(100):
            await hub.publish("leads")
        await hub.publish("staff")
        assert await changes.next() == {"leads", "staff"}
        assert await changes.next(0) == set()
        await hub.publish("leads")
        assert await changes.next() == {"leads"}


@pytest.fixture
async def connections(redis_url: str, monkeypatch) -> AsyncIterator[Redis]:
    monkeypatch.setattr(module, "_RETRY_S", 0.01)
    async with from_url(redis_url, decode_responses=True) as opened:
        yield opened


async def received(changes: module.Changes) -> frozenset[str]:
    return await changes.next(10)


@pytest.mark.slow
async def test_other_process_gets_the_change(connections):
    one, other = SharedSignals(connections), SharedSignals(connections)
    async with one.listening("leads") as here, other.listening("leads") as there:
        # The first answer says that listening has begun: something may have been missed before.
        assert await received(here) == await received(there) == {"leads"}
        await one.publish("leads")
        assert await received(here) == await received(there) == {"leads"}
        assert await here.next(0.05) == set()  # not a second time, from itself


@pytest.mark.slow
async def test_redis_subscription_ends_with_the_last_listener(connections):
    hub = SharedSignals(connections)
    async with hub.listening("leads") as first:
        await received(first)
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
        await received(changes)
        await connections.client_kill_filter(_type="pubsub")
        assert await received(changes) == {"leads"}  # whatever was missed meanwhile
        await other.publish("leads")
        assert await received(changes) == {"leads"}
    assert {entry["event"] for entry in logged} <= {"signals.interrupted"}


async def test_without_redis_listeners_of_this_process_get_changes(logged, monkeypatch):
    monkeypatch.setattr(module, "_RETRY_S", 0.01)
    async with from_url("redis://127.0.0.1:1/0", decode_responses=True) as nowhere:
        hub = SharedSignals(nowhere)
        async with hub.listening("leads") as changes:
            await hub.publish("leads")
            assert await changes.next() == {"leads"}
    assert ("signals.unavailable", "error") in [
        (entry["event"], entry["log_level"]) for entry in logged
    ]
