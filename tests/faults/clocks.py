"""The clock of a site's processes is set forward and back by an hour while tabs press."""

import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from tests.faults import made
from tests.faults.company import pressed
from tests.faults.injecting import Injected
from tests.faults.outcome import Outcome
from tests.faults.running import Running, alone, together

HOUR_S = 3600
LATER = timedelta(hours=2)  # until all that was put off under a wrong clock is due


async def jumps(folder: Path, *, rate: float, seconds: float) -> Outcome:
    """Set the clock of one process with SQLite."""
    injected = Injected.into(folder)
    with alone(folder, None, **injected.settings) as site:
        return await _jumps(site, injected, rate, seconds)


async def jumps_of_two(folder: Path, *, rate: float, seconds: float) -> Outcome:
    """Set the clock of two processes with PostgreSQL and Redis."""
    injected = Injected.into(folder)
    with together(folder, **injected.settings) as site:
        return await _jumps(site, injected, rate, seconds)


async def _jumps(site: Running, injected: Injected, rate: float, seconds: float) -> Outcome:
    crowd = await made.company_of(site)
    due = await made.due_in(site)

    def interrupt() -> float:
        since = time.monotonic()
        for off_s in (HOUR_S, 0, -HOUR_S, 0):
            injected.set(off_s=off_s)
            time.sleep(seconds / 8)
        injected.set(off_s=LATER.total_seconds())
        return since

    what = f"the clock of {len(site.processes)} set forward an hour, back, back an hour, forward"
    outcome = await pressed(site, what, crowd, interrupt, rate, seconds, ahead=LATER)
    missing, again = await made.settled(site, due)
    return replace(
        outcome,
        load=f"{outcome.load}, fills, holds and renewals due",
        served=outcome.served + sum(map(len, due.values())),
        lost=outcome.lost + missing,
        doubled=outcome.doubled + again,
    )
