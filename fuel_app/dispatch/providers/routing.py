"""Routing by Google, OSRM or an offline estimate: retries, circuit breakers, a cache."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import structlog
from cachetools import TTLCache
from circuitbreaker import CircuitBreaker
from pydantic import ConfigDict, TypeAdapter, ValidationError
from redis.asyncio import Redis
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from fuel_app.dispatch.providers.base import RemoteRouting, Routing, Unavailable
from fuel_app.dispatch.providers.google import GoogleRoutes
from fuel_app.dispatch.providers.offline import OfflineRouting
from fuel_app.dispatch.providers.osrm import OsrmRouting
from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.problem import Matrix
from fuel_app.dispatch.rules.route import Drive
from fuel_app.kit.metrics import provider_call
from fuel_app.kit.redis import UNAVAILABLE, redis
from fuel_app.settings import settings

log = structlog.get_logger()

Found = Drive | Matrix

CACHE_NUMBERS = 200_000  # some 10 MB
CACHE_S = 300  # traffic changes
_PREFIX = "fuel:routing:"
# A matrix says 'no road' by infinity.
_text: TypeAdapter[Found] = TypeAdapter(Found, config=ConfigDict(ser_json_inf_nan="constants"))


class Cache(Protocol):
    """Recent answers: each question to Google costs money."""

    async def get(self, what: str, points: Sequence[Point]) -> Any: ...

    async def put(self, what: str, points: Sequence[Point], found: Found) -> None: ...


class LocalCache:
    """The cache of a single process."""

    def __init__(self) -> None:
        self._recent: TTLCache[Any, Found] = TTLCache(CACHE_NUMBERS, CACHE_S, getsizeof=_numbers)

    async def get(self, what: str, points: Sequence[Point]) -> Any:
        return self._recent.get((what, *points))

    async def put(self, what: str, points: Sequence[Point], found: Found) -> None:
        if _numbers(found) <= self._recent.maxsize:
            self._recent[(what, *points)] = found


class SharedCache:
    """The cache of several processes, in Redis. Without Redis every question is asked."""

    def __init__(self, connections: Redis) -> None:
        self._redis = connections

    async def get(self, what: str, points: Sequence[Point]) -> Any:
        try:
            text = await self._redis.get(_key(what, points))
            return text and _text.validate_json(text)
        except UNAVAILABLE:
            log.exception("routing.cache_unavailable")
        except ValidationError:
            log.warning("routing.cache_of_another_release")
        return None

    async def put(self, what: str, points: Sequence[Point], found: Found) -> None:
        if _numbers(found) > CACHE_NUMBERS:
            return
        try:
            await self._redis.set(_key(what, points), _text.dump_json(found), ex=CACHE_S)
        except UNAVAILABLE:
            log.exception("routing.cache_unavailable")


def _key(what: str, points: Sequence[Point]) -> str:
    return _PREFIX + hashlib.sha256(json.dumps([what, *points]).encode()).hexdigest()


def _numbers(found: Found) -> int:
    """Return the size of an answer."""
    if isinstance(found, Drive):
        return 3 * len(found.legs) + 2 * len(found.line)
    return len(found) ** 2


@dataclass(frozen=True, slots=True)
class Retries:
    attempts: int = 3
    backoff_s: float = 0.2  # doubled each time, with jitter
    timeout_s: float = 8.0  # for all attempts
    failures: int = 3  # in a row, which open the circuit breaker
    open_s: float = 30.0


class Retrying:
    """One provider with retries and a circuit breaker."""

    def __init__(self, provider: RemoteRouting, retries: Retries) -> None:
        self.provider = provider
        self._timeout_s = retries.timeout_s
        self._ask_with_retries = AsyncRetrying(
            stop=stop_after_attempt(retries.attempts),
            wait=wait_exponential_jitter(multiplier=retries.backoff_s, jitter=retries.backoff_s),
            retry=retry_if_exception(
                lambda error: isinstance(error, Unavailable) and error.passing
            ),
            reraise=True,
        ).wraps(self._ask_once)
        self._breaker = CircuitBreaker(
            retries.failures, retries.open_s, expected_exception=Unavailable
        )

    async def ask(self, what: str, points: Sequence[Point]) -> Any:
        """Call the provider's method `what`.

        Raises:
            Unavailable: If it has none, or the circuit breaker is open.
        """
        if self._breaker.opened:
            raise Unavailable("CIRCUIT_OPEN", passing=True)
        with self._breaker:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await self._ask_with_retries(what, points)
            except TimeoutError:
                raise Unavailable("TIMEOUT", passing=True) from None

    async def _ask_once(self, what: str, points: Sequence[Point]) -> Any:
        with provider_call(self.provider.name, what):
            return await getattr(self.provider, what)(points)


class FirstThatAnswers:
    """Providers in the order given, then the estimate, which never fails."""

    def __init__(
        self,
        providers: Sequence[RemoteRouting],
        estimate: Routing,
        retries: Retries = Retries(),
        recent: Cache | None = None,
    ) -> None:
        self._providers = [Retrying(provider, retries) for provider in providers]
        self._estimate = estimate
        self._recent = recent or LocalCache()

    async def matrix(self, points: Sequence[Point]) -> Matrix:
        return await self.live_matrix(points) or await self._estimate.matrix(points)

    async def live_matrix(self, points: Sequence[Point]) -> Matrix | None:
        """Return the matrix of the first provider that answers; None if none does."""
        able = [each for each in self._providers if len(points) <= each.provider.matrix_points]
        return await self._first(able, "matrix", points)

    async def drive(self, points: Sequence[Point]) -> Drive:
        found = await self._first(self._providers, "drive", points)
        return found or await self._estimate.drive(points)

    async def shortest(self, points: Sequence[Point]) -> Drive | None:
        return await self._first(self._providers, "shortest", points)

    async def _first(
        self, providers: Sequence[Retrying], what: str, points: Sequence[Point]
    ) -> Any:
        if len(points) < 2:
            return None
        if known := await self._recent.get(what, points):
            return known
        for each in providers:
            try:
                found = await each.ask(what, points)
            except Unavailable as error:
                log.warning("routing.failed", provider=each.provider.name, status=error.status)
            else:
                if found:
                    await self._recent.put(what, points, found)
                    return found
        return None


@cache
def routing() -> FirstThatAnswers:
    """Return this process's provider, by the settings."""
    providers: list[RemoteRouting] = []
    if settings.google_maps_api_key:
        providers.append(GoogleRoutes(settings.google_maps_api_key.get_secret_value()))
    if settings.osrm_url:
        providers.append(OsrmRouting(settings.osrm_url))
    connections = redis()
    recent = SharedCache(connections) if connections else LocalCache()
    return FirstThatAnswers(providers, OfflineRouting(), recent=recent)
