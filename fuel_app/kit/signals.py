"""Signals: every process hears that a topic has changed, by the Redis that several share."""

import asyncio
import secrets
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import cache

import structlog
from redis.asyncio import Redis, from_url
from redis.exceptions import RedisError

from fuel_app.settings import settings

UNAVAILABLE = (RedisError, OSError)


@cache
def redis() -> Redis | None:
    """Return this process's connections, or None without Redis."""
    if not settings.redis_url:
        return None
    return from_url(settings.redis_url, decode_responses=True)


log = structlog.get_logger()

_CHANNEL = "fuel:signals"
_RETRY_S = 1.0


class Changes:
    """Changes since the last call. A burst of changes is one answer."""

    def __init__(self) -> None:
        self._topics: set[str] = set()
        self._woken = asyncio.Event()

    async def next(self, seconds: float | None = None) -> frozenset[str]:
        """Wait for a change; returns the topics, none if `seconds` have passed without one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        self._woken.clear()
        topics, self._topics = frozenset(self._topics), set()
        return topics

    def _note(self, topic: str) -> None:
        self._topics.add(topic)
        self._woken.set()


class MemorySignals:
    """Signals inside one process."""

    def __init__(self) -> None:
        self._listeners: defaultdict[str, set[Changes]] = defaultdict(set)
        self._counts: Counter[str] = Counter()
        self._unheard = 0  # times at which any topic may have changed

    def count(self, *topics: str) -> int:
        """Return a number that rises as soon as one of the topics may have changed, or any.

        The change of a single row is one of its topic.
        """
        counts = [self._counts[each] for each in topics] if topics else self._counts.values()
        return self._unheard + sum(counts)

    async def publish(self, *topics: str) -> None:
        """Tell every listener that topics have changed. Call it after the commit."""
        for topic in topics:
            self._notify(topic)

    @asynccontextmanager
    async def listening(self, *topics: str) -> AsyncIterator[Changes]:
        """Listen to topics until the block ends."""
        changes = Changes()
        for topic in topics:
            self._listeners[topic].add(changes)
        try:
            yield changes
        finally:
            for topic in topics:
                self._listeners[topic].discard(changes)
                if not self._listeners[topic]:
                    del self._listeners[topic]

    @property
    def listeners(self) -> int:
        return len(set().union(*self._listeners.values()))

    def _notify(self, topic: str) -> None:
        self._counts[topic.split()[0]] += 1
        for changes in self._listeners.get(topic, ()):
            changes._note(topic)


class SharedSignals(MemorySignals):
    """Signals between processes: Redis carries the topics, one connection serves all our tabs."""

    def __init__(self, connections: Redis) -> None:
        super().__init__()
        self._redis = connections
        self._name = secrets.token_hex(8)  # so that we do not hear ourselves
        self._relay: asyncio.Task[None] | None = None

    def count(self, *topics: str) -> int:
        if self._relay is None:  # others' changes are not heard of
            self._unheard += 1
        return super().count(*topics)

    async def publish(self, *topics: str) -> None:
        await super().publish(*topics)
        try:
            for topic in topics:
                await self._redis.publish(_CHANNEL, f"{self._name} {topic}")
        except UNAVAILABLE:  # what was changed is stored all the same
            log.exception("signals.unavailable")

    @asynccontextmanager
    async def listening(self, *topics: str) -> AsyncIterator[Changes]:
        async with super().listening(*topics) as changes:
            if self._relay is None:
                self._relay = asyncio.create_task(self._relay_forever())
            try:
                yield changes
            finally:
                if self.listeners == 1 and self._relay:  # the last one
                    self._relay.cancel()
                    self._relay = None

    async def _relay_forever(self) -> None:
        while True:
            try:
                await self._receive()
            except UNAVAILABLE:
                log.exception("signals.interrupted")
            await asyncio.sleep(_RETRY_S)

    async def _receive(self) -> None:
        async with self._redis.pubsub(ignore_subscribe_messages=True) as channel:
            await channel.subscribe(_CHANNEL)
            self._unheard += 1  # any may have changed while this was interrupted
            for topic in self._listeners:
                self._notify(topic)
            async for message in channel.listen():
                name, _, topic = message["data"].partition(" ")
                if name != self._name:
                    self._notify(topic)


@cache
def signals() -> MemorySignals:
    """Return this process's signals, by the settings."""
    connections = redis()
    return SharedSignals(connections) if connections else MemorySignals()


def one(topic: str, row_id: str) -> str:
    """Return the topic of a single row: one booking of BOOKINGS, one route of SHIFTS."""
    return f"{topic} {row_id}"


def listening(*topics: str) -> AbstractAsyncContextManager[Changes]:
    """Listen to topics until the block ends; `await changes.next()` waits for a change."""
    return signals().listening(*topics)


SESSIONS = "sessions"  # some have ended, or roles have changed
AREAS = "areas"
PRICES = "prices"  # of fuel
REQUESTS = "requests"  # to an admin
PEOPLE = "people"  # who is invited
COMPANIES = "companies"  # one has changed, or its people, sites or cost centers
FIGURES = "figures"  # business figures
LEADS = "leads"
QUOTES = "quotes"  # one was asked for, or staff have changed a lead
PROPOSALS = "proposals"  # one has changed, or was viewed or answered
MEMBERS = "members"  # who is in which neighborhood
IMPORTS = "imports"  # how far an import of leads is
INVITATIONS = "invitations"  # of the waitlist, and whether their waves run
BOOKINGS = "bookings"
TRUCKS = "trucks"
SHIFTS = "shifts"  # their hours, planned routes, how far they are
ROUTES = "routes"  # changed by hand, a few of a day
ANNOUNCEMENTS = "announcements"  # written, or how far one has gone out
MESSAGES = "messages"  # one was sent, skipped or failed
JOBS = "jobs"  # a job was enqueued
