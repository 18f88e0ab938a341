"""An OSRM-compatible server: real roads, no traffic. https://project-osrm.org/docs/v26.4.0/api/"""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import chain
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

BLOCK = 50  # half of the 100 points that OSRM takes in a table by default
MOST_AT_ONCE = 4  # requests of one matrix
DRIVE_POINTS = 100


class OsrmRouting:
    name = "OSRM"
    estimated = True
    matrix_points = 500

    def __init__(self, address: str) -> None:
        self._client = httpx.AsyncClient(base_url=address, timeout=TIMEOUT)

    async def matrix(self, points: Sequence[Point], near_m: int) -> Matrix:
        blocks = [points[at : at + BLOCK] for at in range(0, len(points), BLOCK)]
        limit = asyncio.Semaphore(MOST_AT_ONCE)
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
        return joined([await self._piece(piece, near_m) for piece in pieces(points, DRIVE_POINTS)])

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
        with reading():
            starts = _have_roads(answer["sources"], rows, near_m)
            ends = _have_roads(answer["destinations"], columns, near_m)
            return [
                [
                    inf if cell is None or not (start and end) else number(cell)
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
        with reading():
            if not all(_have_roads(answer["waypoints"], points, near_m)):
                raise RouteFailed("NoSegment", "No road leads there.")
            route = answer["routes"][0]
            legs = [Leg.lasting(number(leg["duration"])) for leg in route["legs"]]
            line = tuple(on_earth(lat, lng) for lng, lat in route["geometry"]["coordinates"])
            return complete(Drive(tuple(legs), line, self.name, estimated=True), points)

    async def _ask(self, service: str, points: Sequence[Point], **options: str) -> Any:
        where = ";".join(f"{point.lng:.6f},{point.lat:.6f}" for point in points)
        path = f"/{service}/v1/driving/{where}"
        _, answer = await ask(self._client, "GET", path, params=options)
        with reading():
            code = str(answer["code"])
        if code != "Ok":
            raise failure(code)
        return answer


def _have_roads(
    snapped: Sequence[Mapping[str, Any]], points: Sequence[Point], near_m: int
) -> list[bool]:
    """Return of each point whether a road is near: OSRM snaps to the nearest, however far."""
    return [number(each["distance"]) < near_m for each, _ in zip(snapped, points, strict=True)]


def _indices(start: int, stop: int) -> str:
    return ";".join(map(str, range(start, stop)))
