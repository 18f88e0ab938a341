"""A stand-in for the office that technicians' phones talk to, on a port of its own.

It serves the real page and plays the endpoints: it stores an action under the id that the phone has
made, does it once, and answers with the whole day.
"""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from socket import socket
from time import time
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from fuel_app import routes
from fuel_app.dispatch import http
from fuel_app.dispatch.rules.phones import WORDS
from fuel_app.kit import clock
from fuel_app.server.security import DefaultHeaders, security_headers
from fuel_app.settings import ROOT

AFTER = {
    "drive": "en_route",
    "arrive": "arrived",
    "fuel": "fueling",
    "complete": "completed",
    "fail": "failed",
}
BEFORE = {"en_route": "waiting", "arrived": "en_route", "fueling": "arrived"}
TODAY = clock.day_of(clock.now())
CANCELLED = "This stop was cancelled."
CAR = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkqPpfDwAE"
    "HAIAEu6RbgAAAABJRU5ErkJggg=="
)


def a_stop(number: int, **differs: Any) -> dict[str, Any]:
    return {
        **dict(id=f"stop-{number}", kind="fill", place=number, state="waiting", gone=""),
        **dict(customer=f"Customer {number}", phone="+19415550123", phone_text="(941) 555-0123"),
        **dict(car="Blue Toyota RAV4", plate=f"FL {number}23 XY", photo=CAR),
        **dict(address=f"{number}20 Gulf Dr, Sarasota, FL 34236", spot="Left side of the driveway"),
        **dict(navigate="https://www.google.com/maps/dir/?api=1", gate_code="#4711"),
        **dict(notes="The dog is friendly.", grade="Regular", fuel_door="Push to open"),
        **dict(
            grade_id="regular",
            covered="Up to 17.6 gallons are covered.",
            window="8–10 AM",  # noqa: RUF001
        ),
        **dict(
            expected=f"8:{number}5 AM",
            rest="Break 30 min, 8:20 AM" if number == 2 else "",
            tank_most=17_600,
            late_fee="$15.00",
            gallons="",
            can_correct=False,
        ),
        **dict(fill={"meter_start": "", "meter_end": "", "ticket": ""}, photos=0),
        **dict(tanks=[], load=None, cars=[], fill_id=f"fill-{number}", outcome=""),
    } | differs


def a_refill(number: int) -> dict[str, Any]:
    """Return a refill of a truck with regular gas and diesel."""
    tanks = [
        {"field": "loaded_regular", "grade": "Regular", "most": 300_000},
        {"field": "loaded_diesel", "grade": "Diesel", "most": 100_500},
    ]
    nothing = dict.fromkeys(("phone", "car", "plate", "photo", "grade", "grade_id", "window"), "")
    known = {"kind": "refill", "customer": "Refill", "tanks": tanks, "fill": None}
    return a_stop(number, **nothing, **known)


@dataclass
class Office:
    """The office: its stops by person, what phones have sent, and what goes wrong."""

    address: str = ""
    person: str = "dana"  # whose session the phone has; '' for none
    stops: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    heard: dict[str, dict[str, Any]] = field(default_factory=dict)  # by id, in order of arrival
    times: dict[str, int] = field(default_factory=dict)  # how often each was sent
    photos: dict[str, bytes] = field(default_factory=dict)
    status: int = 200  # of every endpoint
    lost_answers: int = 0  # of actions and photos: done, but the phone hears nothing
    page_status: int = 200
    positions: list[Any] = field(default_factory=list)
    as_of: float = 0  # seconds; 0 for now
    day: dict[str, Any] = field(default_factory=dict)  # what differs from a usual one
    devices: list[str] = field(default_factory=list)  # that show notifications
    push_key: str = ""

    @property
    def order(self) -> list[tuple[str, str]]:
        """Return stop and kind of all actions as they arrived."""
        return [(action["stop"], action["kind"]) for action in self.heard.values()]

    def stop(self, number: int) -> dict[str, Any]:
        return self.stops[self.person][number - 1]

    def today(self) -> dict[str, Any]:
        texts = {name.removeprefix("state_"): text for name, text in WORDS.items()}
        stops = self.stops.get(self.person, [])
        shown = [stop | {"state_text": texts[stop["state"]]} for stop in stops]
        return {
            **dict(person=self.person, as_of=int((self.as_of or time()) * 1000)),
            **dict(date=TODAY.isoformat(), title=f"{TODAY:%A, %B} {TODAY.day}"),
            **dict(state="published", message="" if stops else "Your route is not published yet."),
            **dict(home="https://www.google.com/maps/dir/?api=1", next_shift=""),
            **dict(truck="Truck 2", hours="7 AM–3 PM", can_send_position=bool(stops)),  # noqa: RUF001
            "stops": shown,
        } | self.day

    def hear(self, action: dict[str, Any]) -> str:
        """Do an action once. Return why it is refused."""
        self.times[action["id"]] = self.times.get(action["id"], 0) + 1
        if action["id"] in self.heard:
            return self.heard[action["id"]]["refused"]
        stop = next(s for s in self.stops[self.person] if s["id"] == action["stop"])
        kind, refused = action["kind"], CANCELLED if stop["state"] == "gone" else ""
        self.heard[action["id"]] = action | {"refused": refused, "person": self.person}
        if refused:
            return refused
        if kind == "photo":
            stop["photos"] += 1
        elif kind == "remove_photo":
            stop["photos"] -= 1
            self.photos.pop(action["data"]["photo"], None)
        elif kind == "back":
            stop["state"] = BEFORE[stop["state"]]
        elif kind in AFTER:
            stop["state"] = AFTER[kind]
        if any(name.startswith("loaded_") for name in action["data"]):
            stop.update(load=action["data"], can_correct=True)
        if "ticket" in action["data"]:
            stop.update(fill=action["data"], gallons="11.500", can_correct=True)
        return ""


