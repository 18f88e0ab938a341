"""The import of 100,000 leads while visitors join."""

import asyncio
import random
import statistics
import time
from contextlib import suppress

import uvloop
from aiohttp import ClientSession
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench import QUICK
from bench.joins import _fill_in, _found_a_neighborhood, _join
from bench.memory import Peak
from bench.people import FIRST_NAMES, LAST_NAMES, ZIPS
from bench.report import Figure
from fuel_app.kit.db.session import make_engine
from tests.site import Site
from tests.websocket import Visitor

RUNS = 1 if QUICK else 3
ROWS = 10_000 if QUICK else 100_000
JOINS_PER_S = 5
_LOOK_S = 0.1
_LATEST = text("SELECT state, imported FROM lead_imports ORDER BY started_at DESC LIMIT 1")


def _file(run: int) -> bytes:
    """Return a valid file of new people."""
    chance = random.Random(run)
    first, last, zips = FIRST_NAMES.split(), LAST_NAMES.split(), ZIPS.split()
    lines = ["first_name,last_name,email,phone,zip_code"]
    for number in range(ROWS):
        one, two = chance.choice(first), chance.choice(last)
        phone = f"941{chance.randrange(10**7):07}"
        email = f"lead.{run}.{number}@import.example"
        lines.append(f"{one},{two},{email},{phone},{chance.choice(zips)}")
    return "\n".join(lines).encode()


async def _imported(site: Site, engine: AsyncEngine, run: int) -> float:
    """Import a file. Return the seconds until all of it is stored."""
    started = time.perf_counter()
    async with (
        ClientSession(cookies=site.staff_cookie()) as session,
        session.post(f"{site.url}/api/leads/imports?name=leads.csv", data=_file(run)) as answer,
    ):
        assert answer.status == 202, await answer.text()
    while True:
        async with engine.connect() as connection:
            state, imported = (await connection.execute(_LATEST)).one()
        if state != "running":
            assert (state, imported) == ("done", ROWS), (state, imported)
            return time.perf_counter() - started
        await asyncio.sleep(_LOOK_S)


async def _joined(site: Site, took: list[float]) -> None:
    async with ClientSession() as session, Visitor(session, site.url) as visitor:
        form = await _fill_in(visitor)
        started = time.perf_counter()
        await _join(visitor, form)
        took.append(1000 * (time.perf_counter() - started))


async def _visitors(site: Site, took: list[float]) -> None:
    """Let visitors join at a steady rate, each in a tab of their own."""
    async with asyncio.TaskGroup() as visitors:
        while True:
            visitors.create_task(_joined(site, took))
            await asyncio.sleep(1 / JOINS_PER_S)


async def _run(site: Site, run: int) -> tuple[float, list[float]]:
    url = site.database_url.replace("sqlite:", "sqlite+aiosqlite:")
    # Read-only: a writer would compete for the lock that it measures.
    engine, took = make_engine(url).execution_options(read_only=True), list[float]()
    joining = asyncio.create_task(_visitors(site, took))
    try:
        return await _imported(site, engine, run), took
    finally:
        joining.cancel()
        with suppress(asyncio.CancelledError):
            await joining
        await engine.dispose()


def measure(site: Site, name: str) -> list[Figure]:
    uvloop.run(_found_a_neighborhood(site))
    seconds, p95, middle, more = [], [], [], []
    for run in range(RUNS):
        with Peak(site) as peak:
            took, joins = uvloop.run(_run(site, run))
        seconds.append(took)
        p95.append(statistics.quantiles(joins, n=20)[-1])
        middle.append(statistics.median(joins))
        more.append(peak.more_mb)
    return [
        Figure(f"import of {ROWS:,} on {name}", "s", seconds, "<= 30"),
        Figure(f"import of {ROWS:,} on {name}: more memory", "MB", more, "<= 200"),
        Figure(f"a join beside it on {name}, p95", "ms", p95, "<= 150"),
        Figure(f"a join beside it on {name}, median", "ms", middle),
    ]
