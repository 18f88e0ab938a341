"""The websocket's door: in comes what a page of ours sends, the rest is counted and dropped."""

import re
from collections import Counter
from urllib.parse import parse_qs

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuel_app.server.reflex.messages import MisfitError, checked

log = structlog.get_logger()

_TAB = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # as browsers name their tabs


class SocketDoor:
    """Lets no message reach the framework that it might stumble over.

    One line of the log for each connection that has sent such messages, however many there were:
    an error with its traceback for each would let any stranger fill the disk.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        if not _names_a_tab(scope):  # closing before accepting answers 403
            await send({"type": "websocket.close", "code": 1008})
            return
        dropped: Counter[str] = Counter()

        async def fitting() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                try:
                    return {**message, "text": checked(message.get("text"))}
                except MisfitError as misfit:
                    dropped[str(misfit)] += 1

        try:
            await self._app(scope, fitting, send)
        finally:
            if dropped:
                log.warning("websocket.dropped", messages=dict(dropped))


def _names_a_tab(scope: Scope) -> bool:
    """The name becomes part of the keys under which a tab is kept."""
    asked = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return _TAB.fullmatch(asked.get("token", [""])[0]) is not None
