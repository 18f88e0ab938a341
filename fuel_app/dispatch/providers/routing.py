"""Routing by Google, OSRM or an offline estimate: retries, circuit breakers, a cache."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import structlog
from cachetools import TTLCache
from circuitbreaker import CircuitBreaker
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.providers.base import Routing, Unavailable
from fuel_app.dispatch.providers.google import GoogleRoutes
from fuel_app.dispatch.providers.osrm import OsrmRouting
from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.problem import Matrix
from fuel_app.dispatch.rules.route import Drive
from fuel_app.kit.metrics import provider_call
from fuel_app.settings import settings

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Durations:
    """The driving seconds of a provider."""

    seconds: Matrix
    estimated: bool  # without live traffic
    provider: str  # its name


Found = Drive | Durations

CACHE_NUMBERS = 200_000  # some 10 MB
CACHE_S = 300  # traffic changes
NEAR_M = 300  # meters from a point to its road


def _numbers(found: Found) -> int:
    """Return the size of an answer."""
    if isinstance(found, Drive):
        return 3 * len(found.legs) + 2 * len(found.line)
    return len(found.seconds) ** 2


@dataclass(frozen=True, slots=True)
class Retries:
    attempts: int = 3
    backoff_s: float = 0.2  # doubled each time, with jitter
    timeout_s: float = 8.0  # for all attempts
    failures: int = 3  # in a row, which open the circuit breaker
    open_s: float = 30.0


class Retrying:
    """One provider with retries and a circuit breaker."""

    def __init__(self, provider: Routing, retries: Retries) -> None:
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

    async def ask(self, what: str, points: Sequence[Point], near_m: int) -> Any:
        """Call the provider's method `what`.

        Raises:
            Unavailable: If it has none, or the circuit breaker is open.
        """
        if self._breaker.opened:
            raise Unavailable("CIRCUIT_OPEN", passing=True)
        with self._breaker:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await self._ask_with_retries(what, points, near_m)
            except TimeoutError:
                raise Unavailable("TIMEOUT", passing=True) from None

    async def _ask_once(self, what: str, points: Sequence[Point], near_m: int) -> Any:
        with provider_call(self.provider.name, what):
            return await getattr(self.provider, what)(points, near_m)


class FirstThatAnswers:
    """Providers in the order given, with recent answers: each question to Google costs money."""

    def __init__(self, providers: Sequence[Routing], retries: Retries = Retries()) -> None:
        self._providers = [Retrying(provider, retries) for provider in providers]
        self._recent: TTLCache[Any, Found] = TTLCache(CACHE_NUMBERS, CACHE_S, getsizeof=_numbers)

    async def matrix(self, points: Sequence[Point], *, near_m: int = NEAR_M) -> Durations | None:
        """Return the durations of the first provider that answers; None if none does."""
        able = [each for each in self._providers if len(points) <= each.provider.matrix_points]
        return await self._first(able, "matrix", points, near_m)

    async def drive(
        self, points: Sequence[Point], *, near_m: int = NEAR_M, timed_by: str = ""
    ) -> Drive:
        """Return the drive of the first provider that answers, else the estimate.

        Args:
            timed_by: The provider of the route's plan, if there is one. Those before it are not
                asked, so that unchanged legs take as long as the plan said.
        """
        found = await self._first(self._since(timed_by), "drive", points, near_m)
        return found or offline.drive(points)

    def _since(self, name: str) -> list[Retrying]:
        """Return the provider of this name and those after it; all if it is not among them."""
        if name == offline.OFFLINE:
            return []
        names = [each.provider.name for each in self._providers]
        return self._providers[names.index(name) :] if name in names else self._providers

    async def _first(
        self, providers: Sequence[Retrying], what: str, points: Sequence[Point], near_m: int
    ) -> Any:
        names = (each.provider.name for each in providers)
        question = (what, near_m, *names, *points)
        if len(points) < 2:
            return None
        if known := self._recent.get(question):
            return known
        for each in providers:
            try:
                answer = await each.ask(what, points, near_m)
            except Unavailable as error:
                log.warning("routing.failed", provider=each.provider.name, status=error.status)
            else:
                by = each.provider
                is_drive = isinstance(answer, Drive)
                found = answer if is_drive else Durations(answer, by.estimated, by.name)
                if _numbers(found) <= CACHE_NUMBERS:
                    self._recent[question] = found
                return found
        return None


@cache
def routing() -> FirstThatAnswers:
    """Return this process's providers, by the settings."""
    providers: list[Routing] = []
    if settings.google_maps_api_key:
        providers.append(GoogleRoutes(settings.google_maps_api_key.get_secret_value()))
    if settings.osrm_url:
        providers.append(OsrmRouting(settings.osrm_url))
    return FirstThatAnswers(providers)
