"""A thousand mixed tabs of an open company: visitors, customers, trackers, staff and technicians.

They press 10 times a second, which is far more than a company of 20,000 customers sees, and then
300 times: first one process with SQLite, then two behind nginx with PostgreSQL and Redis, of which
one is restarted meanwhile. Most presses open a page, with everything that is on it. Memory is the
growth of all processes of the server once the dashboards of customers are open, and boards of
staff on top, by their number.

`python -m bench.company_load` fills the database of `FUEL_DATABASE_URL` and prints who comes.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from bench import QUICK
from bench.company_journeys import (
    CUSTOMER,
    DISPATCHER,
    NEWCOMER,
    STAFF,
    STORED,
    TECHNICIAN,
    TRACKER,
)
from bench.journeys import JOIN
from bench.load import KB, Crowd, Served, faults, figures, found_neighborhoods, show_events
from bench.report import Figure
from bench.visitors import Who
from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from tests.deployment import METRICS_TOKEN, deployed
from tests.site import ROOT, served

SHARE = 5 if QUICK else 1  # a fifth of the tabs
VISITORS, RUNS = 450 // SHARE, 1 if QUICK else 2
BUSY, RATE = 10 // SHARE, 300 // SHARE  # presses a second
COUNTS = {CUSTOMER: 400 // SHARE, TRACKER: 100 // SHARE, STAFF: 19, DISPATCHER: 1, TECHNICIAN: 30}
JOINED = "SELECT count(*) FROM waitlist_submissions"
STEPS = "SELECT kind, count(*) FROM booking_events WHERE actor <> 'system' GROUP BY kind"


async def seed() -> list[Who]:
    """Fill the database. Return who comes, with their sessions."""
    from bench.company_rows import Sizes, fill
    from fuel_app.accounts.rules import Role
    from fuel_app.kit import secrets
    from fuel_app.messages.rules.kinds import TRACKED
    from tests.helpers.signed_in import a_person, cookie_for

    trucks = COUNTS[TECHNICIAN]
    made = await fill(Sizes(10 * COUNTS[CUSTOMER], 18 * trucks, days_before=5, has_leads=False))
    office = [await a_person(Role.DISPATCHER) for _ in range(COUNTS[STAFF] + COUNTS[DISPATCHER])]
    followed = made.stops[-COUNTS[TRACKER] :]
    crowd = [Who(TRACKER, routes.track(secrets.token(TRACKED, stop))) for stop in followed]
    for kind, path, people in (
        (CUSTOMER, routes.DASHBOARD, made.customers[: COUNTS[CUSTOMER]]),
        (STAFF, routes.CUSTOMER_DASHBOARD, office[1:]),
        (DISPATCHER, routes.DISPATCH, office[:1]),
        (TECHNICIAN, routes.DRIVE, made.technicians),
    ):
        crowd += [Who(kind, path, await cookie_for(each)) for each in people]
    return crowd


def seeded(database_url: str, cookie: str) -> list[Who]:
    """Fill a site's database. Return who comes, each with the header of their cookie."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.company_load"],
        cwd=ROOT,
        env=os.environ | {"FUEL_DATABASE_URL": database_url},
        stdout=subprocess.PIPE,
        check=True,
    )
    found = [Who(**each) for each in json.loads(done.stdout.splitlines()[-1])]
    known = [Who(each.kind, each.path, each.cookie and f"{cookie}={each.cookie}") for each in found]
    return [*known, *[Who(NEWCOMER)] * VISITORS]


def _stored(rows: Callable[[str], list[tuple[Any, ...]]]) -> Mapping[str, int]:
    return stored_of(rows(JOINED), rows(STEPS))


def stored_of(joined: Sequence[Any], steps: Sequence[Any]) -> Mapping[str, int]:
    """Return what is stored, by kind, from the answers to `JOINED` and `STEPS`."""
    counts = {kind: count for kind, count in steps}
    return {JOIN: joined[0][0]} | {kind: counts.get(kind, 0) for kind in STORED}


def _memory(site: Served, crowd: Sequence[Who]) -> Iterator[Figure]:
    """Open customers' dashboards, and boards of staff on top of them."""
    with ExitStack() as stack:
        for kind, path, what, most in (
            (CUSTOMER, routes.DASHBOARD, "a signed-in customer's dashboard", CUSTOMER_KB),
            (STAFF, routes.DISPATCH, "the staff's board", BOARD_KB),
        ):
            theirs = [replace(each, path=path) for each in crowd if each.kind == kind]
            before = site.memory()
            stack.enter_context(Crowd(site.url, theirs))
            each_kb = (site.memory() - before) / len(theirs) / KB
            yield Figure(f"memory of {what}", "KB", [each_kb], f"<= {most}")


def _one_process() -> list[Figure]:
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), FUEL_METRICS_TOKEN=METRICS_TOKEN) as site,
    ):
        crowd = seeded(site.database_url, COOKIE)
        where = f"{len(crowd):,} tabs of the company, 1 process"
        here = Served(site.url, [site.process], lambda: _stored(site.rows))
        found_neighborhoods(here)
        memory = [*_memory(here, crowd)]
        return [*_runs(here, where, crowd, limit_ms=100), *memory]


def _runs(here: Served, where: str, crowd: Sequence[Who], limit_ms: int) -> Iterator[Figure]:
    for rate in (BUSY, RATE):
        runs = [here.run(rate, who=crowd) for _ in range(RUNS)]
        show_events(f"{where}, {rate}/s", runs)
        yield from figures(f"{where}, {rate}/s", runs, limit_ms)


def _two_processes() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder, deployed(Path(folder)) as site:

        def restart() -> None:
            first = site.processes[0]
            first.stop()
            first.start()

        crowd = seeded(site.database_url, f"__Host-{COOKIE}")
        where = f"{len(crowd):,} tabs of the company, 2 processes"
        here = Served(site.url, site.processes, lambda: _stored(site.rows))
        found_neighborhoods(here)
        found = [*_runs(here, where, crowd, limit_ms=250)]
        again = f"{where}, {BUSY}/s, one restarted"
        restarted = [here.run(BUSY, restart, crowd)]
    show_events(again, restarted)
    slow = [run.percentile(95) for run in restarted]
    return [
        *found,
        Figure(f"{again}: an answer, p95", "ms", slow, "<= 250"),
        *faults(again, restarted),
    ]


CUSTOMER_KB, BOARD_KB = 250, 3_000


def measure() -> list[Figure]:
    return _one_process() + _two_processes()


if __name__ == "__main__":
    print(json.dumps([asdict(who) for who in asyncio.run(seed())]))
