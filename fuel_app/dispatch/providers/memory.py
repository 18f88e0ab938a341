"""What was answered lately: traffic is another after five minutes, and each question may cost."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Protocol

import structlog
from cachetools import TTLCache
from pydantic import ConfigDict, TypeAdapter, ValidationError
from redis.asyncio import Redis
from redis.exceptions import RedisError

from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.problem import Matrix
from fuel_app.dispatch.rules.route import Drive

log = structlog.get_logger()

Found = Drive | Matrix

REMEMBERED = 200_000  # numbers, which is some 10 MB
FRESH_S = 300
_PREFIX = "fuel:routing:"
# A matrix says 'no road' by infinity.
_text: TypeAdapter[Found] = TypeAdapter(Found, config=ConfigDict(ser_json_inf_nan="constants"))


class Memory(Protocol):
    async def recall(self, what: str, points: Sequence[Point]) -> Any:
        """The answer to this question, or None."""
        ...

    async def keep(self, what: str, points: Sequence[Point], found: Found) -> None: ...


class OwnMemory:
    """For a process that is alone."""

    def __init__(self) -> None:
        self._recent: TTLCache[Any, Found] = TTLCache(REMEMBERED, FRESH_S, getsizeof=_numbers)

    async def recall(self, what: str, points: Sequence[Point]) -> Any:
        return self._recent.get((what, *points))

    async def keep(self, what: str, points: Sequence[Point], found: Found) -> None:
        if _numbers(found) <= self._recent.maxsize:
            self._recent[(what, *points)] = found


class SharedMemory:
    """For several processes: what one has asked, the others know."""

    def __init__(self, connections: Redis) -> None:
        self._redis = connections

    async def recall(self, what: str, points: Sequence[Point]) -> Any:
        try:
            text = await self._redis.get(_key(what, points))
            return text and _text.validate_json(text)
        except (RedisError, OSError):  # then it is asked again
            log.exception("routing.memory_unavailable")
        except ValidationError:
            log.warning("routing.memory_of_another_release")
        return None

    async def keep(self, what: str, points: Sequence[Point], found: Found) -> None:
        if _numbers(found) > REMEMBERED:
            return
        try:
            await self._redis.set(_key(what, points), _text.dump_json(found), ex=FRESH_S)
        except (RedisError, OSError):
            log.exception("routing.memory_unavailable")


def _key(what: str, points: Sequence[Point]) -> str:
    return _PREFIX + hashlib.sha256(json.dumps([what, *points]).encode()).hexdigest()


def _numbers(found: Found) -> int:
    """How many numbers an answer holds."""
    if isinstance(found, Drive):
        return 3 * len(found.legs) + 2 * len(found.line)
    return len(found) ** 2
