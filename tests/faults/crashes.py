"""A process is killed (SIGKILL) in the middle of its work."""

import asyncio
import time

from tests.faults.crowd import joining
from tests.faults.imports import upload
from tests.faults.outcome import Outcome, audit
from tests.faults.running import Running


async def during_joins(site: Running, *, people: int, per_second: float) -> Outcome:
    """Kill a process when a third of the people have joined, and start it again."""
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
        meanwhile=crowd.messages(),
    )


async def during_an_import(site: Running, *, rows: int) -> Outcome:
    """Kill the process after a tenth of the rows. A second upload of the file adds nothing."""
    cookie = site.staff_cookie()
    first = await upload(site, rows, cookie)
    await first.under_way(rows // 10)
    killed = await _killed(site)
    how, recovered = await first.ended(), time.monotonic()
    again = await upload(site, rows, cookie)
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
    """Kill a process and start it again. Return the moment at which it was killed."""
    site.process.kill()
    killed = time.monotonic()
    await asyncio.to_thread(site.process.start)
    return killed
