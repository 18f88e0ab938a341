"""A process is killed (SIGKILL: it cannot finish anything) in the middle of its work."""

import asyncio
import time

from tests.faults.crowd import joining
from tests.faults.imports import bring
from tests.faults.outcome import Outcome, audit
from tests.faults.running import Running


async def during_joins(site: Running, *, people: int, per_second: float) -> Outcome:
    """A third of the people have joined when a process goes; then it is started again."""
    async with joining(site.urls, people, per_second) as crowd:
        await crowd.until_confirmed(people // 3)
        killed = await _killed(site)
    books = await audit(site)
    return Outcome(
        fault=f"kill -9 one of {len(site.processes)}, start it again",
        load=f"{people:,} joins, {per_second:.0f} a second",
        served=len(crowd.confirmed),
        lost=books.lost(crowd.confirmed),
        doubled=books.doubled,
        half=books.half,
        recovered_s=crowd.first_confirmed_after(killed),
        meanwhile=crowd.told(),
    )


async def during_an_import(site: Running, *, rows: int) -> Outcome:
    """A tenth of the file has come in when the process goes. The import goes on by itself; the same
    file, brought again, adds nothing."""
    cookie = site.staff_cookie()
    first = await bring(site, rows, cookie)
    await first.under_way(rows // 10)
    killed = await _killed(site)
    how, recovered = await first.ended(), time.monotonic()
    again = await bring(site, rows, cookie)
    await again.ended()
    stored = await again.stored()
    books = await audit(site)
    return Outcome(
        fault=f"kill -9 one of {len(site.processes)}, start it again",
        load=f"an import of {rows:,} rows",
        served=len(stored),
        lost=rows - len(stored),
        doubled=stored.total() - len(stored),
        half=books.half,
        recovered_s=recovered - killed,
        meanwhile=f"the import is {how} by itself",
    )


async def _killed(site: Running) -> float:
    """Kill it and start it again; returns when it was killed."""
    site.process.kill()
    killed = time.monotonic()
    await asyncio.to_thread(site.process.start)
    return killed
