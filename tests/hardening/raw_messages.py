"""Raw websocket messages: every event with odd arguments, and malformed ones.

Events are discovered, the framework's too, so that a new one is tried from its first day.
"""

import inspect
import json
from collections.abc import Iterator
from typing import Any, get_type_hints, is_typeddict

from reflex_base.event import EventHandler
from reflex_base.registry import RegistrationContext

import fuel_app.fuel_app  # noqa: F401 (registers every event)
from tests.hardening.nasty import NASTY
from tests.websocket import CHANNEL, CONNECT, MESSAGE

PLACE = {"pathname": "/submissions", "asPath": "/submissions", "query": {}}
# Values that differ over the network or once failed; `test_strangers.py` tries all of them.
ONE_OF_A_KIND = (
    *("nothing", "enormous", "nan", "lone surrogate", "nul", "markup", "a private field"),
    *("template", "deep", "empty list", "empty dict"),
)


def events() -> dict[str, EventHandler]:
    known = RegistrationContext.get().event_handlers
    return {name: known[name].handler for name in sorted(known)}


def calls(name: str, handler: EventHandler) -> Iterator[str]:
    """Yield calls of an event without arguments, with odd values and with unknown arguments."""
    arguments = list(inspect.signature(handler.fn).parameters)[1:]
    yield _call(name, {})
    yield _call(name, {"_unknown": "x"})
    yield _call(name, dict.fromkeys([*arguments, "self", "_unknown"], "x"))
    for kind in ONE_OF_A_KIND if arguments else ():
        yield _call(name, dict.fromkeys(arguments, NASTY[kind]))
        yield from _forms(name, handler, arguments, NASTY[kind])


def _forms(name: str, handler: EventHandler, arguments: list[str], value: Any) -> Iterator[str]:
    hints = get_type_hints(handler.fn)
    forms = {
        argument: dict.fromkeys(hints[argument].__annotations__, value)
        for argument in arguments
        if is_typeddict(hints.get(argument))
    }
    if forms:
        yield _call(name, dict.fromkeys(arguments, value) | forms)


def _call(name: Any, payload: Any, place: Any = PLACE) -> str:
    return _said(["event", {"name": name, "payload": payload, "router_data": place}])


def _said(message: Any) -> str:
    return MESSAGE + json.dumps(message)


def misshapen(name: str) -> Iterator[str]:
    """Yield messages of every wrong shape for an existing event."""
    for value in NASTY.values():
        yield _call(name, value)
        yield _call(name, {}, value)
        yield _call(value, {})
        for part in ("pathname", "asPath", "query", "headers", "ip"):
            yield _call(name, {}, PLACE | {part: value})
        yield _said(value)
        yield _said(["event", value])
        yield _said([value, {}])
        yield _said(["client_error", value])
        yield _said(["ping", value])
        yield CONNECT + json.dumps({"event": value})
        yield CONNECT + json.dumps({"state_schema": value})
    yield _said(["event", {"name": name, "payload": {}, "router_data": PLACE}, {}])
    yield _call(name, {"x": "y" * 300_000})
    yield MESSAGE + '["event",' + "[" * 100_000
    yield MESSAGE + '["event",' + '{"a":' * 900 + "1" + "}" * 900 + "]"


def pretended() -> Iterator[str]:
    """Yield events that only the server may send."""
    believed = {
        "QUERY_STRING": "token=00000000-0000-4000-8000-000000000000",
        "REMOTE_ADDR": "192.0.2.1",
        "asgi.scope": {"headers": [], "client": ["192.0.2.1", 1]},
    }
    yield _said(["connect", believed])
    yield _said(["connect", believed, {"event": {"name": "x"}}])
    for word in ("disconnect", "trigger_event", "emit", "_", "event ", "EVENT", "", "*"):
        yield _said([word, believed])
    yield f"451-{CHANNEL}," + json.dumps(["connect", {"_placeholder": True, "num": 0}])


def unreadable() -> Iterator[str | bytes]:
    """Yield texts and bytes that are no message of this protocol."""
    yield from ("", "0", "2", "2probe", "4", "40", "40/other,", "41/other,", "42", "42[]", "5", "6")
    yield from ("7", "x", "bAAAA", "43/_event,1[]", "44/_event,{}", "45", "46", "47", "99999999999")
    yield from (MESSAGE, f"{MESSAGE}]", f"42{CHANNEL}", f"42{CHANNEL},{'1' * 200}[]", "4" * 300_000)
    yield from (f"42{CHANNEL}?x=1,[]", "42/other," + '["event",{}]', f"4510000000000-{CHANNEL},[]")
    yield from (f"451-{CHANNEL},[]", "\x00", "é", "\uff14\uff12", "4[" + "[" * 100_000)
    yield from (b"", b"\x00", b"\xff" * 1000, MESSAGE.encode())
