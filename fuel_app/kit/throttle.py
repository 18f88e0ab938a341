"""How often one network address may do a thing before it has to wait."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Protocol
from weakref import WeakValueDictionary

import structlog
from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, RedisStorage, Storage
from limits.aio.strategies import MovingWindowRateLimiter
from redis.asyncio import Redis
from redis.asyncio.lock import Lock
from redis.exceptions import RedisError

from fuel_app.kit.errors import Refusal, TooManyRequests
from fuel_app.kit.redis import redis
from fuel_app.settings import settings


@dataclass(frozen=True, slots=True)
class Allowance:
    """`times` uses in any span of `minutes`."""

    action: str
    times: int
    minutes: int


JOINS = Allowance("join", 30, 60)  # a household or an office, not a script
STAFF_LOGINS = Allowance("staff-login", 5, 15)
QUOTES = Allowance("quote", 10, 60)
SUGGESTIONS = Allowance("suggest", 300, 1)  # an office that types at once
PHOTOS = Allowance("photo", 60, 60)  # a household that cannot decide on a picture
ROUTES = Allowance("route", 60, 1)  # somebody who drags stops about; each may cost money


log = structlog.get_logger()

_TURN_S = 10  # how long one try may take, and how long the next one waits for it
_Question = Callable[..., Awaitable[bool]]


def household(address: str) -> str:
    """What counts as one address: an IPv6 household can make up new ones within its /64."""
    if address.count(":") == 1:  # some proxies write the port, too
        address = address.partition(":")[0]
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return address
    if parsed.ipv4_mapped:  # how a server that listens on IPv6 writes an IPv4 visitor
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, 64), strict=False))


class Throttle(Protocol):
    async def spend(self, allowance: Allowance, address: str) -> None:
        """Count one use.

        Raises:
            TooManyRequests: If the address has had its share; says when to come back.
        """
        ...

    def failing(self, allowance: Allowance, address: str) -> AbstractAsyncContextManager[None]:
        """Count the block only if a rule says no in it. An address has one such block at a time,
        so that many tries at once are counted like one after the other.

        Raises:
            TooManyRequests: If the address has had its share; says when to come back.
        """
        ...


class Unlimited:
    """For load tests and benchmarks."""

    async def spend(self, allowance: Allowance, address: str) -> None:
        return None

    @asynccontextmanager
    async def failing(self, allowance: Allowance, address: str) -> AsyncIterator[None]:
        yield


class MovingWindow:
    """The minutes just past, not the clock's; in Redis when there are several processes."""

    def __init__(self, storage: Storage, connections: Redis | None = None) -> None:
        self._limiter = MovingWindowRateLimiter(storage)
        self._redis = connections
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def spend(self, allowance: Allowance, address: str) -> None:
        await self._ask(self._limiter.hit, allowance, household(address))

    @asynccontextmanager
    async def failing(self, allowance: Allowance, address: str) -> AsyncIterator[None]:
        address = household(address)
        async with self._turn(f"fuel:turn:{allowance.action}:{address}"):
            await self._ask(self._limiter.test, allowance, address)
            try:
                yield
            except Refusal:
                with suppress(TooManyRequests):
                    await self._ask(self._limiter.hit, allowance, address)
                raise

    async def _ask(self, question: _Question, allowance: Allowance, address: str) -> None:
        limit = RateLimitItemPerMinute(allowance.times, allowance.minutes, namespace="fuel")
        try:
            if await question(limit, allowance.action, address):
                return
            window = await self._limiter.get_window_stats(limit, allowance.action, address)
        except Exception:  # fair use is not worth turning a visitor away for
            log.exception("throttle.unavailable")
            return
        raise TooManyRequests(minutes=max(1, math.ceil((window.reset_time - time.time()) / 60)))

    @asynccontextmanager
    async def _turn(self, name: str) -> AsyncIterator[None]:
        here = self._turns.setdefault(name, asyncio.Lock())
        async with here:
            everywhere = await self._shared_turn(name)
            try:
                yield
            finally:
                if everywhere:
                    with suppress(RedisError):  # then it ends by itself
                        await everywhere.release()

    async def _shared_turn(self, name: str) -> Lock | None:
        if not self._redis:
            return None
        lock = self._redis.lock(name, timeout=_TURN_S)
        try:
            if await lock.acquire(blocking_timeout=_TURN_S):
                return lock
        except Exception:
            log.exception("throttle.unavailable")
            return None
        raise TooManyRequests(minutes=1)


@cache
def throttle() -> Throttle:
    """This process's throttle, by the settings."""
    if settings.rate_limits == "off":
        return Unlimited()
    if settings.redis_url:
        storage = RedisStorage(f"async+{settings.redis_url}", implementation="redispy")
        return MovingWindow(storage, redis())
    return MovingWindow(MemoryStorage())
