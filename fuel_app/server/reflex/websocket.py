"""The websocket's guard and limits: only messages that a page of ours could send reach Reflex.

uvicorn has no settings for a connection's time and memory.
"""

import asyncio
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from urllib.parse import parse_qs

import structlog
from reflex_base.constants import CompileVars, Endpoint
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.environment import environment
from reflex_base.registry import RegistrationContext
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol
from wsproto.events import Ping

_HEADERS_MAX = 100
_UNREAD_MAX = 64 * 1024  # bytes without an end: headers, or what follows a body
_PIPELINED_MAX = 8  # browsers and nginx send none


class Requests(HttpToolsProtocol):
    """Closes a connection unless the first and each next request arrive within
    `timeout_keep_alive`, which stock uvicorn applies only between requests and only until the next
    one's first byte."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        super()._unset_keepalive_if_required()

    def _unset_keepalive_if_required(self) -> None:
        """Keep the timeout running: called with each byte, but only whole headers end it."""

    def data_received(self, data: bytes) -> None:
        self._unread += len(data)
        super().data_received(data)
        if self._unread > _UNREAD_MAX:
            self.transport.close()

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= _PIPELINED_MAX:
            raise ValueError  # answers 400
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._unread = 0
        version = self.parser.get_http_version()  # type: ignore[union-attr]
        if len(self.headers) > _HEADERS_MAX or version == "0.9":  # `GET /` without headers
            raise ValueError  # answers 400
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (hosts == 0 and version != "1.0"):  # RFC 9112, section 3.2
            raise ValueError
        super()._unset_keepalive_if_required()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread = 0
        super().on_message_complete()


class Websocket(WSProtocol):
    """Answers pings only while the answers are read."""

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except UnicodeDecodeError:  # bytes that no header may have
            self.transport.close()

    def handle_ping(self, event: Ping) -> None:
        if self.writable.is_set():
            super().handle_ping(event)


log = structlog.get_logger()

CHANNEL = str(Endpoint.EVENT)
_LEAVES, _PONG = "1", "3"
_CONNECT, _DISCONNECT, _CALL = f"40{CHANNEL},", f"41{CHANNEL},", f"42{CHANNEL},"
_PLACE_MAX = 16_000  # characters of the page's parsed address; servers refuse longer ones
_STORED_MAX = 10_000  # characters of one value in the browser's storage
_DEPTH_MAX = 30  # of nested values; parsers fail at a thousand
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # lone, or one of a pair
# Reflex gives each state a setter, which no page of ours uses. Events that follow changes are fired
# by the server when a page opens and end with it; fired by hand, they would listen for ever.
_NOT_BY_PAGES = (".setvar", ".follow", ".watch")

_TAB = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # as browsers name their tabs


class MisfitError(Exception):
    """No page of ours sends this message; carries a one-word reason."""


def checked(text: str | None) -> str:
    """Return the message as it may go on to the framework.

    Raises:
        MisfitError: If no page of ours could have sent it.
    """
    if text is None:
        raise MisfitError("binary")
    if len(text) > environment.REFLEX_SOCKET_MAX_HTTP_BUFFER_SIZE.get():
        raise MisfitError("too_long")
    if text in {_LEAVES, _PONG, _DISCONNECT}:
        return text
    if text.startswith(_CONNECT):
        return _connecting(text)
    if text.startswith(_CALL):
        call = _parsed(text.removeprefix(_CALL))
        _check_call(call)
        return _CALL + _encoded(call) if _SURROGATE.search(text) else text
    raise MisfitError("unknown_packet")


def _parsed(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MisfitError("unreadable") from error
    if text.count("[") + text.count("{") > _DEPTH_MAX and _is_deep(value):
        raise MisfitError("too_deep")
    return value


def _is_deep(value: Any, left: int = _DEPTH_MAX) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not left or any(_is_deep(each, left - 1) for each in inside)


def _connecting(text: str) -> str:
    """Return a page's first message. A page of another build connects without its event: connecting
    is how it learns that it has to reload."""
    said = _parsed(text.removeprefix(_CONNECT) or "{}")
    if not isinstance(said, dict):
        raise MisfitError("unreadable")
    event = said.get(CompileVars.CONNECT_AUTH_EVENT)
    schema = said.get(CompileVars.CONNECT_AUTH_STATE_SCHEMA)
    if not isinstance(schema, str | None):
        raise MisfitError("unreadable")
    try:
        if event is not None:
            _check_event(event)
        return _CONNECT + _encoded(said) if _SURROGATE.search(text) else text
    except MisfitError:
        kept = {CompileVars.CONNECT_AUTH_STATE_SCHEMA: schema} if schema else {}
        return _CONNECT + json.dumps(kept)


def _encoded(value: Any) -> str:
    """Encode as JSON with lone surrogates replaced: sending one back would break the connection."""
    return json.dumps(value, ensure_ascii=False).encode(errors="replace").decode()


def _check_call(call: Any) -> None:
    match call:
        case ["event", event]:
            _check_event(event)
        case ["ping"] | ["client_error", dict()]:
            pass
        case _:
            raise MisfitError("unknown_call")


def _check_event(event: Any) -> None:
    match {"payload": {}, "router_data": {}} | event if isinstance(event, dict) else None:
        case {"name": str(name), "payload": dict(payload), "router_data": dict(place)}:
            pass
        case _:
            raise MisfitError("no_event")
    registered = RegistrationContext.get().event_handlers.get(name)
    if registered is None or name.endswith(_NOT_BY_PAGES):
        raise MisfitError("unknown_event")
    try:
        _signature(registered.handler.fn).bind(None, **payload)
    except TypeError as error:
        raise MisfitError("wrong_arguments") from error
    if not (_is_ours(registered.handler.fn) or _is_believable(payload)):
        raise MisfitError("wrong_arguments")
    if not _is_place(place):
        raise MisfitError("no_place")


@cache
def _signature(handler: Callable) -> inspect.Signature:
    return inspect.signature(handler)


def _is_ours(handler: Callable) -> bool:
    """Our handlers parse their arguments; the framework's trust them."""
    return handler.__module__.startswith("fuel_app.")


