"""Routing by Google or an OSRM-compatible server: retries, circuit breakers, a cache.

Google's Routes API knows live traffic: https://developers.google.com/maps/documentation/routes.
OSRM knows real roads without traffic: https://project-osrm.org/docs/v26.4.0/api/. Where neither
answers, or none is set up, times are the offline estimate's. Answers are validated.
"""

import asyncio
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain
from math import inf
from typing import Any, Protocol

import httpx
import structlog
from cachetools import TTLCache
from circuitbreaker import CircuitBreaker
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from fuel_app.areas.rules.places import Point, parse_position
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.rules.day_plan import Matrix
from fuel_app.dispatch.rules.drives import Drive, Leg
from fuel_app.kit.errors import RouteFailed
from fuel_app.kit.metrics import provider_call
from fuel_app.settings import settings


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


_DRIVE_S_MAX = 10**9  # seconds of a drive

# Statuses that are an answer: there is no such route.
NO_ROUTE = {"ZERO_RESULTS", "NOT_FOUND", "MAX_ROUTE_LENGTH_EXCEEDED", "NoRoute", "NoSegment"}

_STATUS = re.compile(r"[A-Za-z_]{1,40}")
BUSY = {"OVER_QUERY_LIMIT", "RESOURCE_EXHAUSTED", "UNKNOWN_ERROR", "UNAVAILABLE", "INTERNAL"}


def error_of(status: str) -> RouteFailed | Unavailable:
    """Return the error for a provider's status."""
    if not _STATUS.fullmatch(status):  # it is shown to people
        return Unavailable("INVALID_RESPONSE", passing=False)
    if status in NO_ROUTE:
        return RouteFailed(status)
    return Unavailable(status, passing=status in BUSY)


