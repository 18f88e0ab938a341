"""Rate limits per network address, and per account where secrets are guessed."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, ip_address, ip_network
from weakref import WeakValueDictionary

import structlog
from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, RedisStorage, Storage
from limits.aio.strategies import MovingWindowRateLimiter
from redis.asyncio import Redis
from redis.asyncio.lock import Lock
from redis.exceptions import RedisError

from fuel_app.kit.errors import Refusal, TooManyRequests
from fuel_app.kit.signals import redis
from fuel_app.settings import settings


@dataclass(frozen=True, slots=True)
class Limit:
    """`times` uses in any span of `minutes`."""

    action: str
    times: int
    minutes: int


STAFF_LOGINS = Limit("staff-login", 5, 15)
QUOTES = Limit("quote", 10, 60)
SUGGESTIONS = Limit("suggest", 300, 1)  # an office that types at once
GEOCODINGS = Limit("geocoding", 20, 60)  # per person; each may cost money
PINS = Limit("pin", 20, 60)  # per person; a job carries each to what is booked there
IMPORT_CHECKS = Limit("import-check", 1, 1)  # of one file: they run one after the other
PHOTOS = Limit("photo", 60, 60)
SMS_CODES = Limit("sms-code", 3, 60)  # per person and per number: each costs money
SMS_SIGN_INS = Limit("sms-sign-in", 3, 60)  # the same; an attacker can set up any number
PASSKEY_OPTIONS = Limit("passkey-options", 60, 15)
PASSKEY_SIGN_INS = Limit("passkey-sign-in", 10, 15)
SIGN_INS = Limit("sign-in", 20, 15)  # failing ones from one address
ACCOUNT_SIGN_INS = Limit("account-sign-in", 5, 15)  # failing ones, from one address to one account
ALL_SIGN_INS = Limit("all-sign-ins", 30, 15)  # failing ones to one account, from all addresses
SECOND_STEPS = Limit("second-step", 5, 15)  # wrong codes after the account's password
ACCOUNT_RIGHT_SIGN_INS = Limit("account-right-sign-in", 30, 15)
EMAIL_CODES = Limit("email-code", 5, 60)  # per person
COMPANY_INVITES = Limit("company-invite", 30, 60)  # by one person; each sends a mail
COMPANY_INVITES_TO = Limit("company-invite-to", 5, 60)  # to one mailbox, by all companies
COMPANY_FILES = Limit("company-file", 30, 60)  # uploaded by one person
LINKS = Limit("link", 20, 15)  # unknown ones
SIGN_UPS = Limit("sign-up", 20, 60)
VERIFICATIONS = Limit("verification", 20, 15)  # wrong codes from one address
SIGN_UP_CODES = Limit("sign-up-code", 15, 15)  # wrong ones for one sign-up
RESENT_CODES = Limit("resent-code", 3, 15)
MESSAGES_AGAIN = Limit("message-again", 30, 60)  # by one of the staff
MESSAGES_AGAIN_TO = Limit("message-again-to", 10, 60)  # to one customer, by all of the staff
MAILS_FROM = Limit("mails-from", 30, 60)  # a household or an office, not a script
MAILS_TO = Limit("mails-to", 30, 60)  # to one mailbox
MAILS_BETWEEN = Limit("mails-between", 8, 60)  # from one to the other
PASSWORD_CHECKS = Limit("password-check", 60, 1)  # while it is typed; each takes up to 0.1 s
GUEST_BOOKINGS = Limit("guest-booking", 10, 60)
HOLDS = Limit("hold", 60, 15)
OWN_BOOKINGS = Limit("booking", 30, 60)  # by one customer; each sends messages
PAYMENTS = Limit("payment", 10, 60)  # by one customer; each asks a bank
MOVES = Limit("move", 20, 60)  # by one customer or guest; each sends messages
CARDS = Limit("card", 20, 60)  # visits to the provider's page by one customer or address
PUSH_DEVICES = Limit("push-device", 20, 60)  # turned on or off by one person
ROUTES = Limit("route", 60, 1)  # dragging stops; each may cost money
# By one technician's phone, which sends again by itself.
PHONE_DAYS = Limit("phone-day", 60, 1)
PHONE_ACTIONS = Limit("phone-actions", 60, 1)
PHONE_PHOTOS = Limit("phone-photo", 300, 60)
PHONE_POSITIONS = Limit("phone-position", 20, 1)

log = structlog.get_logger()

_LOCK_S = 10  # the longest wait for an attempt; its shared lock is renewed while it lasts


def household(address: str) -> str:
    """Return what counts as one address: an IPv6 client can choose any within its /64."""
    if address.startswith("["):  # some proxies write the port, too
        address = address[1:].partition("]")[0]
    elif address.count(":") == 1:
        address = address.partition(":")[0]
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return address
    if parsed.ipv4_mapped:  # an IPv4 visitor of a server that listens on IPv6
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, 64), strict=False))


class Throttle:
    """Counts in a moving window, in Redis where several processes share it."""

    def __init__(self, storage: Storage, connections: Redis | None = None) -> None:
        self._limiter = MovingWindowRateLimiter(storage)
        self._redis = connections
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def spend(self, limit: Limit, address: str) -> None:
        """Count one request.

        Raises:
            TooManyRequests: If the limit is reached; says when to retry.
        """
        await self._check(self._limiter.hit, limit, household(address))

    async def forget(self, limit: Limit, address: str) -> None:
        """Forget what was counted."""
        try:
            await self._limiter.clear(_item(limit), limit.action, household(address))
        except Exception:  # then it lasts until its time is over
            log.exception("throttle.unavailable")

    @asynccontextmanager
    async def failing(self, limit: Limit, address: str) -> AsyncIterator[None]:
        """Count the block only if it raises a refusal. An address runs one such block at a time, so
        that parallel attempts are counted like sequential ones.

        Raises:
            TooManyRequests: If the limit is reached; says when to retry.
        """
        address = household(address)
        async with self._lock(limit, address):
            await self._check(self._limiter.test, limit, address)
            try:
                yield
            except Refusal:
                with suppress(TooManyRequests):
                    await self._check(self._limiter.hit, limit, address)
                raise

    @asynccontextmanager
    async def alone(self, limit: Limit, address: str) -> AsyncIterator[None]:
        """Run the block of an address after its other ones. It counts nothing.

        Raises:
            TooManyRequests: If they take too long.
        """
        async with self._lock(limit, household(address)):
            yield

    async def _check(self, ask: Callable[..., Awaitable[bool]], limit: Limit, address: str) -> None:
        try:
            if await ask(_item(limit), limit.action, address):
                return
            window = await self._limiter.get_window_stats(_item(limit), limit.action, address)
        except Exception:  # better unlimited than unavailable
            log.exception("throttle.unavailable")
            return
        raise TooManyRequests(minutes=max(1, math.ceil((window.reset_time - time.time()) / 60)))

    @asynccontextmanager
    async def _lock(self, limit: Limit, address: str) -> AsyncIterator[None]:
        name = f"fuel:lock:{limit.action}:{address}"
        here = self._locks.setdefault(name, asyncio.Lock())
        try:
            async with asyncio.timeout(_LOCK_S):
                await here.acquire()
        except TimeoutError:
            raise TooManyRequests(minutes=1) from None
        try:
            everywhere = await self._shared_lock(name)
            if everywhere is None:
                yield
                return
            renewing = asyncio.create_task(_renew(everywhere))
            try:
                yield
            finally:
                renewing.cancel()
                await asyncio.wait([renewing])
                with suppress(RedisError):  # then it expires
                    await everywhere.release()
        finally:
            here.release()

    async def _shared_lock(self, name: str) -> Lock | None:
        if not self._redis:
            return None
        lock = self._redis.lock(name, timeout=_LOCK_S)
        try:
            if await lock.acquire(blocking_timeout=_LOCK_S):
                return lock
        except Exception:
            log.exception("throttle.unavailable")
            return None
        raise TooManyRequests(minutes=1)


async def _renew(lock: Lock) -> None:
    """Renew a shared lock again and again."""
    with suppress(RedisError):  # then it expires
        while True:
            await asyncio.sleep(_LOCK_S / 3)
            await lock.reacquire()


def _item(limit: Limit) -> RateLimitItemPerMinute:
    return RateLimitItemPerMinute(limit.times, limit.minutes, namespace="fuel")


class Unlimited(Throttle):
    """Limits nothing, for load tests and benchmarks."""

    def __init__(self) -> None:
        super().__init__(MemoryStorage())

    async def _check(self, ask: Callable[..., Awaitable[bool]], limit: Limit, address: str) -> None:
        return None

    @asynccontextmanager
    async def _lock(self, limit: Limit, address: str) -> AsyncIterator[None]:
        yield


@cache
def throttle() -> Throttle:
    """Return this process's throttle, by the settings."""
    if settings.rate_limits == "off":
        return Unlimited()
    if settings.redis_url:
        storage = RedisStorage(f"async+{settings.redis_url}", implementation="redispy")
        return Throttle(storage, redis())
    return Throttle(MemoryStorage())
