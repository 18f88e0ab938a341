"""Visitors who read pages and join while processes are restarted, and submit only once."""

import asyncio
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx
import reflex as rx
from aiohttp import ClientSession, TCPConnector

from fuel_app.joining.state import WaitlistState
from tests.factories import waitlist_form
from tests.waiting import came_true
from tests.websocket import Visitor

CONCURRENT = 3
WAITING = 6  # to submit when they are disconnected
TIMEOUT_S = 120
HYDRATE = rx.State.event_handlers["hydrate_and_load"]


@dataclass
class Report:
    """Outcomes of all joins and of plain requests beside them."""

    joined: list[str] = field(default_factory=list)  # emails
    waiting: int = 0
    disconnected: int = 0  # between the submission and the answer
    statuses: list[int] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Joiner(Visitor):
    """A visitor with a filled form."""

    form: dict[str, Any]
    submitted = False

    async def submit(self) -> None:
        await self.send(WaitlistState.submit, form=self.form)
        self.submitted = True

    async def until_joined(self) -> None:
        await self.until(lambda: self.value(WaitlistState, "stage") == "picker", TIMEOUT_S)


class LastMoment(Joiner):
    """Submits at the very moment in which the process disconnects its tabs."""

    async def _leave(self) -> None:
        await self.submit()
        await super()._leave()


@contextmanager
def joining(url: str, zip_code: str) -> Iterator[Report]:
    """Let visitors join until the block ends, in which each process has to be restarted once."""
    report, over, numbers = Report(), threading.Event(), count(1)

    async def join(kind: type[Joiner]) -> None:
        form = waitlist_form(zip_code=zip_code, email=f"{uuid.uuid4().hex}@example.com")
        number = next(numbers)
        address = f"127.1.{number // 250}.{1 + number % 250}"  # joins are limited by it
        connector = TCPConnector(ssl=False, local_addr=(address, 0))
        try:
            async with ClientSession(connector=connector) as session:
                await _join(kind, session, url, form, report)
        except Exception as error:
            report.errors.append(repr(error))

    async def join_in_turn() -> None:
        while not over.is_set():
            await join(Joiner)

    async def join_all() -> None:
        last = (join(LastMoment) for _ in range(WAITING))
        await asyncio.gather(*last, *(join_in_turn() for _ in range(CONCURRENT)))

    def read_pages() -> None:
        with httpx.Client(base_url=url, verify=False) as client:
            while not over.is_set():
                report.statuses.append(client.get("/").status_code)
                report.statuses.append(client.post("/api/session", content="made up").status_code)

    with ThreadPoolExecutor(2) as threads:
        running = [threads.submit(read_pages), threads.submit(asyncio.run, join_all())]
        try:
            assert came_true(lambda: report.waiting == WAITING, within=TIMEOUT_S)
            yield report
        finally:
            over.set()
        for each in running:
            each.result()


async def _join(
    kind: type[Joiner], session: ClientSession, url: str, form: dict[str, Any], report: Report
) -> None:
    """Join. After a disconnect, reconnect as the page does, without submitting again."""
    first = kind(session, url)
    first.form = form
    with suppress(ConnectionError):
        async with first:
            if kind is LastMoment:
                report.waiting += 1
            else:
                await first.submit()
            await first.until_joined()
            report.joined.append(form["email"])
            return
    report.disconnected += first.submitted
    again = Joiner(session, url, token=first.token)
    again.form = form
    async with again:
        await again.send(HYDRATE)
        if not first.submitted:
            await again.submit()
        await again.until_joined()
    report.joined.append(form["email"])
