"""A crowd of visitors in a process of its own: `python -m bench.visitors URL COUNT`.

It connects them, then does what each line of its input says, and answers each with one line of
JSON: `{"rate": 500, "seconds": 20}` lets them press so often together. They leave when the input
ends.

Presses have their moments beforehand, at random and whatever the server does: a visitor whose last
press is not answered yet presses as soon as it is, and the time still counts from the moment that
was meant. How late the crowd itself is stands beside the times.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import uvloop
from aiohttp import ClientSession, TCPConnector

from bench import journeys
from bench.tab import Press, Tab

AT_ONCE = 20  # tabs that connect at the same time
NEIGHBORHOODS_PER_ZIP = 3
ECHO_EVERY_S = 0.05


@dataclass
class Told:
    """What one stretch of pressing came to; times in milliseconds."""

    took: list[float] = field(default_factory=list)
    served: list[float] = field(default_factory=list)  # the part after the press itself
    late: list[float] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    echo: list[float] = field(default_factory=list)  # of the bare socket, beside the presses
    reconnects: int = 0
    unserved: int = 0  # visitors who have not had all of their answers
    joins: int = 0
    seconds: float = 0
    cpu: float = 0  # of one core, by the crowd itself


@dataclass
class Visitor:
    tab: Tab
    chance: random.Random

    def __post_init__(self) -> None:
        self.presses = self._presses()

    def _presses(self) -> Iterator[Press]:
        for journey in journeys.of(self.chance):
            yield from journey(self.tab, self.chance)

    async def press_at(self, moments: list[float], told: Told) -> None:
        free = 0.0
        for moment in moments:
            if (wait := moment - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            press = next(self.presses)
            pressed = time.perf_counter()
            before, answered = free, await self.tab.press(press)
            free = time.perf_counter()
            if not answered:
                self.presses = self._presses()
                continue
            told.took.append(1000 * (free - moment))
            told.served.append(1000 * (free - pressed))
            told.late.append(1000 * (pressed - max(moment, before)))
            told.events.append(press.event.fn.__qualname__)
            told.joins += press.value == "picker"


async def _connected(stack: AsyncExitStack, url: str, count: int) -> list[Visitor]:
    session = await stack.enter_async_context(ClientSession(connector=TCPConnector(limit=0)))
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> Visitor:
        async with turns:
            tab = await stack.enter_async_context(Tab(session, url))
        return Visitor(tab, random.Random(number))

    return await asyncio.gather(*map(one, range(count)))


async def _found_neighborhoods(url: str) -> None:
    async with ClientSession() as session:
        for zip_code in journeys.ZIPS * NEIGHBORHOODS_PER_ZIP:
            async with Tab(session, url) as tab:
                for press in journeys.found_neighborhood(zip_code)(tab, random.Random()):
                    assert await tab.press(press), tab.errors


async def _echoes(visitors: list[Visitor], told: Told) -> None:
    """What the way there and back takes meanwhile, without any of the site's own work."""
    while True:
        await asyncio.sleep(ECHO_EVERY_S)
        if took := await random.choice(visitors).tab.echo():
            told.echo.append(1000 * took)


async def _press(visitors: list[Visitor], rate: float, seconds: float) -> Told:
    told, begin, cpu = Told(), time.perf_counter() + 0.5, time.process_time()
    moments: list[list[float]] = [[] for _ in visitors]
    for _ in range(round(rate * seconds)):
        random.choice(moments).append(begin + random.uniform(0, seconds))
    before = sum(visitor.tab.reconnects for visitor in visitors)
    echoes = asyncio.create_task(_echoes(visitors, told))
    await asyncio.gather(
        *[
            visitor.press_at(sorted(each), told)
            for visitor, each in zip(visitors, moments, strict=True)
        ]
    )
    echoes.cancel()
    told.seconds = time.perf_counter() - begin
    told.cpu = (time.process_time() - cpu) / told.seconds
    told.reconnects = sum(visitor.tab.reconnects for visitor in visitors) - before
    for visitor in visitors:
        told.unserved += bool(visitor.tab.errors)
        told.errors += visitor.tab.errors
        visitor.tab.errors.clear()
    return told


async def _serve(url: str, count: int) -> None:
    here = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        visitors = await _connected(stack, url, count)
        print(json.dumps({"connected": len(visitors)}), flush=True)
        while line := await here.run_in_executor(None, sys.stdin.readline):
            asked = json.loads(line)
            if asked.get("neighborhoods"):
                await _found_neighborhoods(url)
                print(json.dumps({}), flush=True)
            else:
                told = await _press(visitors, asked["rate"], asked["seconds"])
                print(json.dumps(vars(told)), flush=True)


if __name__ == "__main__":
    uvloop.run(_serve(sys.argv[1], int(sys.argv[2])))
