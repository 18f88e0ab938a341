"""A process is killed (SIGKILL: it cannot finish anything) in the middle of its work."""

import asyncio
import time
from pathlib import Path

from tests.faults.crowd import joining
from tests.faults.outcome import Outcome, audit
from tests.faults.running import running


async def during_joins(folder: Path, *, people: int, per_second: float) -> Outcome:
    """A third of the people have joined when the process goes; then it is started again."""
    with running(folder) as site:
        async with joining([site.url], people, per_second) as crowd:
            await crowd.until_confirmed(people // 3)
            site.process.kill()
            killed = time.monotonic()
            await asyncio.to_thread(site.process.start)
        books = await audit(site.database_url)
    return Outcome(
        fault="kill -9 the only process, start it again (SQLite)",
        load=f"{people} joins, {per_second:.0f} a second",
        served=len(crowd.confirmed),
        lost=books.lost(crowd.confirmed),
        doubled=books.doubled,
        half=books.half,
        recovered_s=crowd.first_confirmed_after(killed),
        meanwhile=crowd.told(),
    )
