"""Tickets: good once, for a minute, in any process."""

from collections.abc import Callable

import pytest
from redis.asyncio import Redis, from_url

from fuel_app.accounts import providers as module
from fuel_app.accounts.providers import MemoryTickets, SharedTickets, tickets


@pytest.fixture
def issuing(between_processes: Redis | None) -> Callable[[], module.Tickets]:
    """Makes the tickets of one process."""
    alone = MemoryTickets()
    return lambda: SharedTickets(between_processes) if between_processes else alone


async def test_a_ticket_is_redeemed_once_at_any_process(issuing):
    one, other = issuing(), issuing()
    ticket = await one.issue("session")
    assert await other.redeem(ticket) == "session"
    assert await one.redeem(ticket) is None


async def test_each_ticket_has_its_own_value(issuing):
    tickets = issuing()
    first, second = await tickets.issue("first"), await tickets.issue("second")
    assert first != second
    assert await tickets.redeem(second) == "second"
    assert await tickets.redeem(first) == "first"


@pytest.mark.parametrize("ticket", ["", "made up", "*", "x" * 100])
async def test_an_unknown_ticket_is_refused(issuing, ticket):
    tickets = issuing()
    await tickets.issue("session")
    assert await tickets.redeem(ticket) is None


async def test_a_ticket_expires_after_a_minute(monkeypatch):
    tickets, now = MemoryTickets(), 1000.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    ticket, forgotten = await tickets.issue("session"), await tickets.issue("forgotten")
    now += 61
    assert await tickets.redeem(ticket) is None
    await tickets.issue("another")
    assert forgotten not in tickets._open


@pytest.mark.slow
async def test_a_ticket_in_redis_expires_after_a_minute(redis_url):
    connections: Redis
    async with from_url(redis_url, decode_responses=True) as connections:
        await connections.flushall()
        await SharedTickets(connections).issue("session")
        (key,) = await connections.keys()
        assert 0 < await connections.ttl(key) <= 60


@pytest.mark.parametrize(
    ("connections", "kind"), [(None, MemoryTickets), (object(), SharedTickets)]
)
def test_the_settings_choose_the_tickets(monkeypatch, connections, kind):
    monkeypatch.setattr(module, "redis", lambda: connections)
    assert isinstance(tickets(), kind)
