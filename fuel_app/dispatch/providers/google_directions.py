"""Google's older Directions and Distance Matrix APIs, for keys that have those and not Routes.

Traffic is in its answers only where a drive has no points between its ends.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Any

from googlemaps.convert import decode_polyline
from googlemaps.exceptions import ApiError, HTTPError, Timeout, TransportError

from fuel_app.dispatch.providers.base import (
    Unavailable,
    complete,
    failure,
    joined,
    number,
    on_earth,
    pieces,
    reading,
    unreadable,
)
from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.problem import Matrix
from fuel_app.dispatch.rules.route import Drive, Leg
from fuel_app.kit.errors import RouteFailed

# Its lines hold whole addresses, and those hold the key.
logging.getLogger("urllib3").setLevel(logging.WARNING)

BETWEEN = 25  # points between the ends that one request may have
ELEMENTS = 100  # of a matrix in one request


class GoogleDirections:
    """The library blocks, so it runs in threads of its own."""

    name = "Google Maps"
    matrix_points = 25

    def __init__(self, client: Any) -> None:
        self._client = client
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="directions")

    async def matrix(self, points: Sequence[Point]) -> Matrix:
        every = list(points)
        rows = max(1, ELEMENTS // len(every))
        answers = [
            await self._ask(self._client.distance_matrix, every[at : at + rows], every)
            for at in range(0, len(every), rows)
        ]
        with reading():
            return tuple(
                tuple(_cell(cell) for cell in row["elements"])
                for answer in answers
                for row in answer["rows"]
            )

    async def drive(self, points: Sequence[Point]) -> Drive:
        return joined([await self._piece(piece) for piece in pieces(points, BETWEEN + 2)])

    async def shortest(self, points: Sequence[Point]) -> Drive | None:
        if len(points) > BETWEEN + 2:
            return None
        return await self._piece(points, reorder=True)

    async def _piece(self, points: Sequence[Point], *, reorder: bool = False) -> Drive:
        routes = await self._ask(
            self._client.directions,
            points[0],
            points[-1],
            waypoints=list(points[1:-1]) or None,
            optimize_waypoints=reorder,
        )
        if not routes:
            raise RouteFailed("ZERO_RESULTS")
        with reading():
            route = routes[0]
            live = all("duration_in_traffic" in leg for leg in route["legs"])
            line = decode_polyline(route["overview_polyline"]["points"])
            between = route["waypoint_order"] if reorder else ()
            drive = Drive(
                legs=tuple(map(_leg, route["legs"])),
                line=tuple(on_earth(point["lat"], point["lng"]) for point in line),
                provider=self.name,
                estimated=not live,
                order=(0, *(at + 1 for at in between), len(points) - 1) if reorder else (),
            )
            return complete(drive, points)

    async def _ask(self, question: Callable[..., Any], *args: Any, **more: Any) -> Any:
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._threads,
                lambda: question(*args, mode="driving", departure_time="now", **more),
            )
        except ApiError as error:  # its text may repeat what was asked
            raise failure(str(error.status)) from None
        except HTTPError as error:
            raise unreadable(error.status_code) from None
        except Timeout:
            raise Unavailable("TIMEOUT", passing=True) from None
        except TransportError:  # its text has the whole address, key included
            raise Unavailable("UNREACHABLE", passing=True) from None
        except (KeyError, TypeError, ValueError, AttributeError):  # not what it expects to read
            raise Unavailable("INVALID_RESPONSE", passing=False) from None


def _leg(leg: dict[str, Any]) -> Leg:
    lasts = leg.get("duration_in_traffic", leg["duration"])
    return Leg.lasting(number(lasts["value"]), number(leg["distance"]["value"]))


def _cell(cell: dict[str, Any]) -> float:
    if cell["status"] in {"ZERO_RESULTS", "NOT_FOUND", "MAX_ROUTE_LENGTH_EXCEEDED"}:
        return inf
    return number(cell.get("duration_in_traffic", cell["duration"])["value"])
