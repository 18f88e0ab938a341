"""Asking providers in turn, with patience, so that there is always an answer."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import structlog
from circuitbreaker import CircuitBreaker
from tenacity import (
    AsyncRetrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential_jitter,
)

from fuel_app.dispatch.providers.base import RemoteRouting, Routing, Unavailable
from fuel_app.dispatch.providers.memory import Memory, OwnMemory
from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.problem import Matrix
from fuel_app.dispatch.rules.route import Drive
from fuel_app.kit.metrics import provider_call

log = structlog.get_logger()

Answer = TypeVar("Answer", bound=Drive | Matrix)


@dataclass(frozen=True, slots=True)
class Patience:
    attempts: int = 3
    first_pause_s: float = 0.2  # then twice as long, and again, each with some chance in it
    whole_s: float = 8.0  # for all attempts
    failures: int = 3  # in a row, after which a provider rests
    rest_s: float = 30.0


class Careful:
    """One provider: tried again while its trouble may pass, left alone when it lasts."""

    def __init__(self, provider: RemoteRouting, patience: Patience) -> None:
        self.provider = provider
        self._patience = patience
        self._breaker = CircuitBreaker(
            patience.failures, patience.rest_s, expected_exception=Unavailable
        )

    async def ask(
        self, what: str, question: Callable[[Routing], Awaitable[Answer | None]]
    ) -> Answer | None:
        """Its answer.

        Raises:
            Unavailable: If it has none, or rests.
        """
        if self._breaker.opened:
            raise Unavailable("RESTING", passing=True)
        with self._breaker:
            try:
                async with asyncio.timeout(self._patience.whole_s):
                    return await self._persistently(what, question)
            except TimeoutError:
                raise Unavailable("TIMEOUT", passing=True) from None

    async def _persistently(
        self, what: str, question: Callable[[Routing], Awaitable[Answer | None]]
    ) -> Answer | None:
        attempts = AsyncRetrying(
            stop=stop_after_attempt(self._patience.attempts),
            wait=wait_exponential_jitter(
                multiplier=self._patience.first_pause_s, jitter=self._patience.first_pause_s
            ),
            retry=retry_if_exception(
                lambda error: isinstance(error, Unavailable) and error.passing
            ),
            reraise=True,
        )
        async for attempt in attempts:
            with attempt, provider_call(self.provider.name, what):
                return await question(self.provider)
        raise AssertionError  # the last attempt returns or raises


class FirstThatAnswers:
    """The providers in the order given, then the estimate, which never fails."""

    def __init__(
        self,
        providers: Sequence[RemoteRouting],
        estimate: Routing,
        patience: Patience = Patience(),
        memory: Memory | None = None,
    ) -> None:
        self._careful = [Careful(provider, patience) for provider in providers]
        self._estimate = estimate
        self._memory = memory or OwnMemory()

    async def matrix(self, points: Sequence[Point]) -> Matrix:
        able = [each for each in self._careful if len(points) <= each.provider.matrix_points]
        found = await self._first(able, "matrix", points, lambda each: each.matrix(points))
        return found or await self._estimate.matrix(points)

    async def drive(self, points: Sequence[Point]) -> Drive:
        found = await self._first(self._careful, "drive", points, lambda each: each.drive(points))
        return found or await self._estimate.drive(points)

    async def shortest(self, points: Sequence[Point]) -> Drive | None:
        return await self._first(
            self._careful, "shortest", points, lambda each: each.shortest(points)
        )

    async def _first(
        self,
        careful: Sequence[Careful],
        what: str,
        points: Sequence[Point],
        question: Callable[[Routing], Awaitable[Answer | None]],
    ) -> Answer | None:
        if len(points) < 2:
            return None
        if known := await self._memory.recall(what, points):
            return known
        for each in careful:
            try:
                found = await each.ask(what, question)
            except Unavailable as error:
                log.warning("routing.failed", provider=each.provider.name, status=error.status)
            else:
                if found:
                    await self._memory.keep(what, points, found)
                    return found
        return None
