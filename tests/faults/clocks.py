"""The clock of a site's processes is set forward and back by an hour while tabs press."""

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from tests.faults import made
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

    def interrupt(money_is_due: Callable[[], None]) -> float:
        money_is_due()
        since = time.monotonic()
        for off_s in (HOUR_S, 0, -HOUR_S, 0):
            injected.set(off_s=off_s)
            time.sleep(seconds / 8)
        injected.set(off_s=LATER.total_seconds())
        return since

    what = f"the clock of {len(site.processes)} set forward an hour, back, back an hour, forward"
    return await made.pressed_when_due(site, what, crowd, interrupt, rate, seconds, ahead=LATER)
