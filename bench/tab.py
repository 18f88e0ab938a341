"""A browser tab without the browser: connects, hydrates, fires events and reconnects as pages do.

A thousand of them cost little beside the server that they measure.
"""

import asyncio
import json
import re
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlencode

import reflex as rx
from aiohttp import ClientError, ClientSession, ClientWebSocketResponse, WSMsgType
from reflex.state import OnLoadInternalState, State, UpdateVarsInternalState
from reflex_base.utils.format import format_event_handler

from fuel_app import routes
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.ui.toast import ToastState
from tests.site import ROOT
from tests.websocket import CHANNEL, CONNECT, MESSAGE, OPEN, PING, PONG

TIMEOUT_S = 10
BACKOFF_S = 0.2  # grows with each failed connection, as a page's does
ANYTHING = object()


@dataclass(frozen=True)
class Press:
    """One event, and the field that its answer contains.

    Args:
        value: Of the field, then: itself, or a function that knows it.
        stores: The kind of what it stores, unless `refusal` then says why not.
        refusal: A field of the state whose event it is.
    """

    event: Any
    payload: dict[str, Any]
    state: type[rx.State]
    field: str
    value: Any = ANYTHING
    stores: str = ""
    refusal: tuple[type[rx.State], str] | None = None
    in_new_tab: bool = False

    @property
    def name(self) -> str:
        going = self.payload.get("to")  # of `visit`
        opening = f"a new tab: {going}" if self.in_new_tab else str(going)
        return opening if going else self.event.fn.__qualname__


def visit(path: str, *, in_new_tab: bool = False) -> Press:
    """Follow a link to another page of the site, or open it in a new tab instead of this one."""
    event, going = OnLoadInternalState.on_load_internal, {"to": path}
    return Press(event, going, State, "is_hydrated", True, in_new_tab=in_new_tab)


@cache
def _built() -> tuple[list[str], str]:
    """Return the state hashes and the schema that built pages send when they connect."""
    context = (ROOT / ".web" / "utils" / "context.jsx").read_text()
    hashes = re.search(r"initialStateHashes = (\[.*?\])", context)
    schema = re.search(r'stateSchema = "(\w+)"', context)
    assert hashes
    assert schema
    return json.loads(hashes[1]), schema[1]


_name = cache(format_event_handler)


@cache
def _place(state: type[rx.State], field: str) -> tuple[str, str]:
    return state.get_full_name(), f"{field}_rx_state_"


def _refusal(press: Press) -> tuple[str, str] | None:
    return _place(*press.refusal) if press.refusal else None


KEPT = _place(WaitlistState, "resume_key")


