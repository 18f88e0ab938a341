"""Tabs of an open company press on while a process is killed, or a server is away.

Customers book, move and cancel, visitors join and track, staff work and technicians fill. What was
confirmed has to be stored, once; and what is written has to agree, as after each step of a walk.

`python -m tests.faults.company` prints what does not agree in `FUEL_DATABASE_URL`.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from bench.company_journeys import CUSTOMER, DISPATCHER, NEWCOMER, TECHNICIAN, TRACKER
from bench.company_load import JOINED, STEPS, seeded, stored_of
from bench.load import Crowd
from bench.visitors import Who
from fuel_app.accounts.state.session import COOKIE
from tests.faults.outcome import Outcome
from tests.faults.running import Deployed, Running
from tests.servers import Server
from tests.site import ROOT
from tests.waiting import comes_true

TABS = {CUSTOMER: 60, NEWCOMER: 40, TECHNICIAN: 20, TRACKER: 5, DISPATCHER: 1}
PLACES = 1_000  # in a slot, more than the company that is made has
JOBS_S = 240  # until all have run, those of a killed process and those that were tried included
_DUE = """
SELECT kind, count(*), max(attempts), min(run_at), max(error) FROM jobs
WHERE ended_at IS NULL AND (run_at <= '{now}' OR attempts > 0) GROUP BY kind
"""
Interrupt = Callable[[], float]  # returns the moment from which the recovery is counted


async def killed(site: Running, *, rate: float, seconds: float) -> Outcome:
    """Kill the process and start it again."""

    def interrupt() -> float:
        site.process.kill()
        moment = time.monotonic()
        site.process.start()
        return moment

    what = f"kill -9 one of {len(site.processes)}, start it again"
    return await pressed(site, what, await crowd_of(site), interrupt, rate, seconds)


async def without_database(site: Deployed, *, rate: float, seconds: float, away: float) -> Outcome:
    """Stop PostgreSQL for a while."""
    what = f"PostgreSQL stopped for {away:.0f} s"
    interrupt = _away(site.database, away)
    return await pressed(site, what, await crowd_of(site), interrupt, rate, seconds)


async def without_redis(site: Deployed, *, rate: float, seconds: float, away: float) -> Outcome:
    """Stop Redis for a while; it comes back empty."""
    what = f"Redis stopped for {away:.0f} s, empty when it is back"
    interrupt = _away(site.redis, away)
    return await pressed(site, what, await crowd_of(site), interrupt, rate, seconds)


def _away(server: Server, seconds: float) -> Interrupt:
    def interrupt() -> float:
        server.stop()
        time.sleep(seconds)
        server.start()
        return time.monotonic()

    return interrupt


async def crowd_of(site: Running) -> Sequence[Who]:
    """Fill the database with the rows of a company. Return who comes."""
    found = await asyncio.to_thread(seeded, site.database_url, COOKIE)
    return [who for kind, most in TABS.items() for who in _some(found, kind, most)]


def _some(crowd: Sequence[Who], kind: str, most: int) -> Sequence[Who]:
    return [who for who in crowd if who.kind == kind][:most]


async def pressed(
    site: Running,
    what: str,
    crowd: Sequence[Who],
    interrupt: Interrupt,
    rate: float,
    seconds: float,
    *,
    ahead: timedelta = timedelta(0),
    others: Mapping[str, int] = MappingProxyType({}),
) -> Outcome:
    """Let tabs press, and interrupt them after a third of the time.

    Args:
        ahead: By how much the jobs' clock is fast at the end.
        others: What is stored meanwhile besides, by kind; known once the tabs have pressed.
    """
    await asyncio.to_thread(_found_neighborhoods, site.url)
    before, wrong = await stored(site), await problems(site)
    load = await asyncio.to_thread(_press, site.url, crowd, interrupt, rate, seconds)
    await jobs_end(site, ahead)
    now, said = await stored(site), load["stored"]
    known = Counter(said) + Counter(others)
    beyond = {kind: now[kind] - before[kind] - known[kind] for kind in now}
    unheard = Counter(load["unheard"])  # of these, some are stored all the same
    disagree = await problems(site) - wrong
    for each in (*disagree, beyond, Counter(load["errors"])):
        print(each, file=sys.stderr)
    return Outcome(
        fault=what,
        load=f"{len(crowd):,} tabs of an open company, {rate:.0f} presses a second",
        served=sum(said.values()),
        lost=sum(max(0, -count) for count in beyond.values()),
        doubled=sum(max(0, count - unheard[kind]) for kind, count in beyond.items()),
        half=len(disagree),
        recovered_s=load["recovered"],
        meanwhile=f"{len(load['took']):,} presses answered, the slowest in "
        f"{max(load['served']) / 1000:.1f} s, {len(load['errors'])} not; "
        f"{load['reconnects']} times connected again",
    )


def _found_neighborhoods(url: str) -> None:
    with Crowd(url, []) as founders:
        founders.found_neighborhoods()


def _press(
    url: str, crowd: Sequence[Who], interrupt: Interrupt, rate: float, seconds: float
) -> dict[str, Any]:
    with Crowd(url, crowd) as tabs:
        tabs.begin(rate, seconds)
        time.sleep(seconds / 3)
        since = interrupt()
        load = tabs.end()
    later = [moment for moment in load["stored_at"] if moment > since]
    return load | {"recovered": min(later) - since if later else 0}


async def jobs_end(site: Running, ahead: timedelta = timedelta(0)) -> None:
    """Wait until nothing is due or tried again, of what jobs have enqueued either."""

    async def due() -> Sequence[Sequence]:
        return await site.rows(_DUE.format(now=datetime.now(UTC) + ahead))

    async def all_done() -> bool:
        return not await due()

    assert await comes_true(all_done, within=JOBS_S), await due()


async def stored(site: Running) -> Counter[str]:
    """Count what tabs store, by kind."""
    return Counter(stored_of(await site.rows(JOINED), await site.rows(STEPS)))


async def problems(site: Running) -> set[str]:
    """Name what does not agree."""
    return set(await printed(site, "tests.faults.company"))


async def printed(site: Running, *module: str) -> Any:
    """Return what a module prints about the database of a site."""
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", *module],
        cwd=ROOT,
        env=os.environ | {"FUEL_DATABASE_URL": site.database_url, "FUEL_RATE_LIMITS": "off"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    import fuel_app.fuel_app  # noqa: F401 (every table)
    from tests.walk import checks

    print(json.dumps(asyncio.run(checks.problems(PLACES))))
