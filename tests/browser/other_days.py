"""Days that the sample is not: the screen is told of other stops than the server has."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

from fuel_app.domain.routing import Stop
from fuel_app.states.route_stop import in_driving_order

_STATE = re.compile(r"day_route_state$")
_SUFFIX = "_rx_state_"


def day_with(stops: Sequence[Stop], **more: Any) -> dict[str, Any]:
    """What the screen is told of these stops, driven to in straight lines."""
    shown = [asdict(stop) for stop in in_driving_order(stops, None)]
    points = [(stop.lat, stop.lng) for stop in stops]
    own: dict[str, Any] = {
        "stops": shown,
        "by_time": sorted(shown, key=lambda stop: stop["number"]),
        "stop_ids": [stop.id for stop in stops],
        "line": points,
        "left_out": [],
        "error": "",
    }
    if points:
        own["centre"] = points[0]
    return own | more


def told(page: Page, day: dict[str, Any]) -> None:
    """From the next page on, this is the day's route, whatever the server says of it."""

    def between(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: socket.send(_replaced(str(message), day)))

    page.route_web_socket(re.compile("_event"), between)


def _replaced(message: str, day: dict[str, Any]) -> str:
    head, bracket, body = message.partition("[")
    if "day_route_state" not in body:
        return message
    packet = json.loads(bracket + body)
    _replace(packet, day)
    return head + json.dumps(packet)


def _replace(part: Any, day: dict[str, Any]) -> None:
    if isinstance(part, list):
        for each in part:
            _replace(each, day)
    elif isinstance(part, dict):
        for name, value in part.items():
            if _STATE.search(name):
                value |= {key + _SUFFIX: day[key] for key in day if key + _SUFFIX in value}
            else:
                _replace(value, day)
