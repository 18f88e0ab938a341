"""A visitor without a browser, who sends raw events over the websocket.

Speaks just enough of Engine.IO and Socket.IO to cost little beside the server.
"""

import asyncio
import json
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import reflex as rx
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType
from reflex_base.utils.format import format_event_handler

CHANNEL = "/_event"
OPEN, PING, PONG = "0", "2", "3"
CONNECT, MESSAGE = f"40{CHANNEL},", f"42{CHANNEL},"


class Visitor:
    """One tab's websocket. Keeps the values that the server sends by full name."""

    leaves = True  # after a message that it cannot read, as pages do

    def __init__(
        self,
        session: ClientSession,
        site: str,
        *,
        origin: str | None = None,
        path: str = "/",
        cookie: str = "",
        token: str = "",
        claims: str = "",
    ) -> None:
        self.token = token or str(uuid.uuid4())
        self.state: dict[str, Any] = {}
        self.answers: list[dict[str, Any]] = []  # events for the browser, such as a redirect
        self.received = 0  # bytes
        self._session, self._site, self._path = session, site, path
        more = {"Cookie": cookie, "X-Forwarded-For": claims}
        self._headers = {"Origin": origin or site} | {k: v for k, v in more.items() if v}
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []

    async def __aenter__(self) -> "Visitor":
        query = urlencode({"EIO": 4, "transport": "websocket", "token": self.token})
        self._socket: ClientWebSocketResponse = await self._session.ws_connect(
            f"{self._site}{CHANNEL}/?{query}", headers=self._headers
        )
        connection = self._socket._response.connection
        assert connection
        assert connection.transport
        self._transport = connection.transport
        try:
            await self._arrive()
        except (TypeError, ValueError) as error:  # no text, or no JSON
            await self._socket.close()
            raise ConnectionError("Cut off while connecting.") from error
        self._listening = asyncio.create_task(self._listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()
        # aiohttp does not wait for the end of TLS, which may come after the end of the loop.
        self._transport.abort()
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening

    async def _arrive(self) -> None:
        if not (await self._socket.receive_str()).startswith(OPEN):
            raise ValueError
        await self._socket.send_str(CONNECT)
        while not (answer := await self._socket.receive_str()).startswith(CONNECT):
            if not answer.startswith(MESSAGE):
                raise ConnectionError("Sent away while connecting.")
            kind, what = json.loads(answer.removeprefix(MESSAGE))
            if kind == "new_token":  # another connection has that name
                self.token = what
            else:
                self._take(what)

    async def send(self, event: Any, **payload: Any) -> None:
        """Fire an event handler such as `WaitlistState.submit`, or any name."""
        name = event if isinstance(event, str) else format_event_handler(event)
        router = {"pathname": self._path, "asPath": self._path, "query": {}}
        message = {"name": name, "payload": payload, "router_data": router, "token": self.token}
        await self._socket.send_str(MESSAGE + json.dumps(["event", message]))

    async def until(self, reached: Callable[[], bool], seconds: float = 30) -> None:
        """Wait until a condition holds after one of the server's messages.

        Raises:
            TimeoutError: If that takes longer than `seconds`.
            ConnectionError: If the server has gone.
        """
        if reached():
            return
        seen = asyncio.get_running_loop().create_future()
        self._waiting.append((reached, seen))
        async with asyncio.timeout(seconds):
            await asyncio.wait({seen, self._listening}, return_when=asyncio.FIRST_COMPLETED)
        if not seen.done():
            raise ConnectionError("Cut off.")

    async def stay(self, until: asyncio.Event) -> None:
        """Keep the page open until an event is set.

        Raises:
            ConnectionError: If the server has gone before.
        """
        waiting = asyncio.create_task(until.wait())
        await asyncio.wait({waiting, self._listening}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if not until.is_set():
            raise ConnectionError("Cut off.")

    def go_to(self, path: str) -> None:
        """The next event comes from another page."""
        self._path = path

    def value(self, state: type[rx.State], name: str) -> Any:
        return self.state.get(f"{state.get_full_name()}.{name}")

    async def _listen(self) -> None:
        async for message in self._socket:
            if message.type is WSMsgType.TEXT and message.data == PING:
                await self._socket.send_str(PONG)
            elif message.type is WSMsgType.TEXT and message.data.startswith(MESSAGE):
                self.received += len(message.data.encode())
                self._take(json.loads(message.data[len(MESSAGE) :])[1])
            elif self.leaves or message.type is not WSMsgType.TEXT:
                return await self._leave()

    async def _leave(self) -> None:
        await self._socket.close()

    def _take(self, update: dict[str, Any]) -> None:
        for state, changes in (update.get("delta") or {}).items():
            for name, value in changes.items():
                self.state[f"{state}.{name.removesuffix('_rx_state_')}"] = value
        self.answers += update.get("events") or []
        for reached, seen in self._waiting:
            if not seen.done() and reached():
                seen.set_result(None)
        self._waiting = [each for each in self._waiting if not each[1].done()]
