"""Connections with an incomplete or endless request are closed; others may take their time."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.server import ServerState

from fuel_app.server.reflex.websocket import Requests, Websocket

pytestmark = pytest.mark.slow

SOON_S = 0.1
LATER_S = 0.3
NEVER_S = 60
SMALL = 16 * 1024  # bytes that systems hold between two of them
PING = b"\x89\xfd" + bytes(4) + bytes(125)
WORD = b"\x81\x82" + bytes(4) + b"hi"
ENOUGH = 16 * 2**20  # bytes
HOST = b"Host: localhost\r\n"
REQUEST = b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"
POST = b"POST / HTTP/1.1\r\n" + HOST
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)

Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Line]]
heard = asyncio.Event()


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        body = await Request(scope, receive).body()
        await PlainTextResponse(f"{len(body)} bytes")(scope, receive, send)
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (await receive())["type"] == "websocket.receive":
        heard.set()


@asynccontextmanager
async def listening(patience: float) -> AsyncIterator[tuple[Connect, ServerState]]:
    """Start a server; give a function that connects to it."""
    kinds = {"http": Requests, "ws": Websocket, "lifespan": "off", "log_config": None}
    config, state = Config(app, ws_per_message_deflate=False, **kinds), ServerState()
    config.timeout_keep_alive = patience  # type: ignore[assignment]
    listener, lines = socket.create_server(("127.0.0.1", 0)), []
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL)
    server = await asyncio.get_running_loop().create_server(
        lambda: Requests(config, state, {}), sock=listener
    )

    async def connect() -> Line:
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        line.setblocking(False)
        await asyncio.get_running_loop().sock_connect(line, listener.getsockname())
        lines.append(await asyncio.open_connection(sock=line))
        return lines[-1]

    async with asyncio.timeout(20):
        yield connect, state
        for _, writer in lines:
            writer.close()
        server.close()
        await asyncio.gather(*state.tasks)


async def ended(line: Line) -> bytes:
    """Return what came until the server closed the connection."""
    with suppress(ConnectionError):
        return await line[0].read()
    return b""


async def drip(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x")
        await asyncio.sleep(SOON_S / 10)


async def pour(line: Line, part: bytes) -> int:
    """Write it again and again until the server closes the connection. Return how many bytes."""
    sent = 0
    with suppress(ConnectionError):
        while sent < ENOUGH:
            line[1].write(part)
            await line[1].drain()
            sent += len(part)
    return sent


@pytest.mark.parametrize("before", [b"", REQUEST])
@pytest.mark.parametrize("first", [b"", b"GET / HTTP/1.1\r\nX-Slow: "])
async def test_an_incomplete_request_times_out(before, first):
    async with listening(SOON_S) as (connect, state):
        line = await connect()
        line[1].write(before)
        if before:
            assert await line[0].readuntil(b"0 bytes")
        line[1].write(first)
        dripping = asyncio.create_task(drip(line[1])) if first else None
        assert await ended(line) == b""
        assert not state.tasks
        if dripping:
            dripping.cancel()


async def test_a_slow_body_does_not_time_out():
    async with listening(SOON_S) as (connect, _):
        reader, writer = await connect()
        writer.write(POST + b"Content-Length: 2\r\n\r\na")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(), LATER_S)
        writer.write(b"b")
        assert await reader.readuntil(b"2 bytes")


@pytest.mark.parametrize(
    "first",
    [
        "GET /",
        "GET / HTTP/1.1\r\nX-",
        "GET / HTTP/1.1\r\nX: ",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: ",
    ],
)
async def test_endless_headers_close_the_connection(first):
    async with listening(NEVER_S) as (connect, _):
        line = await connect()
        line[1].write(first.encode())
        assert await pour(line, b"x" * 2**14) < ENOUGH


@pytest.mark.parametrize(
    "request_",
    [b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 100 + b"\r\n", b"GET /\r\n\r\n"],
)
async def test_too_many_headers_and_http_0_9_are_refused(request_):
    async with listening(NEVER_S) as (connect, _):
        line = await connect()
        line[1].write(request_)
        assert (await ended(line)).startswith(b"HTTP/1.1 400")


async def test_a_few_pipelined_requests_are_answered_in_order():
    async with listening(NEVER_S) as (connect, _):
        reader, writer = await connect()
        writer.write(REQUEST * 3)
        for _ in range(3):
            assert await reader.readuntil(b"0 bytes")
        line = await connect()
        line[1].write(REQUEST * 1_000)
        answers = await ended(line)
        assert answers.count(b"HTTP/1.1 200") < 10
        assert b"HTTP/1.1 400" in answers


@pytest.mark.parametrize("header", [b"Host: \xff", b"Host: a\r\nSec-WebSocket-Protocol: \xff"])
async def test_a_handshake_with_invalid_bytes_is_closed(header):
    async with listening(NEVER_S) as (connect, state):
        line = await connect()
        line[1].write(HANDSHAKE.replace(b"Host: localhost", header))
        assert await ended(line) == b""
        assert state.connections == set()


async def test_a_long_body_is_read():
    async with listening(NEVER_S) as (connect, _):
        reader, writer = await connect()
        writer.write(POST + b"Content-Length: 1000000\r\n\r\n" + bytes(10**6))
        assert await reader.readuntil(b"1000000 bytes")
        writer.write(POST + b"Transfer-Encoding: chunked\r\n\r\n")
        writer.write(b"4000\r\n%b\r\n" % bytes(2**14) * 64 + b"0\r\n\r\n")
        assert await reader.readuntil(b"1048576 bytes")


async def open_websocket(connect: Connect) -> Line:
    reader, writer = await connect()
    writer.write(HANDSHAKE)
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    return reader, writer


async def test_unread_pongs_stop_the_pongs():
    heard.clear()
    async with listening(NEVER_S) as (connect, state):
        reader, writer = await open_websocket(connect)
        (websocket,) = state.connections
        writer.write(PING)
        assert (await reader.readexactly(127))[:2] == b"\x8a\x7d"
        for _ in range(100):
            writer.write(PING * 100)
            await writer.drain()
        writer.write(WORD)
        await heard.wait()
        assert websocket.transport.get_write_buffer_size() < 2 * 64 * 1024


_TWICE, _HANDSHAKE_TWICE = (each.replace(HOST, 2 * HOST) for each in (REQUEST, HANDSHAKE))
_WITHOUT = HANDSHAKE.replace(HOST, b"")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (REQUEST, b"200"),
        (b"GET / HTTP/1.0\r\n\r\n", b"200"),  # of monitors; the header is younger than it
        (b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", b"200"),
        (HANDSHAKE, b"101"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (_TWICE, b"400"),
        (_TWICE.replace(b"HTTP/1.1", b"HTTP/1.0"), b"400"),
        (_WITHOUT, b"400"),
        (_HANDSHAKE_TWICE, b"400"),
    ],
)
async def test_a_request_names_one_host(request_, status):
    async with listening(NEVER_S) as (connect, _):
        reader, writer = await connect()
        writer.write(request_)
        line = await reader.readline()
        assert line.split()[1] == status, line
