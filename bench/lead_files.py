"""Files of 100,000 leads in and out of the list, on SQLite and on PostgreSQL.

An import is timed from the request with the file until its last row is stored. An export of the
same leads is timed as a browser takes it. Memory is what the server's processes have more than
before, at the most; the shared pages of the database's file belong to the system's cache.
"""

import asyncio
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from aiohttp import ClientSession

from bench import QUICK, apart
from bench.people import FIRST_NAMES, LAST_NAMES, ZIPS
from bench.report import Figure
from tests.faults.running import Running
from tests.site import Site, served
from tests.waiting import comes_true

ROWS = 10_000 if QUICK else 100_000
EXPORTS = 1 if QUICK else 3
TIMEOUT_S = 600
MB = 2**20
_LATEST = "SELECT state, imported FROM lead_imports ORDER BY started_at DESC LIMIT 1"


class Peak:
    """Peak growth of the site's processes inside the block, in `more_mb`."""

    def __init__(self, site: Site) -> None:
        self._processes = site.process.family()
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self.more_mb = 0.0

    def __enter__(self) -> Self:
        self._before = self._now()
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watcher.join()

    def _now(self) -> float:
        used = (process.memory_info() for process in self._processes)
        return sum(each.rss - each.shared for each in used) / MB

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            self.more_mb = max(self.more_mb, self._now() - self._before)


def measure() -> list[Figure]:
    return [figure for name in apart.DATABASES for figure in _on(name)]


def _on(name: str) -> Iterator[Figure]:
    with (
        apart.DATABASES[name]() as url,
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), FUEL_DATABASE_URL=url) as site,
    ):
        with Peak(site) as peak:
            took = asyncio.run(_import(site))
        yield Figure(f"import of {ROWS:,} on {name}", "s", [took], "<= 30")
        yield Figure(f"import of {ROWS:,} on {name}: more memory", "MB", [peak.more_mb], "<= 200")
        first, last, more = [], [], []
        for _ in range(EXPORTS):
            with Peak(site) as peak:
                to_first, to_last = asyncio.run(_export(site))
            first.append(1000 * to_first)
            last.append(to_last)
            more.append(peak.more_mb)
        yield Figure(f"export of {ROWS:,} on {name}: first byte", "ms", first, "<= 300")
        yield Figure(f"export of {ROWS:,} on {name}: all of it", "s", last, "<= 30")
        yield Figure(f"export of {ROWS:,} on {name}: more memory", "MB", more, "<= 60")


def _file() -> bytes:
    """Return a valid file of new people."""
    chance = random.Random(1)
    first, last, zips = FIRST_NAMES.split(), LAST_NAMES.split(), ZIPS.split()
    lines = ["first_name,last_name,email,phone,zip_code"]
    for number in range(ROWS):
        name = f"{chance.choice(first)},{chance.choice(last)}"
        phone = f"941{chance.randrange(10**7):07}"
        lines.append(f"{name},lead.{number}@import.example,{phone},{chance.choice(zips)}")
    return "\n".join(lines).encode()


async def _import(site: Site) -> float:
    """Import the file. Return the seconds until all of it is stored."""
    file, database, cookie = _file(), Running([], site.database_url), site.staff_cookie()

    async def has_ended() -> bool:
        (state, imported) = (await database.rows(_LATEST))[0]
        assert state == "running" or (state, imported) == ("done", ROWS), (state, imported)
        return state == "done"

    started = time.perf_counter()
    async with (
        ClientSession(cookies=cookie) as session,
        session.post(f"{site.url}/api/leads/imports?name=leads.csv&begin=1", data=file) as answer,
    ):
        assert answer.status == 202, await answer.text()
    assert await comes_true(has_ended, within=TIMEOUT_S, pause_s=0.2)
    return time.perf_counter() - started


async def _export(site: Site) -> tuple[float, float]:
    """Return the seconds until the first and the last byte."""
    lines, cookie = 0, site.staff_cookie()
    started = time.perf_counter()
    async with (
        ClientSession(cookies=cookie) as session,
        session.get(f"{site.url}/api/leads/export") as answer,
    ):
        assert answer.status == 200
        await answer.content.readany()
        first = time.perf_counter() - started
        async for part in answer.content.iter_any():
            lines += part.count(b"\r\n")
    assert lines >= ROWS
    return first, time.perf_counter() - started
