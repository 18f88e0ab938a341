"""Connections that send nothing, or a byte a second, while visitors join."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from statistics import quantiles

import httpx

from tests.faults.crowd import joining
from tests.faults.outcome import Outcome, audit
from tests.faults.running import Running

_PAGES = 40


class IncompleteRequests:
    """Connections that never send a whole request."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connections: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def open(self, count: int, first: bytes = b"") -> None:
        for _ in range(count):
            connection = await asyncio.open_connection("127.0.0.1", self._port)
            connection[1].write(first)
            self._connections.append(connection)

    async def drip(self) -> None:
        """Send one more byte of an endless header every second."""
        while True:
            for _, writer in self._connections:
                writer.write(b"x")
            await asyncio.sleep(1)

    async def until_cut_off(self) -> int:
        """Wait until the server has closed all connections. Return how many."""
        await asyncio.gather(*(_ended(reader) for reader, _ in self._connections))
        return len(self._connections)

    def close(self) -> None:
        for _, writer in self._connections:
            writer.close()


async def _ended(reader: asyncio.StreamReader) -> None:
    with suppress(ConnectionError):
        await reader.read()


@asynccontextmanager
async def _opened(
    port: int, idle: int, slow: int
) -> AsyncIterator[tuple[IncompleteRequests, IncompleteRequests]]:
    idling, dripping_slowly = IncompleteRequests(port), IncompleteRequests(port)
    await idling.open(idle)
    await dripping_slowly.open(slow, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    dripping = asyncio.create_task(dripping_slowly.drip())
    try:
        yield idling, dripping_slowly
    finally:
        dripping.cancel()
        idling.close()
        dripping_slowly.close()


async def joins_beside_idle_connections(
    site: Running, *, idle: int, slow: int, people: int, per_second: float
) -> Outcome:
    """Let people join beside many idle and slow connections."""
    before = await _pages(site.url)
    began = time.monotonic()
    async with _opened(site.process.port, idle, slow) as (idling, dripping_slowly):
        async with joining([site.url], people, per_second) as crowd:
            meanwhile = await _pages(site.url)
        cut = await idling.until_cut_off() + await dripping_slowly.until_cut_off()
        cut_after = time.monotonic() - began
    books = await audit(site)
    figures = (
        f"a page in {meanwhile:.0f} ms (p95; {before:.0f} ms without them)",
        f"all {cut:,} cut off within {cut_after:.0f} s",
        crowd.messages(),
    )
    return Outcome(
        fault=f"{idle:,} idle connections, {slow} slow ones (a byte a second)",
        load=f"{people:,} joins, {per_second:.0f} a second",
        served=len(crowd.confirmed),
        lost=books.lost(crowd.confirmed),
        doubled=books.doubled,
        half=books.half,
        meanwhile="; ".join(filter(None, figures)),
    )


async def _pages(url: str) -> float:
    """Return the p95 of the front page over new connections, in milliseconds."""
    taken = []
    for _ in range(_PAGES):
        async with httpx.AsyncClient() as visitor:
            began = time.perf_counter()
            (await visitor.get(url)).raise_for_status()
            taken.append(1000 * (time.perf_counter() - began))
    return quantiles(taken, n=20)[-1]
