"""Tabs that are left open while processes are restarted, and pages that are opened beside them."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from time import monotonic

from aiohttp import ClientSession, TCPConnector, WSServerHandshakeError

from tests.waiting import came_true
from tests.websocket import Visitor

RETRY_S = 1  # as the page does
BETWEEN_PAGES_S = 0.05
OPEN_S = 60


@dataclass
class Report:
    """Outcomes of all handshakes and of the plain requests beside them."""

    tabs: int = 0  # that have been connected
    handshakes: list[int] = field(default_factory=list)  # statuses
    pages: list[int] = field(default_factory=list)  # statuses
    away: list[float] = field(default_factory=list)  # seconds between two connections of a tab
    errors: list[str] = field(default_factory=list)

    def lost(self) -> int:
        return sum(status >= 500 for status in [*self.handshakes, *self.pages])

    def __str__(self) -> str:
        refused = sum(status != 101 for status in self.handshakes)
        failed = sum(status != 200 for status in self.pages)
        away = max(self.away, default=0)
        return (
            f"{refused} of {len(self.handshakes)} handshakes failed, {failed} of"
            f" {len(self.pages)} pages; a tab was away for at most {away:.1f} s"
        )


@contextmanager
def open_tabs(url: str, number: int) -> Iterator[Report]:
    """Keep tabs open, each with its own connections, until the block ends."""
    report, over = Report(), threading.Event()

    async def all_tabs() -> None:
        closing = asyncio.Event()
        tasks = [_stay(url, at, report, closing) for at in range(number)]
        tasks.append(_read_pages(url, report, closing))
        gathered = asyncio.gather(*tasks)
        await asyncio.to_thread(over.wait)
        closing.set()
        await gathered

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(asyncio.run, all_tabs())
        try:
            assert came_true(lambda: report.tabs == number, within=OPEN_S), report
            yield report
        finally:
            over.set()
        running.result()


async def _stay(url: str, at: int, report: Report, closing: asyncio.Event) -> None:
    """Keep one tab open. After a disconnect, reconnect as the page does."""
    token, left, times = "", monotonic(), count()
    connector = TCPConnector(ssl=False, local_addr=(f"127.2.0.{1 + at}", 0))
    async with ClientSession(connector=connector) as session:
        while not closing.is_set():
            visitor = Visitor(session, url, token=token)
            try:
                async with visitor:
                    report.handshakes.append(101)
                    if next(times):
                        report.away.append(monotonic() - left)
                    else:
                        report.tabs += 1
                    token = visitor.token
                    with suppress(ConnectionError):
                        await visitor.stay(until=closing)
                    left = monotonic()
            except WSServerHandshakeError as refused:
                report.handshakes.append(refused.status)
                await _pause(RETRY_S, closing)
            except Exception as error:
                report.errors.append(repr(error))
                await _pause(RETRY_S, closing)


async def _read_pages(url: str, report: Report, closing: asyncio.Event) -> None:
    """Open pages, each with a new connection: nginx' workers take turns."""
    connector = TCPConnector(ssl=False, force_close=True, local_addr=("127.2.1.1", 0))
    async with ClientSession(connector=connector) as session:
        while not closing.is_set():
            async with session.get(url) as answer:
                report.pages.append(answer.status)
            await _pause(BETWEEN_PAGES_S, closing)


async def _pause(seconds: float, closing: asyncio.Event) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(closing.wait(), seconds)
