"""Days other than the sample's, shown by changing the server's messages."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

from fuel_app.preview.rules import Stop
from fuel_app.preview.state.day_route import in_driving_order

_STATE = "day_route_state"
_SUFFIX = "_rx_state_"


def day_with(stops: Sequence[Stop], **more: Any) -> dict[str, Any]:
    """Return the state of a day with these stops, driven to in straight lines."""
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
        own["view"] = [points[0]]
    return own | more


class DayProxy:
    """A proxy of the page's websocket that replaces the day's route from the next page on."""

    def __init__(self, page: Page, day: dict[str, Any]) -> None:
        self._day = {key + _SUFFIX: value for key, value in day.items()}
        self._state = self._prefix = ""  # of the server's messages
        page.route_web_socket(re.compile("_event"), self._connect)

    def push(self, **changes: Any) -> None:
        """Send the page changes that the server never sent."""
        delta = {self._state: {key + _SUFFIX: value for key, value in changes.items()}}
        self._socket.send(self._prefix + json.dumps(["event", {"delta": delta, "events": []}]))

    def _connect(self, socket: WebSocketRoute) -> None:
        self._socket = socket
        server = socket.connect_to_server()
        server.on_message(lambda message: socket.send(self._changed(str(message))))

    def _changed(self, message: str) -> str:
        prefix, bracket, body = message.partition("[")
        if _STATE not in body:
            return message
        self._prefix = prefix
        return prefix + json.dumps(json.loads(bracket + body, object_hook=self._replace))

    def _replace(self, part: dict[str, Any]) -> dict[str, Any]:
        for name, values in part.items():
            if name.endswith(_STATE):
                self._state = name
                values |= {key: self._day[key] for key in values.keys() & self._day.keys()}
        return part