@contextmanager
def parsing() -> Iterator[None]:
    """Turn errors of parsing an answer into `Unavailable`."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
        raise Unavailable("INVALID_RESPONSE", passing=False) from None


def parse_seconds(value: float | str) -> float:
    """Parse seconds."""
    found = float(value)
    if not 0 <= found <= _DRIVE_S_MAX:
        raise ValueError
    return found


def parse_point(lat: object, lng: object) -> Point:
    """Parse a point of a line."""
    point = parse_position(lat, lng)
    if point is None:
        raise ValueError
    return point


def check_legs(drive: Drive, points: Sequence[Point]) -> Drive:
    """Return the drive if it has a leg to each point."""
    if len(drive.legs) != len(points) - 1:
        raise ValueError
    return drive


def split_points(points: Sequence[Point], most: int) -> list[Sequence[Point]]:
    """Split a route into parts of at most so many points, each starting where the last ended."""
    return [points[at : at + most] for at in range(0, max(1, len(points) - 1), most - 1)]


def join_drives(drives: Sequence[Drive]) -> Drive:
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


async def request_json(
    client: httpx.AsyncClient, method: str, address: str, **more: Any
) -> tuple[int, Any]:
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


GOOGLE_BETWEEN = 25  # points between the ends that one request may have
GOOGLE_DRIVE = "https://routes.googleapis.com/directions/v2:computeRoutes"
GOOGLE_MATRIX = "https://routes.googleapis.com/distanceMatrix/v2:computeRouteMatrix"
GOOGLE_DRIVE_FIELDS = "routes.legs.duration,routes.polyline.encodedPolyline"
GOOGLE_MATRIX_FIELDS = "originIndex,destinationIndex,duration,condition"


class GoogleRoutes:
    """Each element of a matrix is billed: no more than one request's worth is asked for.

    `near_m` is not kept: Google snaps each point to its nearest road, takes no limit for that, and
    of a matrix does not say where the road is. Checked for drives alone, a plan could have stops
    that no drive leads to.
    """

    name = "Google Maps"
    matrix_points = 25  # 625 elements
    estimated = False

    def __init__(self, key: str, drive: str = GOOGLE_DRIVE, matrix: str = GOOGLE_MATRIX) -> None:
        self._client = httpx.AsyncClient(headers={"X-Goog-Api-Key": key}, timeout=TIMEOUT)
        self._drive, self._matrix = drive, matrix

    async def matrix(self, points: Sequence[Point], near_m: int) -> Matrix:
        ends = [{"waypoint": _google_waypoint(point)} for point in points]
        answer = await self._ask(
            self._matrix, GOOGLE_MATRIX_FIELDS, origins=ends, destinations=ends
        )
        with parsing():
            found = {
                (cell.get("originIndex", 0), cell.get("destinationIndex", 0)): (
                    _google_seconds(cell) if cell["condition"] == "ROUTE_EXISTS" else inf
                )
                for cell in answer
            }
            every = range(len(points))
            return tuple(tuple(found[row, column] for column in every) for row in every)

    async def drive(self, points: Sequence[Point], near_m: int) -> Drive:
        return join_drives(
            [await self._piece(piece) for piece in split_points(points, GOOGLE_BETWEEN + 2)]
        )

    async def _piece(self, points: Sequence[Point]) -> Drive:
        answer = await self._ask(
            self._drive,
            GOOGLE_DRIVE_FIELDS,
            origin=_google_waypoint(points[0]),
            destination=_google_waypoint(points[-1]),
            intermediates=[_google_waypoint(point) for point in points[1:-1]],
            polylineQuality="OVERVIEW",
        )
        if not answer:
            raise RouteFailed("ZERO_RESULTS")
        with parsing():
            route = answer["routes"][0]
            legs = tuple(Leg.lasting(_google_seconds(leg)) for leg in route["legs"])
            line = decode_line(route["polyline"]["encodedPolyline"])
            return check_legs(Drive(legs, line, self.name), points)

    async def _ask(self, address: str, fields: str, **body: Any) -> Any:
        status, answer = await request_json(
            self._client,
            "POST",
            address,
            headers={"X-Goog-FieldMask": fields},
            json={"travelMode": "DRIVE", "routingPreference": "TRAFFIC_AWARE", **body},
        )
        if status != 200:
            with parsing():
                error = answer[0] if isinstance(answer, list) else answer
                raise error_of(str(error["error"]["status"]))
        return answer


def decode_line(line: str) -> tuple[Point, ...]:
    """Decode a line of Google's polyline algorithm.

    https://developers.google.com/maps/documentation/utilities/polylinealgorithm

    Raises:
        ValueError: If it is none, or leaves the earth.
    """
    numbers: list[int] = []
    value = shift = 0
    for byte in line.encode("ascii"):
        value |= (byte - 63 & 0x1F) << shift
        shift += 5
        if byte < 0x5F:  # the number's last one
            numbers.append(~(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    if shift or len(numbers) % 2:
        raise ValueError
    lats, lngs = accumulate(numbers[::2]), accumulate(numbers[1::2])
    return tuple(parse_point(lat / 1e5, lng / 1e5) for lat, lng in zip(lats, lngs, strict=True))


def _google_seconds(timed: dict[str, Any]) -> float:
    return parse_seconds(str(timed["duration"]).removesuffix("s"))


def _google_waypoint(point: Point) -> dict[str, Any]:
    return {"location": {"latLng": {"latitude": point.lat, "longitude": point.lng}}}


OSRM_BLOCK = 50  # half of the 100 points that OSRM takes in a table by default
OSRM_MOST_AT_ONCE = 4  # requests of one matrix
OSRM_DRIVE_POINTS = 100


class OsrmRouting:
    name = "OSRM"
    estimated = True
    matrix_points = 500

    def __init__(self, address: str) -> None:
        self._client = httpx.AsyncClient(base_url=address, timeout=TIMEOUT)

    async def matrix(self, points: Sequence[Point], near_m: int) -> Matrix:
        blocks = [points[at : at + OSRM_BLOCK] for at in range(0, len(points), OSRM_BLOCK)]
        limit = asyncio.Semaphore(OSRM_MOST_AT_ONCE)
        asking = (
            self._block(limit, rows, columns, near_m) for rows in blocks for columns in blocks
        )
        answers = await asyncio.gather(*asking)
        across = len(blocks)
        return tuple(
            tuple(chain.from_iterable(parts))
            for at in range(0, len(answers), across)
            for parts in zip(*answers[at : at + across], strict=True)
        )

    async def drive(self, points: Sequence[Point], near_m: int) -> Drive:
        return join_drives(
            [await self._piece(piece, near_m) for piece in split_points(points, OSRM_DRIVE_POINTS)]
        )

    async def _block(
        self,
        limit: asyncio.Semaphore,
        rows: Sequence[Point],
        columns: Sequence[Point],
        near_m: int,
    ) -> list[list[float]]:
        among = len(rows)
        both = [*rows, *columns]
        async with limit:
            answer = await self._ask(
                "table", both, sources=_indices(0, among), destinations=_indices(among, len(both))
            )
        with parsing():
            starts = _have_roads(answer["sources"], rows, near_m)
            ends = _have_roads(answer["destinations"], columns, near_m)
            return [
                [
                    inf if cell is None or not (start and end) else parse_seconds(cell)
                    for cell, end in zip(row, ends, strict=True)
                ]
                for row, start in zip(answer["durations"], starts, strict=True)
            ]

    async def _piece(self, points: Sequence[Point], near_m: int) -> Drive:
        answer = await self._ask(
            "route",
            points,
            overview="simplified",
            geometries="geojson",
            # The truck may turn at a stop, as in a table: else legs are up to a third longer.
            continue_straight="false",
        )
        with parsing():
            if not all(_have_roads(answer["waypoints"], points, near_m)):
                raise RouteFailed("NoSegment", "No road leads there.")
            route = answer["routes"][0]
            legs = [Leg.lasting(parse_seconds(leg["duration"])) for leg in route["legs"]]
            line = tuple(parse_point(lat, lng) for lng, lat in route["geometry"]["coordinates"])
            return check_legs(Drive(tuple(legs), line, self.name, estimated=True), points)

    async def _ask(self, service: str, points: Sequence[Point], **options: str) -> Any:
        where = ";".join(f"{point.lng:.6f},{point.lat:.6f}" for point in points)
        path = f"/{service}/v1/driving/{where}"
        _, answer = await request_json(self._client, "GET", path, params=options)
        with parsing():
            code = str(answer["code"])
        if code != "Ok":
            raise error_of(code)
        return answer


def _have_roads(
    snapped: Sequence[Mapping[str, Any]], points: Sequence[Point], near_m: int
) -> list[bool]:
    """Return of each point whether a road is near: OSRM snaps to the nearest, however far."""
    return [
        parse_seconds(each["distance"]) < near_m for each, _ in zip(snapped, points, strict=True)
    ]


def _indices(start: int, stop: int) -> str:
    return ";".join(map(str, range(start, stop)))


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
            Unavailable: If the provider does not answer, or the circuit breaker is open.
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
