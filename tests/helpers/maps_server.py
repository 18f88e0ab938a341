"""A local server that plays Google's Routes and Places APIs and OSRM in their documented shapes.

It answers with the offline estimate until a test sets other answers.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.providers.offline import road_meters, seconds

UNREACHABLE = Point(27.49, -82.71)  # Anna Maria, as if its bridges were gone
AT_SEA = Point(27.2, -82.85)  # in the Gulf, far from all roads
TURNING = 1.2  # of a leg's time, where a truck has to drive on from a stop the way it came


@dataclass
class Answer:
    """An answer that a test has set."""

    status: int
    body: bytes


@dataclass
class Maps:
    """The server with the requests that it got and its next answers."""

    address: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    next: list[Answer] = field(default_factory=list)  # the last one is repeated
    # No answer until it is cleared.
    unresponsive: threading.Event = field(default_factory=threading.Event)
    heard_out: threading.Event = field(default_factory=threading.Event)

    def say(self, body: Any, *, status: int = 200) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.next.append(Answer(status, raw))


@contextmanager
def maps_server() -> Iterator[Maps]:
    maps = Maps()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(parse_qs(urlsplit(self.path).query))

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, question: dict[str, Any]) -> None:
            path = urlsplit(self.path).path
            maps.asked.append({"path": path, "headers": dict(self.headers), **question})
            if maps.unresponsive.is_set():
                maps.heard_out.wait(10)
                return
            said = maps.next.pop(0) if len(maps.next) > 1 else next(iter(maps.next), None)
            said = said or Answer(200, json.dumps(truth(path, question)).encode())
            self.send_response(said.status)
            self.send_header("Content-Length", str(len(said.body)))
            self.end_headers()
            self.wfile.write(said.body)

        def log_message(self, format: str, *args: Any) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    maps.address = f"http://127.0.0.1:{server.server_port}"
    running = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    running.start()
    try:
        yield maps
    finally:
        maps.heard_out.set()
        server.shutdown()
        server.server_close()
        running.join()


@pytest.fixture
def maps() -> Iterator[Maps]:
    with maps_server() as server:
        yield server


def truth(path: str, question: dict[str, Any]) -> Any:
    match path.split("/"):
        case ["", "directions", _]:
            return _compute_routes(question)
        case ["", "distanceMatrix", _]:
            return _compute_matrix(question)
        case ["", "v1", "places:autocomplete"]:
            found = f"1 Main Street, {question['input'].title()}, FL, USA"
            return {"suggestions": [{"placePrediction": {"text": {"text": found}}}]}
        case ["", "route", "v1", "driving", where]:
            return _osrm_route(_lng_lat(where), question)
        case ["", "table", "v1", "driving", where]:
            return _osrm_table(_lng_lat(where), question)
    raise AssertionError(path)


def _legs(points: list[Point]) -> list[tuple[float, float]]:
    roads = [road_meters(a, b) for a, b in pairwise(points)]
    return [(seconds(meters), meters) for meters in roads]


def _is_road(a: Point, b: Point) -> bool:
    return a == b or UNREACHABLE not in (a, b)


# Google's Routes API


def _compute_routes(question: dict[str, Any]) -> Any:
    ends = [question["origin"], *question["intermediates"], question["destination"]]
    points = [_lat_lng(end) for end in ends]
    if UNREACHABLE in points:
        return {}
    route: dict[str, Any] = {}
    # Like all of Google's newer answers, it leaves out what is zero.
    route["legs"] = [
        {"duration": f"{lasts:.0f}s"} | ({"distanceMeters": round(far)} if far else {})
        for lasts, far in _legs(points)
    ]
    route["polyline"] = {"encodedPolyline": encode_polyline(points)}
    return {"routes": [route]}


def _compute_matrix(question: dict[str, Any]) -> Any:
    rows = [_lat_lng(end["waypoint"]) for end in question["origins"]]
    columns = [_lat_lng(end["waypoint"]) for end in question["destinations"]]
    cells = []
    for row, a in enumerate(rows):
        for column, b in enumerate(columns):
            cell = {"originIndex": row, "destinationIndex": column, "status": {}}
            if _is_road(a, b):
                lasts = seconds(road_meters(a, b))
                cells.append(cell | {"duration": f"{lasts:.0f}s", "condition": "ROUTE_EXISTS"})
            else:
                cells.append(cell | {"condition": "ROUTE_NOT_FOUND"})
    return cells[::-1]  # in no particular order, as documented


def _lat_lng(end: dict[str, Any]) -> Point:
    where = end["location"]["latLng"]
    return Point(where["latitude"], where["longitude"])


def encode_polyline(points: list[Point]) -> str:
    """Encode a line by Google's polyline algorithm."""
    text, before = [], (0, 0)
    for point in points:
        now = (round(point.lat * 1e5), round(point.lng * 1e5))
        for value, last in zip(now, before, strict=True):
            left = value - last
            left = ~(left << 1) if left < 0 else left << 1
            while left >= 0x20:
                text.append(chr((0x20 | left & 0x1F) + 63))
                left >>= 5
            text.append(chr(left + 63))
        before = now
    return "".join(text)


# OSRM


def _osrm_route(points: list[Point], question: dict[str, Any]) -> Any:
    if UNREACHABLE in points:
        return {"code": "NoRoute", "message": "Impossible route between points"}
    turns = question.get("continue_straight") == ["false"]  # the car's profile says otherwise
    legs = [
        {"duration": lasts * (1 if turns or not number else TURNING), "distance": far}
        for number, (lasts, far) in enumerate(_legs(points))
    ]
    line = {"type": "LineString", "coordinates": [[lng, lat] for lat, lng in points]}
    return {
        "code": "Ok",
        "routes": [{"legs": legs, "geometry": line}],
        "waypoints": _snapped(points),
    }


def _osrm_table(points: list[Point], question: dict[str, Any]) -> Any:
    sides = ("sources", "destinations")
    rows, columns = (
        [points[int(index)] for index in question[side][0].split(";")] for side in sides
    )
    durations = [
        [seconds(road_meters(a, b)) if _is_road(a, b) else None for b in columns] for a in rows
    ]
    snapped = {side: _snapped(ends) for side, ends in zip(sides, (rows, columns), strict=True)}
    return {"code": "Ok", "durations": durations, **snapped}


def _snapped(points: list[Point]) -> list[dict[str, Any]]:
    """Return the nearest place on a road to each point, and how far away it is."""
    return [
        {"distance": 3_750.0 if point == AT_SEA else 12.5, "location": [point.lng, point.lat]}
        for point in points
    ]


def _lng_lat(where: str) -> list[Point]:
    pairs = (pair.split(",") for pair in where.split(";"))
    return [Point(float(lat), float(lng)) for lng, lat in pairs]