@dataclass
class Tab:
    """One tab, connected inside the block."""

    session: ClientSession
    site: str
    path: str = routes.HOME
    cookie: str = ""
    errors: list[str] = field(default_factory=list)
    reconnects: int = 0

    async def __aenter__(self) -> "Tab":
        self.token = str(uuid.uuid4())
        self._values: dict[str, dict[str, Any]] = {}
        self._waiting: tuple[Callable[[], bool], asyncio.Future[None]] | None = None
        self._socket: ClientWebSocketResponse | None = None
        self._connected = asyncio.Event()
        self._first = True
        self._life = asyncio.create_task(self._live())
        await self._until(lambda: self._is(State, "is_hydrated", True))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._life.cancel()
        with suppress(asyncio.CancelledError):
            await self._life

    async def press(self, press: Press) -> bool:
        """Fire an event. Return False if it was not answered in time."""
        payload, going = press.payload, press.event is OnLoadInternalState.on_load_internal
        if going:
            self.path, payload = payload["to"], {}
        for full, name in filter(None, (_place(press.state, press.field), _refusal(press))):
            self._values.get(full, {}).pop(name, None)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await self._connected.wait()
                if press.in_new_tab:
                    await self._start_anew()
                    return True
                if going and (kept := self._kept()):
                    await self._send(UpdateVarsInternalState.update_vars_internal, kept)
                await self._send(press.event, payload)
                await self._until(lambda: self._is_answered(press))
        except TimeoutError:
            self.errors.append(f"no answer to {_name(press.event)}")
            return False
        return True

    async def _start_anew(self) -> None:
        """Close the tab and open another one on its page."""
        assert self._socket
        self.token, self._values, self._first = str(uuid.uuid4()), {}, True
        self._connected.clear()
        await self._socket.close()
        self.reconnects -= 1
        await self._until(lambda: self._is(State, "is_hydrated", True))

    def stored(self, press: Press) -> bool:
        return bool(press.stores) and self._is(press.state, press.field, press.value)

    def _is_answered(self, press: Press) -> bool:
        refused = press.refusal and self.value(*press.refusal)
        return bool(refused) or self._is(press.state, press.field, press.value)

    def value(self, state: type[rx.State], name: str) -> Any:
        full, name = _place(state, name)
        return self._values.get(full, {}).get(name)

    def _is(self, state: type[rx.State], name: str, value: Any) -> bool:
        full, name = _place(state, name)
        values = self._values.get(full, {})
        if name not in values or value is ANYTHING:
            return name in values
        return bool(value(values[name]) if callable(value) else values[name] == value)

    def _kept(self) -> dict[str, Any]:
        """Return the value that is in the browser's storage."""
        full, name = KEPT
        value = self._values.get(full, {}).get(name)
        return {"vars": {f"{full}.{name}": value}} if value else {}

    async def _send(self, event: Any, payload: dict[str, Any]) -> None:
        assert self._socket
        message = json.dumps(["event", self._message(event, payload)])
        with suppress(ClientError, ConnectionError):  # lost
            await self._socket.send_str(MESSAGE + message)

    def _message(self, event: Any, payload: dict[str, Any]) -> dict[str, Any]:
        router = {"pathname": self.path, "asPath": self.path, "query": {}}
        return {"name": _name(event), "payload": payload, "router_data": router}

    async def _until(self, reached: Callable[[], bool]) -> None:
        if not reached():
            self._waiting = reached, asyncio.get_running_loop().create_future()
            try:
                await self._waiting[1]
            finally:
                self._waiting = None

    async def _live(self) -> None:
        """Connect, and reconnect whenever the connection ends."""
        failed = 0
        while True:
            try:
                await self._connection()
                failed = 0
                self.reconnects += 1
            except (ClientError, OSError, TimeoutError):
                failed = min(failed + 1, 10)
                await asyncio.sleep(BACKOFF_S * failed)
            finally:
                self._connected.clear()

    async def _connection(self) -> None:
        query = urlencode({"EIO": 4, "transport": "websocket", "token": self.token})
        address = f"{self.site}{CHANNEL}/?{query}"
        headers = {"Origin": self.site} | ({"Cookie": self.cookie} if self.cookie else {})
        async with self.session.ws_connect(address, headers=headers, ssl=False) as socket:
            if not (await socket.receive_str()).startswith(OPEN):
                raise ConnectionError
            hashes, schema = _built()
            payload = self._kept() | ({"hashes": hashes} if self._first else {})
            boot = self._message(State.hydrate_and_load, payload)
            auth = {"event": boot, "state_schema": schema}
            await socket.send_str(CONNECT + json.dumps(auth))
            self._socket = socket
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    continue
                if message.data == PING:
                    await socket.send_str(PONG)
                elif message.data.startswith(CONNECT):
                    self._first = False
                    self._connected.set()
                elif message.data.startswith(MESSAGE):
                    self._take(*json.loads(message.data[len(MESSAGE) :]))
                else:  # a page reconnects after a message that it cannot read
                    break
            connected = self._connected.is_set()
            self._connected.clear()  # later events wait for the next connection
        if not connected:
            raise ConnectionError

    def _take(self, kind: str, what: Any) -> None:
        if kind == "new_token":
            self.token = what
            return
        if kind != "event":
            self.errors.append(kind)  # a demand to reload the page
            return
        for state, changes in (what.get("delta") or {}).items():
            self._values.setdefault(state, {}).update(changes)
        toasts, shown = _place(ToastState, "toasts")
        for toast in (what.get("delta") or {}).get(toasts, {}).get(shown, ()):
            if toast["kind"] == "problem":
                self.errors.append(toast["text"])
        if self._waiting and self._waiting[0]() and not self._waiting[1].done():
            self._waiting[1].set_result(None)
