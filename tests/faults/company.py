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
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
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
JOBS_S = 180  # until all have run, those of a killed process included
_DUE = """
SELECT kind, count(*), max(attempts), min(run_at), max(error) FROM jobs
WHERE ended_at IS NULL AND run_at <= '{now}' GROUP BY kind
"""


async def killed(site: Running, *, rate: float, seconds: float) -> Outcome:
    """Kill the process and start it again."""

    def interrupt() -> None:
        site.process.kill()
        site.process.start()

    what = f"kill -9 one of {len(site.processes)}, start it again"
    return await _pressed(site, what, interrupt, rate, seconds)


async def without_database(site: Deployed, *, rate: float, seconds: float, away: float) -> Outcome:
    """Stop PostgreSQL for a while."""
    what = f"PostgreSQL stopped for {away:.0f} s"
    return await _pressed(site, what, _away(site.database, away), rate, seconds)


async def without_redis(site: Deployed, *, rate: float, seconds: float, away: float) -> Outcome:
    """Stop Redis for a while; it comes back empty."""
    what = f"Redis stopped for {away:.0f} s, empty when it is back"
    return await _pressed(site, what, _away(site.redis, away), rate, seconds)


def _away(server: Server, seconds: float) -> Callable[[], None]:
    def interrupt() -> None:
        server.stop()
        time.sleep(seconds)
        server.start()

    return interrupt


async def _pressed(
    site: Running, what: str, interrupt: Callable[[], None], rate: float, seconds: float
) -> Outcome:
    found = await asyncio.to_thread(seeded, site.database_url, COOKIE)
    crowd = [who for kind, most in TABS.items() for who in _some(found, kind, most)]
    before, wrong = await _stored(site), await _problems(site)
    load = await asyncio.to_thread(_press, site.url, crowd, interrupt, rate, seconds)

    async def all_done() -> bool:
        return not await _due(site)

    assert await comes_true(all_done, within=JOBS_S), await _due(site)
    now, said = await _stored(site), load["stored"]
    beyond = {kind: now[kind] - before[kind] - said.get(kind, 0) for kind in now}
    unheard = len(load["errors"])  # of these, some are stored all the same
    return Outcome(
        fault=what,
        load=f"{len(crowd):,} tabs of an open company, {rate:.0f} presses a second",
        served=sum(said.values()),
        lost=sum(max(0, -count) for count in beyond.values()),
        doubled=max(0, sum(max(0, count) for count in beyond.values()) - unheard),
        half=len(await _problems(site) - wrong),
        meanwhile=f"{len(load['took']):,} presses answered, {unheard} not; "
        f"{load['reconnects']} times connected again",
    )


def _some(crowd: Sequence[Who], kind: str, most: int) -> Sequence[Who]:
    return [who for who in crowd if who.kind == kind][:most]


def _press(
    url: str, crowd: Sequence[Who], interrupt: Callable[[], None], rate: float, seconds: float
) -> dict[str, Any]:
    with Crowd(url, crowd) as tabs:
        tabs.begin(rate, seconds)
        time.sleep(seconds / 3)
        interrupt()
        return tabs.end()


async def _stored(site: Running) -> Counter[str]:
    return Counter(stored_of(await site.rows(JOINED), await site.rows(STEPS)))


async def _due(site: Running) -> Sequence[Any]:
    return await site.rows(_DUE.format(now=datetime.now(UTC)))


async def _problems(site: Running) -> set[str]:
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "tests.faults.company"],
        cwd=ROOT,
        env=os.environ | {"FUEL_DATABASE_URL": site.database_url},
        stdout=subprocess.PIPE,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    import fuel_app.fuel_app  # noqa: F401 (every table)
    from tests.walk.checks import problems

    print(json.dumps(asyncio.run(problems(PLACES))))
