"""What a connection may take of the server: time, and memory.

uvicorn waits for ever for a request that does not come, keeps a head of any length and any number
of requests, and answers each ping of whoever reads no answer. See docs/decisions/many-tabs.md.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol
from wsproto.events import Ping

_HEADERS_MAX = 100
_UNREAD_MAX = 64 * 1024  # bytes in which nothing has ended: a head, or what follows a body
_WAITING_MAX = 8  # requests behind the one that is answered; browsers and nginx send none


class Requests(HttpToolsProtocol):
    """A connection that is ended unless its first request, and each next one, is there in time.

    uvicorn's `timeout_keep_alive` says how long that is. By itself it means the pause between two
    requests, and ends with a letter of the second.
    """

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
        """Called with each letter. Only a whole head ends the time."""

    def data_received(self, data: bytes) -> None:
        self._unread += len(data)
        super().data_received(data)
        if self._unread > _UNREAD_MAX:
            self.transport.close()

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= _WAITING_MAX:
            raise ValueError  # answers 400
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._unread = 0
        version = self.parser.get_http_version()  # type: ignore[union-attr]
        if len(self.headers) > _HEADERS_MAX or version == "0.9":  # `GET /`, and no word of headers
            raise ValueError  # answers 400
        super()._unset_keepalive_if_required()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread = 0
        super().on_message_complete()


class Websocket(WSProtocol):
    """Pings are answered as long as somebody reads the answers."""

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except UnicodeDecodeError:  # a head in letters that no head has
            self.transport.close()

    def handle_ping(self, event: Ping) -> None:
        if self.writable.is_set():
            super().handle_ping(event)