def _is_believable(payload: Mapping[str, Any]) -> bool:
    """Check the arguments of the framework's own events by name."""
    stored, hashes = payload.get("vars", {}), payload.get("hashes", [])
    texts = [payload.get("info", ""), payload.get("component_stack", "")]
    return (
        isinstance(stored, dict)
        and all(_is_stored_by_browsers(*each) for each in stored.items())
        and isinstance(hashes, list)
        and all(isinstance(text, str) for text in [*texts, *hashes])
        and isinstance(payload.get("value", True), bool)
    )


def _is_stored_by_browsers(name: str, value: Any) -> bool:
    state, _, field = name.rpartition(".")
    owner = RegistrationContext.get().base_states.get(state)
    return (
        owner is not None
        and owner._is_client_storage(field.removesuffix(FIELD_MARKER))
        and isinstance(value, str)
        and len(value) <= _STORED_MAX
    )


def _is_place(place: Mapping[str, Any]) -> bool:
    """Check the page's address; the framework adds the rest itself."""
    texts = (place.get("pathname", ""), place.get("asPath", ""))
    return (
        all(isinstance(text, str) for text in texts)
        and isinstance(place.get("query", {}), dict)
        and len(repr(place)) <= _PLACE_MAX
    )


class WebsocketGuard:
    """Drops messages that no page of ours sends, with one log entry per connection: an error with
    its traceback for each message would let any attacker fill the disk."""

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

        async def receive_checked() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                try:
                    return {**message, "text": checked(message.get("text"))}
                except MisfitError as misfit:
                    dropped[str(misfit)] += 1

        try:
            await self._app(scope, receive_checked, send)
        finally:
            if dropped:
                log.warning("websocket.messages_dropped", reasons=dict(dropped))


def _names_a_tab(scope: Scope) -> bool:
    """Check the tab's token, which becomes part of Redis keys."""
    asked = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return _TAB.fullmatch(asked.get("token", [""])[0]) is not None
