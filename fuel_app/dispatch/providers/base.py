"""The protocol of routing providers, their failures, and the validation of their answers."""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import httpx

from fuel_app.areas.rules.places import Point, parse_position
from fuel_app.dispatch.rules.problem import Matrix
from fuel_app.dispatch.rules.route import Drive, Leg
from fuel_app.kit.errors import RouteFailed


class Routing(Protocol):
    """A routing provider.

    Args:
        near_m: A point has no road if the nearest one is so many meters away or more. Google has no
            such limit.

    Raises:
        RouteFailed: If the answer is that there is no such route.
        Unavailable: If there is no answer.
    """

    name: str
    matrix_points: int  # the most points of a matrix
    estimated: bool  # without live traffic

    async def matrix(self, points: Sequence[Point], near_m: int) -> Matrix:
        """Return the driving seconds from each point to each, `inf` where no road leads."""
        ...

    async def drive(self, points: Sequence[Point], near_m: int) -> Drive:
        """Drive through the points in this order."""
        ...


class Unavailable(Exception):  # noqa: N818 (a state, not a bug of ours)
    """A provider gave no usable answer. `status` is the provider's own word.

    Args:
        passing: True if a retry may succeed.
    """

    def __init__(self, status: str, *, passing: bool) -> None:
        super().__init__(status)
        self.status = status
        self.passing = passing


_MOST = 10**9  # seconds of a drive

# Statuses that are an answer: there is no such route.
NO_ROUTE = {"ZERO_RESULTS", "NOT_FOUND", "MAX_ROUTE_LENGTH_EXCEEDED", "NoRoute", "NoSegment"}

_STATUS = re.compile(r"[A-Za-z_]{1,40}")
BUSY = {"OVER_QUERY_LIMIT", "RESOURCE_EXHAUSTED", "UNKNOWN_ERROR", "UNAVAILABLE", "INTERNAL"}


def failure(status: str) -> RouteFailed | Unavailable:
    """Return the error for a provider's status."""
    if not _STATUS.fullmatch(status):  # it is shown to people
        return Unavailable("INVALID_RESPONSE", passing=False)
    if status in NO_ROUTE:
        return RouteFailed(status)
    return Unavailable(status, passing=status in BUSY)


@contextmanager
def reading() -> Iterator[None]:
    """Turn errors of parsing an answer into `Unavailable`."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
        raise Unavailable("INVALID_RESPONSE", passing=False) from None


def number(value: float | str) -> float:
    """Parse seconds."""
    found = float(value)
    if not 0 <= found <= _MOST:
        raise ValueError
    return found


def on_earth(lat: object, lng: object) -> Point:
    """Parse a point of a line."""
    point = parse_position(lat, lng)
    if point is None:
        raise ValueError
    return point


def complete(drive: Drive, points: Sequence[Point]) -> Drive:
    """Return the drive if it has a leg to each point."""
    if len(drive.legs) != len(points) - 1:
        raise ValueError
    return drive


def pieces(points: Sequence[Point], most: int) -> list[Sequence[Point]]:
    """Split a route into parts of at most so many points, each starting where the last ended."""
    return [points[at : at + most] for at in range(0, max(1, len(points) - 1), most - 1)]


def joined(drives: Sequence[Drive]) -> Drive:
    legs: list[Leg] = []
    line: list[Point] = []
    for drive in drives:
        legs += drive.legs
        line += drive.line[1:] if line and drive.line[:1] == (line[-1],) else drive.line
    estimated = any(drive.estimated for drive in drives)
    return Drive(tuple(legs), tuple(line), drives[0].provider, estimated)


# Its log lines hold URLs, and OSRM's URLs hold customers' positions.
logging.getLogger("httpx").setLevel(logging.WARNING)

TIMEOUT = httpx.Timeout(4, connect=2)  # seconds


async def ask(client: httpx.AsyncClient, method: str, address: str, **more: Any) -> tuple[int, Any]:
    """Return the HTTP status and the JSON of an answer.

    Raises:
        Unavailable: If there is no answer, or one that is not JSON.
    """
    try:
        answer = await client.request(method, address, **more)
    except httpx.TimeoutException:
        raise Unavailable("TIMEOUT", passing=True) from None
    except httpx.HTTPError:
        raise Unavailable("UNREACHABLE", passing=True) from None
    try:
        return answer.status_code, answer.json()
    except (ValueError, RecursionError):
        if (status := answer.status_code) == 200:
            raise Unavailable("INVALID_RESPONSE", passing=False) from None
        raise Unavailable(f"HTTP_{status}", passing=status >= 500 or status == 429) from None
