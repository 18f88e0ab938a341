"""Connections that say nothing, or one letter a second, while others want to be served."""

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


class Silent:
    """Connections that hold the server's attention and give it nothing to do."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._lines: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def open(self, count: int, first: bytes = b"") -> None:
        for _ in range(count):
            line = await asyncio.open_connection("127.0.0.1", self._port)
            line[1].write(first)
            self._lines.append(line)

    async def drip(self) -> None:
        """A header that never ends, on every line that has begun one."""
        while True:
            for _, writer in self._lines:
                writer.write(b"x")
            await asyncio.sleep(1)

    async def until_cut_off(self) -> int:
        """How many the server has ended by itself: all, or this does not return."""
        await asyncio.gather(*(_ended(reader) for reader, _ in self._lines))
        return len(self._lines)

    def close(self) -> None:
        for _, writer in self._lines:
            writer.close()


async def _ended(reader: asyncio.StreamReader) -> None:
    with suppress(ConnectionError):
        await reader.read()


@asynccontextmanager
async def _opened(port: int, idle: int, slow: int) -> AsyncIterator[tuple[Silent, Silent]]:
    says_nothing, drips = Silent(port), Silent(port)
    await says_nothing.open(idle)
    await drips.open(slow, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    dripping = asyncio.create_task(drips.drip())
    try:
        yield says_nothing, drips
    finally:
        dripping.cancel()
        says_nothing.close()
        drips.close()


async def silent_crowd(
    site: Running, *, idle: int, slow: int, people: int, per_second: float
) -> Outcome:
    """People join while more connections than a server likes say nothing."""
    before = await _pages(site.url)
    began = time.monotonic()
    async with _opened(site.process.port, idle, slow) as (says_nothing, drips):
        async with joining([site.url], people, per_second) as crowd:
            meanwhile = await _pages(site.url)
        cut = await says_nothing.until_cut_off() + await drips.until_cut_off()
        cut_after = time.monotonic() - began
    books = await audit(site)
    figures = (
        f"a page in {meanwhile:.0f} ms (p95; {before:.0f} ms without them)",
        f"all {cut:,} cut off within {cut_after:.0f} s",
        crowd.told(),
    )
    return Outcome(
        fault=f"{idle:,} sockets that say nothing, {slow} that send a letter a second",
        load=f"{people:,} joins, {per_second:.0f} a second",
        served=len(crowd.confirmed),
        lost=books.lost(crowd.confirmed),
        doubled=books.doubled,
        half=books.half,
        meanwhile="; ".join(filter(None, figures)),
    )


async def _pages(url: str) -> float:
    """How long the front page takes for who comes without a connection: p95, in milliseconds."""
    taken = []
    for _ in range(_PAGES):
        async with httpx.AsyncClient() as visitor:
            began = time.perf_counter()
            (await visitor.get(url)).raise_for_status()
            taken.append(1000 * (time.perf_counter() - began))
    return quantiles(taken, n=20)[-1]
