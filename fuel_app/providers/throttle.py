"""Fair use: how often one address may do a thing, counted where every process sees it."""

import logging
import math
import time
from functools import cache
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Protocol

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, RedisStorage, Storage
from limits.aio.strategies import MovingWindowRateLimiter

from fuel_app.domain.allowance import Allowance
from fuel_app.domain.errors import TooManyRequests
from fuel_app.settings import settings

log = logging.getLogger(__name__)


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


class Unlimited:
    """For load tests and benchmarks."""

    async def spend(self, allowance: Allowance, address: str) -> None:
        return None


class MovingWindow:
    """The minutes just past, not the clock's; in Redis when there are several processes."""

    def __init__(self, storage: Storage) -> None:
        self._limiter = MovingWindowRateLimiter(storage)

    async def spend(self, allowance: Allowance, address: str) -> None:
        address = household(address)
        limit = RateLimitItemPerMinute(allowance.times, allowance.minutes, namespace="fuel")
        try:
            if await self._limiter.hit(limit, allowance.action, address):
                return
            window = await self._limiter.get_window_stats(limit, allowance.action, address)
        except Exception:  # fair use is not worth turning a visitor away for
            log.exception("throttle.unavailable")
            return
        raise TooManyRequests(minutes=max(1, math.ceil((window.reset_time - time.time()) / 60)))


@cache
def throttle() -> Throttle:
    """This process's throttle, by the settings."""
    if settings.rate_limits == "off":
        return Unlimited()
    if settings.redis_url:
        return MovingWindow(RedisStorage(f"async+{settings.redis_url}", implementation="redispy"))
    return MovingWindow(MemoryStorage())