@contextmanager
def technicians_office() -> Iterator[Office]:
    """Serve the page and the endpoints until the block ends."""
    office = Office(stops={"dana": [a_stop(number) for number in range(1, 6)]})

    def refused(request: Request) -> Response | None:
        if office.status != 200:
            return Response(status_code=office.status)
        return None if office.person else Response("Please sign in.", 401)

    async def day(request: Request) -> Response:
        return refused(request) or JSONResponse(office.today())

    async def actions(request: Request) -> Response:
        if answer := refused(request):
            return answer
        sent = await request.json()
        if sent["person"] != office.person:
            return Response(status_code=403)
        heard = [{"id": each["id"], "refused": office.hear(each)} for each in sent["actions"]]
        return _lost() or JSONResponse({"heard": heard, "day": office.today()})

    async def photo(request: Request) -> Response:
        if answer := refused(request):
            return answer
        photo_id = request.path_params["photo_id"]
        if photo_id not in office.heard:
            return Response(status_code=404)
        office.photos[photo_id] = await request.body()
        return _lost() or Response(status_code=204)

    def _lost() -> Response | None:
        office.lost_answers -= 1
        return Response(status_code=502) if office.lost_answers >= 0 else None

    async def position(request: Request) -> Response:
        office.positions.append(await request.json())
        return Response(status_code=204)

    async def devices(request: Request) -> Response:
        if request.method == "GET":
            return JSONResponse({"key": office.push_key, "endpoints": office.devices})
        endpoint = (await request.json())["endpoint"]
        office.devices = [endpoint] if request.method == "POST" else []
        return Response(status_code=204)

    async def leave(_request: Request) -> Response:
        office.person = ""
        return RedirectResponse(routes.HOME, 303)

    async def home(_request: Request) -> Response:
        return HTMLResponse("<!DOCTYPE html><title>Home</title><h1>Home</h1>")

    async def page(request: Request) -> Response:
        broken = Response(status_code=office.page_status)
        return broken if office.page_status != 200 else await http.page(request)

    app = Starlette(
        routes=[
            Route(routes.DRIVE, page),
            Route(routes.TECHNICIAN_WORKER, http.worker),
            Route(routes.TECHNICIAN_MANIFEST, http.manifest),
            Route(routes.TECHNICIAN_DAY, day),
            Route(routes.TECHNICIAN_ACTIONS, actions, methods=["POST"]),
            Route(routes.TECHNICIAN_PHOTO_PATTERN, photo, methods=["PUT"]),
            Route(routes.TECHNICIAN_POSITION, position, methods=["POST"]),
            Route(routes.PUSH_DEVICES, devices, methods=["GET", "POST", "DELETE"]),
            Route(routes.SIGN_OUT, leave, methods=["POST"]),
            Route(routes.HOME, home),
            Mount("/", StaticFiles(directory=ROOT / "assets")),
        ]
    )
    headers = security_headers()
    served = DefaultHeaders(app, lambda _path, _answer: headers)
    with closing(socket()) as listening:
        listening.bind(("127.0.0.1", 0))
        office.address = f"http://localhost:{listening.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(served, log_level="critical", lifespan="off"))
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        running.start()
        try:
            yield office
        finally:
            server.should_exit = server.force_exit = True
            running.join()
