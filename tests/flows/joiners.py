"""Visitors who look at pages and join while processes are restarted, and press no button twice."""

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

from fuel_app.joining.state.waitlist import WaitlistState
from tests.factories import waitlist_form
from tests.waiting import came_true
from tests.websocket import Visitor

JOINING = 3  # at the same time
WAITING = 6
PATIENCE_S = 120
HYDRATE = rx.State.event_handlers["hydrate_and_load"]


@dataclass
class Told:
    """What became of them."""

    joined: list[str] = field(default_factory=list)  # e-mails
    waiting: int = 0  # how many have their finger on the button
    moved: int = 0  # how many were sent away between the press and the answer
    answers: list[int] = field(default_factory=list)  # to plain requests
    problems: list[str] = field(default_factory=list)


class Joiner(Visitor):
    """Somebody who has filled in the form."""

    form: dict[str, Any]
    pressed = False

    async def press(self) -> None:
        await self.send(WaitlistState.submit, form=self.form)
        self.pressed = True


class LastWord(Joiner):
    """Presses the button in the very moment in which the process sends its tabs away."""

    async def _leave(self) -> None:
        await self.press()
        await super()._leave()


@contextmanager
def joining(url: str, zip_code: str) -> Iterator[Told]:
    """They come until the block ends, in which each process has to be restarted once."""
    told, over, numbers = Told(), threading.Event(), count(1)

    async def join_one_after_the_other() -> None:
        while not over.is_set():
            await join(Joiner)

    async def join(kind: type[Joiner]) -> None:
        form = waitlist_form(zip_code=zip_code, email=f"{uuid.uuid4().hex}@example.com")
        try:
            await _join(kind, url, form, next(numbers), told)
        except Exception as problem:
            told.problems.append(repr(problem))

    async def join_all() -> None:
        last_words = (join(LastWord) for _ in range(WAITING))
        await asyncio.gather(*last_words, *(join_one_after_the_other() for _ in range(JOINING)))

    def look() -> None:
        with httpx.Client(base_url=url, verify=False) as client:
            while not over.is_set():
                told.answers.append(client.get("/").status_code)
                told.answers.append(client.post("/api/session", content="made up").status_code)

    with ThreadPoolExecutor(2) as threads:
        working = [threads.submit(look), threads.submit(asyncio.run, join_all())]
        try:
            assert came_true(lambda: told.waiting == WAITING, within=PATIENCE_S)
            yield told
        finally:
            over.set()
        for each in working:
            each.result()


async def _join(
    kind: type[Joiner], url: str, form: dict[str, Any], number: int, told: Told
) -> None:
    """From an address of their own, since fair use is counted by it. Whoever is sent away comes
    back as the page does, and does not press the button again."""
    address = f"127.1.{number // 250}.{1 + number % 250}"
    connector = TCPConnector(ssl=False, local_addr=(address, 0))
    async with ClientSession(connector=connector) as session:
        first = kind(session, url)
        first.form = form
        with suppress(ConnectionError):
            async with first:
                if kind is LastWord:
                    told.waiting += 1
                else:
                    await first.press()
                await _until_joined(first, told)
                return
        told.moved += first.pressed
        again = Joiner(session, url, token=first.token)
        again.form = form
        async with again:
            await again.send(HYDRATE)
            if not first.pressed:
                await again.press()
            await _until_joined(again, told)


async def _until_joined(visitor: Joiner, told: Told) -> None:
    await visitor.until(lambda: visitor.value(WaitlistState, "stage") == "picker", PATIENCE_S)
    told.joined.append(visitor.form["email"])
