"""What a routing provider is, how one can fail, and how answers are read with due mistrust."""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import httpx

from fuel_app.dispatch.rules.geography import Point, position
from fuel_app.dispatch.rules.problem import Matrix
from fuel_app.dispatch.rules.route import Drive, Leg
from fuel_app.kit.errors import RouteFailed


class Routing(Protocol):
    async def matrix(self, points: Sequence[Point]) -> Matrix:
        """Driving seconds from each point to each, `inf` where no road leads.

        Raises:
            Unavailable: If there is no answer.
        """
        ...

    async def drive(self, points: Sequence[Point]) -> Drive:
        """Drive through the points in this order.

        Raises:
            RouteFailed: If the answer is that there is no such route.
            Unavailable: If there is no answer.
        """
        ...

    async def shortest(self, points: Sequence[Point]) -> Drive | None:
        """Drive from the first point to the last, the others in the provider's own best order.

        Returns:
            A drive with its `order`, or None from a provider that does not order points.

        Raises:
            RouteFailed: If the answer is that there is no such route.
            Unavailable: If there is no answer.
        """
        ...


class Unavailable(Exception):  # noqa: N818 (a state of somebody else's, said as such)
    """A provider gave no answer that can be used. `status` is in the provider's own words.

    Args:
        passing: Whether the same question may be answered in a moment.
    """

    def __init__(self, status: str, *, passing: bool) -> None:
        super().__init__(status)
        self.status = status
        self.passing = passing


class RemoteRouting(Routing, Protocol):
    name: str
    matrix_points: int  # for how many points a matrix may be asked


_MOST = 10**9  # seconds or meters; no drive is longer

# What providers call it when they have looked, and there is no such route.
NO_ROUTE = {"ZERO_RESULTS", "NOT_FOUND", "MAX_ROUTE_LENGTH_EXCEEDED", "NoRoute", "NoSegment"}

_STATUS = re.compile(r"[A-Za-z_]{1,40}")
BUSY = {"OVER_QUERY_LIMIT", "RESOURCE_EXHAUSTED", "UNKNOWN_ERROR", "UNAVAILABLE", "INTERNAL"}


def failure(status: str) -> RouteFailed | Unavailable:
    """What it means that a provider has answered with this status."""
    if not _STATUS.fullmatch(status):  # it is shown to people
        return Unavailable("INVALID_RESPONSE", passing=False)
    if status in NO_ROUTE:
        return RouteFailed(status)
    return Unavailable(status, passing=status in BUSY)


@contextmanager
def reading() -> Iterator[None]:
    """Around the reading of an answer: one that does not have the documented shape is none."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
        raise Unavailable("INVALID_RESPONSE", passing=False) from None


def number(value: float | str) -> float:
    """A number of seconds or meters as it may be; others are nonsense."""
    found = float(value)
    if not 0 <= found <= _MOST:
        raise ValueError
    return found


def on_earth(lat: object, lng: object) -> Point:
    """A point of a line as it may be drawn."""
    point = position(lat, lng)
    if point is None:
        raise ValueError
    return point


def complete(drive: Drive, points: Sequence[Point]) -> Drive:
    """The drive, if it leads through all the points."""
    order = drive.order or tuple(range(len(points)))
    if len(drive.legs) != len(points) - 1 or sorted(order) != list(range(len(points))):
        raise ValueError
    return drive


def pieces(points: Sequence[Point], most: int) -> list[Sequence[Point]]:
    """Parts of a route of at most so many points, each beginning where the one before ends."""
    return [points[at : at + most] for at in range(0, max(1, len(points) - 1), most - 1)]


def joined(drives: Sequence[Drive]) -> Drive:
    legs: list[Leg] = []
    line: list[Point] = []
    for drive in drives:
        legs += drive.legs
        line += drive.line[1:] if line and drive.line[:1] == (line[-1],) else drive.line
    estimated = any(drive.estimated for drive in drives)
    return Drive(tuple(legs), tuple(line), drives[0].provider, estimated)


# Its lines hold whole addresses, and those hold where customers live.
logging.getLogger("httpx").setLevel(logging.WARNING)

PATIENCE = httpx.Timeout(4, connect=2)  # seconds


async def ask(client: httpx.AsyncClient, method: str, address: str, **more: Any) -> tuple[int, Any]:
    """The HTTP status and the JSON of an answer.

    Raises:
        Unavailable: If nothing comes, or nothing that is JSON.
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
        raise unreadable(answer.status_code) from None


def unreadable(status: int) -> Unavailable:
    """What it means that an answer with this HTTP status says nothing else."""
    if status == 200:
        return Unavailable("INVALID_RESPONSE", passing=False)
    return Unavailable(f"HTTP_{status}", passing=status >= 500 or status == 429)
