"""Limits of one connection's time and memory that uvicorn has no settings for.

uvicorn waits for ever for a first request, keeps headers of any length and any number of pipelined
requests, and answers each ping of a client that reads no answers. nginx limits the same in
production; `make run` and a port that is open by mistake have only this.
"""

import asyncio
from typing import Any

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
