"""What a page may send over its websocket, and nothing else.

Whoever opens a websocket speaks to three libraries at once. Each trusts the one before: a message
that calls itself `connect` would be believed about the visitor's address and cookies, one with
binary parts collects memory, and a call that fits no event is an error with all that it holds.
"""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from reflex_base.constants import CompileVars, Endpoint
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.environment import environment
from reflex_base.registry import RegistrationContext

CHANNEL = str(Endpoint.EVENT)
_LEAVES, _PONG = "1", "3"
_CONNECT, _DISCONNECT, _CALL = f"40{CHANNEL},", f"41{CHANNEL},", f"42{CHANNEL},"
_PLACE_MAX = 16_000  # characters of the page's address, taken apart; servers refuse longer ones
_STORED_MAX = 10_000  # characters of one thing that the browser stores for us
_DEPTH_MAX = 30  # of what a message holds; who takes it apart would fail at a thousand
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")  # or a whole one, written as two halves
# The framework gives each state a setter, which no page of ours uses. What follows changes is fired
# by the server when a page opens, and ends with it; fired by hand, it would listen for ever.
_NOT_BY_PAGES = (".setvar", ".follow")


class MisfitError(Exception):
    """No page of ours sends this; says what is wrong in a word."""


def checked(text: str | None) -> str:
    """A message as it may go on to the framework.

    Raises:
        MisfitError: If it may not.
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
        return _CALL + _whole(call) if _HALF_CHARACTER.search(text) else text
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
    """A page's first message. If another build's page has sent it, its event may fit nothing here;
    it still connects, since that is how it is told to load itself again."""
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
        return _CONNECT + _whole(said) if _HALF_CHARACTER.search(text) else text
    except MisfitError:
        known = {CompileVars.CONNECT_AUTH_STATE_SCHEMA: schema} if schema else {}
        return _CONNECT + json.dumps(known)


def _whole(value: Any) -> str:
    """As JSON that can be sent back: half a character, as cut out of an emoji, is a question mark.
    The connection would break over it, and again whenever the tab is told what it holds."""
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
    known = RegistrationContext.get().event_handlers.get(name)
    if known is None or name.endswith(_NOT_BY_PAGES):
        raise MisfitError("unknown_event")
    try:
        _signature(known.handler.fn).bind(None, **payload)
    except TypeError as error:
        raise MisfitError("wrong_arguments") from error
    if not (_is_ours(known.handler.fn) or _is_believable(payload)):
        raise MisfitError("wrong_arguments")
    if not _is_place(place):
        raise MisfitError("no_place")


@cache
def _signature(handler: Callable) -> inspect.Signature:
    return inspect.signature(handler)


def _is_ours(handler: Callable) -> bool:
    """Our states look at what they are given; the framework's believe it."""
    return handler.__module__.startswith("fuel_app.")


def _is_believable(payload: Mapping[str, Any]) -> bool:
    """What the framework's own events are told: by name, as these names mean the same in all."""
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
    """Where the page is; the framework adds the rest of this itself."""
    texts = (place.get("pathname", ""), place.get("asPath", ""))
    return (
        all(isinstance(text, str) for text in texts)
        and isinstance(place.get("query", {}), dict)
        and len(repr(place)) <= _PLACE_MAX
    )
