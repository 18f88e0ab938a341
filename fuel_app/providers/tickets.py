"""Tickets: each is good once, for a minute, in whichever process it is handed in."""

import secrets
import time
from functools import cache
from typing import Protocol

from redis.asyncio import Redis

from fuel_app.domain.staff import TICKET_S
from fuel_app.kit.redis import redis

_PREFIX = "fuel:ticket:"


class Tickets(Protocol):
    async def issue(self, value: str) -> str:
        """A ticket that stands for `value`."""
        ...

    async def redeem(self, ticket: str) -> str | None:
        """What the ticket stands for. None if it is made up, used or too old."""
        ...


class MemoryTickets:
    """For a process that is alone."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[float, str]] = {}  # good until, value

    async def issue(self, value: str) -> str:
        now = time.monotonic()
        self._open = {ticket: held for ticket, held in self._open.items() if held[0] > now}
        ticket = secrets.token_urlsafe(32)
        self._open[ticket] = (now + TICKET_S, value)
        return ticket

    async def redeem(self, ticket: str) -> str | None:
        good_until, value = self._open.pop(ticket, (0.0, ""))
        return value if good_until > time.monotonic() else None


class SharedTickets:
    """For several processes: one makes a ticket, another takes it."""

    def __init__(self, connections: Redis) -> None:
        self._redis = connections

    async def issue(self, value: str) -> str:
        ticket = secrets.token_urlsafe(32)
        await self._redis.set(_PREFIX + ticket, value, ex=TICKET_S)
        return ticket

    async def redeem(self, ticket: str) -> str | None:
        return await self._redis.getdel(_PREFIX + ticket)


@cache
def tickets() -> Tickets:
    """This process's tickets, by the settings."""
    connections = redis()
    return SharedTickets(connections) if connections else MemoryTickets()
