"""A crowd of visitors in a process of its own: `python -m bench.visitors URL`.

The first line of JSON on its input says who they are: a `Who` for each. Each further line is one
command, answered by one line of JSON: `{"rate": 500, "seconds": 20}` makes the visitors fire 500
events a second. They leave when the input ends.

The load is open loop: moments are drawn beforehand, whatever the server does. A visitor whose last
event is not answered yet fires the next one as soon as it is, and its time still counts from the
drawn moment. The crowd's own lateness is measured too.
"""

import asyncio
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import uvloop
from aiohttp import ClientSession, TCPConnector

from bench import journeys
from bench.phone import Phone
from bench.tab import Tab
from fuel_app import routes

AT_ONCE = 20  # tabs that connect at the same time
NEIGHBORHOODS_PER_ZIP = 3


@dataclass
class Load:
    """Outcomes of one period of load; times in milliseconds."""

    took: list[float] = field(default_factory=list)
    served: list[float] = field(default_factory=list)  # from the event itself
    late: list[float] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    reconnects: int = 0
    unserved: int = 0  # visitors with errors
    stored: Counter[str] = field(default_factory=Counter)  # by kind
    unheard: Counter[str] = field(default_factory=Counter)  # asked for, stored or not
    stored_at: list[float] = field(default_factory=list)  # moments of the monotonic clock, seconds
    seconds: float = 0
    cpu: float = 0  # of one core, by the crowd itself


@dataclass(frozen=True)
class Who:
    """One visitor: a tab on a page, or a technician's phone."""

    kind: str
    path: str = routes.HOME
    cookie: str = ""

    def tab(self, session: ClientSession, url: str) -> Any:
        if self.kind == journeys.TECHNICIAN:
            return Phone(session, url, self.cookie)
        return Tab(session, url, self.path, self.cookie)


@dataclass
class Visitor:
    who: Who
    tab: Any
    chance: random.Random

    def __post_init__(self) -> None:
        self.presses = self._presses()

    def _presses(self) -> Iterator[Any]:
        for journey in journeys.of(self.who.kind, self.chance):
            yield from journey(self.tab, self.chance)

    async def press_at(self, moments: list[float], load: Load) -> None:
        free = 0.0
        for moment in moments:
            if (wait := moment - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            try:
                press = next(self.presses)
            except (LookupError, TypeError) as problem:  # an outage has emptied the page
                self.tab.errors.append(f"cannot go on: {problem}")
                self.presses = self._presses()
                continue
            pressed = time.perf_counter()
            before, answered = free, await self.tab.press(press)
            free = time.perf_counter()
            stored = answered and self.tab.stored(press)
            if press.stores and not stored:
                load.unheard[press.stores] += 1
            if not answered:
                self.presses = self._presses()
                continue
            load.took.append(1000 * (free - moment))
            load.served.append(1000 * (free - pressed))
            load.late.append(1000 * (pressed - max(moment, before)))
            load.events.append(press.name)
            if stored:
                load.stored[press.stores] += 1
                load.stored_at.append(time.monotonic())


async def _connected(stack: AsyncExitStack, url: str, crowd: list[Who]) -> list[Visitor]:
    session = await stack.enter_async_context(ClientSession(connector=TCPConnector(limit=0)))
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(number: int, who: Who) -> Visitor:
        async with turns:
            tab = await stack.enter_async_context(who.tab(session, url))
        return Visitor(who, tab, random.Random(number))

    return await asyncio.gather(*(one(number, who) for number, who in enumerate(crowd)))


async def _found_neighborhoods(url: str) -> None:
    async with ClientSession() as session:
        for zip_code in journeys.ZIPS * NEIGHBORHOODS_PER_ZIP:
            async with Tab(session, url) as tab:
                for press in journeys.found_neighborhood(zip_code)(tab, random.Random()):
                    assert await tab.press(press), tab.errors


async def _press(visitors: list[Visitor], rate: float, seconds: float) -> Load:
    load, begin, cpu = Load(), time.perf_counter() + 0.5, time.process_time()
    moments: list[list[float]] = [[] for _ in visitors]
    for _ in range(round(rate * seconds)):
        random.choice(moments).append(begin + random.uniform(0, seconds))
    before = sum(visitor.tab.reconnects for visitor in visitors)
    await asyncio.gather(
        *[
            visitor.press_at(sorted(each), load)
            for visitor, each in zip(visitors, moments, strict=True)
        ]
    )
    load.seconds = time.perf_counter() - begin
    load.cpu = (time.process_time() - cpu) / load.seconds
    load.reconnects = sum(visitor.tab.reconnects for visitor in visitors) - before
    for visitor in visitors:
        load.unserved += bool(visitor.tab.errors)
        load.errors += visitor.tab.errors
        visitor.tab.errors.clear()
    return load


async def _serve(url: str) -> None:
    here = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        crowd = [Who(**each) for each in json.loads(sys.stdin.readline())]
        visitors = await _connected(stack, url, crowd)
        print(json.dumps({"connected": len(visitors)}), flush=True)
        while line := await here.run_in_executor(None, sys.stdin.readline):
            asked = json.loads(line)
            if asked.get("neighborhoods"):
                await _found_neighborhoods(url)
                print(json.dumps({}), flush=True)
            else:
                load = await _press(visitors, asked["rate"], asked["seconds"])
                print(json.dumps(vars(load)), flush=True)


if __name__ == "__main__":
    uvloop.run(_serve(sys.argv[1]))
