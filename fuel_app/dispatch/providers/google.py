"""Google's Routes API: live traffic. https://developers.google.com/maps/documentation/routes"""

from collections.abc import Sequence
from itertools import accumulate
from math import inf
from typing import Any

import httpx

from fuel_app.dispatch.providers.base import (
    TIMEOUT,
    ask,
    complete,
    failure,
    joined,
    number,
    on_earth,
    pieces,
    reading,
)
from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.problem import Matrix
from fuel_app.dispatch.rules.route import Drive, Leg
from fuel_app.kit.errors import RouteFailed

BETWEEN = 25  # points between the ends that one request may have
DRIVE = "https://routes.googleapis.com/directions/v2:computeRoutes"
MATRIX = "https://routes.googleapis.com/distanceMatrix/v2:computeRouteMatrix"
DRIVE_FIELDS = "routes.legs.duration,routes.polyline.encodedPolyline"
MATRIX_FIELDS = "originIndex,destinationIndex,duration,condition"


class GoogleRoutes:
    """Each element of a matrix is billed: no more than one request's worth is asked for.

    `near_m` is not kept: Google snaps each point to its nearest road, takes no limit for that, and
    of a matrix does not say where the road is. Checked for drives alone, a plan could have stops
    that no drive leads to.
    """

    name = "Google Maps"
    matrix_points = 25  # 625 elements
    estimated = False

    def __init__(self, key: str, drive: str = DRIVE, matrix: str = MATRIX) -> None:
        self._client = httpx.AsyncClient(headers={"X-Goog-Api-Key": key}, timeout=TIMEOUT)
        self._drive, self._matrix = drive, matrix

    async def matrix(self, points: Sequence[Point], near_m: int) -> Matrix:
        ends = [{"waypoint": _waypoint(point)} for point in points]
        answer = await self._ask(self._matrix, MATRIX_FIELDS, origins=ends, destinations=ends)
        with reading():
            found = {
                (cell.get("originIndex", 0), cell.get("destinationIndex", 0)): (
                    _seconds(cell) if cell["condition"] == "ROUTE_EXISTS" else inf
                )
                for cell in answer
            }
            every = range(len(points))
            return tuple(tuple(found[row, column] for column in every) for row in every)

    async def drive(self, points: Sequence[Point], near_m: int) -> Drive:
        return joined([await self._piece(piece) for piece in pieces(points, BETWEEN + 2)])

    async def _piece(self, points: Sequence[Point]) -> Drive:
        answer = await self._ask(
            self._drive,
            DRIVE_FIELDS,
            origin=_waypoint(points[0]),
            destination=_waypoint(points[-1]),
            intermediates=[_waypoint(point) for point in points[1:-1]],
            polylineQuality="OVERVIEW",
        )
        if not answer:
            raise RouteFailed("ZERO_RESULTS")
        with reading():
            route = answer["routes"][0]
            legs = tuple(Leg.lasting(_seconds(leg)) for leg in route["legs"])
            line = decoded(route["polyline"]["encodedPolyline"])
            return complete(Drive(legs, line, self.name), points)

    async def _ask(self, address: str, fields: str, **body: Any) -> Any:
        status, answer = await ask(
            self._client,
            "POST",
            address,
            headers={"X-Goog-FieldMask": fields},
            json={"travelMode": "DRIVE", "routingPreference": "TRAFFIC_AWARE", **body},
        )
        if status != 200:
            with reading():
                error = answer[0] if isinstance(answer, list) else answer
                raise failure(str(error["error"]["status"]))
        return answer


def decoded(line: str) -> tuple[Point, ...]:
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
    return tuple(on_earth(lat / 1e5, lng / 1e5) for lat, lng in zip(lats, lngs, strict=True))


def _seconds(timed: dict[str, Any]) -> float:
    return number(str(timed["duration"]).removesuffix("s"))


def _waypoint(point: Point) -> dict[str, Any]:
    return {"location": {"latLng": {"latitude": point.lat, "longitude": point.lng}}}
