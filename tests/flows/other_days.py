"""Days other than the sample's, shown by changing the server's messages."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

from fuel_app.dispatch.rules.route import Stop
from fuel_app.dispatch.state import in_driving_order

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


@dataclass
class Told:
    """A proxy of the websocket that replaces the day's route."""

    day: dict[str, Any]
    page: WebSocketRoute | None = None
    state: str = ""  # as messages name it
    head: str = ""  # of each message

    def hear(self, message: str) -> str:
        """Return a message of the server with the day replaced."""
        head, bracket, body = message.partition("[")
        if _STATE not in body:
            return message
        self.head = head
        packet = json.loads(bracket + body)
        self._replace(packet)
        return head + json.dumps(packet)

    def say(self, **changes: Any) -> None:
        """Send the page changes that the server never sent."""
        assert self.page
        delta = {self.state: {key + _SUFFIX: value for key, value in changes.items()}}
        self.page.send(self.head + json.dumps(["event", {"delta": delta, "events": []}]))

    def _replace(self, part: Any) -> None:
        if isinstance(part, list):
            for each in part:
                self._replace(each)
        elif isinstance(part, dict):
            for name, value in part.items():
                if name.endswith(_STATE):
                    self.state = name
                    day = {key + _SUFFIX: told for key, told in self.day.items()}
                    value |= {key: told for key, told in day.items() if key in value}
                else:
                    self._replace(value)


def told(page: Page, day: dict[str, Any]) -> Told:
    """Show this day from the next page on."""
    between = Told(day)

    def connect(socket: WebSocketRoute) -> None:
        between.page = socket
        server = socket.connect_to_server()
        server.on_message(lambda message: socket.send(between.hear(str(message))))

    page.route_web_socket(re.compile("_event"), connect)
    return between
