"""A thousand mixed tabs of an open company: visitors, customers, trackers, staff and technicians.

They press 10 times a second, which is far more than a company of 20,000 customers sees, and then
300 times: first one process with SQLite, then two behind nginx with PostgreSQL and Redis. They are
a process of their own (`bench/visitors.py`) with an open-loop load of journeys. Most presses open a
page, with everything that is on it. Memory is the growth of all processes of the server once tabs
of a kind are open, by their number.

`python -m bench.load seed` fills the database of `FUEL_DATABASE_URL` and prints who comes.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Self

import psutil

from bench import QUICK, apart
from bench.journeys import (
    BOOK,
    CANCEL,
    CUSTOMER,
    DISPATCHER,
    FILL,
    JOIN,
    MOVE,
    NEWCOMER,
    STAFF,
    TECHNICIAN,
    TRACKER,
)
from bench.report import Figure
from bench.visitors import Who
from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from tests.deployment import METRICS_TOKEN, counted, deployed
from tests.site import ROOT, Process, served

SHARE = 5 if QUICK else 1  # a fifth of the tabs
RUNS = 1 if QUICK else 2
SECONDS = 4 if QUICK else 20
RATES = (10 // SHARE, 300 // SHARE)  # presses a second
COUNTS = {
    NEWCOMER: 450 // SHARE,
    CUSTOMER: 400 // SHARE,
    TRACKER: 100 // SHARE,
    STAFF: 19,
    DISPATCHER: 1,
    TECHNICIAN: 30,
}
MEMORY = (  # kilobytes of a tab of each kind on a page
    (NEWCOMER, routes.HOME, "a visitor's landing page", 120),
    (CUSTOMER, routes.DASHBOARD, "a signed-in customer's dashboard", 250),
    (STAFF, routes.DISPATCH, "the staff's board", 3_000),
)
KB = 1024
JOINED = "SELECT count(*) FROM waitlist_submissions"
STEPS = "SELECT kind, count(*) FROM booking_events WHERE actor <> 'system' GROUP BY kind"


def stored_of(joined: Sequence[Any], steps: Sequence[Any]) -> Mapping[str, int]:
    """Return what is stored, by kind, from the answers to `JOINED` and `STEPS`."""
    counts = {kind: count for kind, count in steps}
    stored = {kind: counts.get(kind, 0) for kind in (BOOK, MOVE, CANCEL, FILL)}
    return stored | {JOIN: joined[0][0]}


class Crowd:
    """Visitors in a process of their own, connected inside the block."""

    def __init__(self, url: str, crowd: Sequence[Who]) -> None:
        self._command = [sys.executable, "-m", "bench.visitors", url]
        self._crowd = [asdict(who) for who in crowd]

    def __enter__(self) -> Self:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self._command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True
        )
        self._send(self._crowd)
        self._answer()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def found_neighborhoods(self) -> None:
        self._send({"neighborhoods": True})
        self._answer()

    def begin(self, rate: float, seconds: float) -> None:
        """Let them fire events; `end` waits until they have."""
        self._send({"rate": rate, "seconds": seconds})

    def end(self) -> dict[str, Any]:
        """Wait until they have. Return the fields of `bench.visitors.Load`."""
        return self._answer()

    def _send(self, what: Any) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, "the crowd has gone"
        return json.loads(line)


def found_neighborhoods(url: str) -> None:
    with Crowd(url, []) as founders:
        founders.found_neighborhoods()


@dataclass
class Run:
    """Outcomes of one period of load."""

    load: dict[str, Any]
    cpu: float  # of one core, the server
    handled: float  # events by the server: following a link is one press and up to ten of these
    lost: int  # of what was confirmed: not stored, or stored twice

    def percentile(self, percent: int, of: str = "took") -> float:
        return _percentile(self.load[of], percent)

    def per_second(self, count: float) -> float:
        return count / self.load["seconds"]


def _percentile(times: Sequence[float], percent: int) -> float:
    return statistics.quantiles([*times, *times], n=100)[percent - 1]  # of a single one, too


@dataclass
class Served:
    """A running site, on one process or on many."""

    url: str
    processes: Sequence[Process]
    rows: Callable[[str], list[tuple[Any, ...]]]

    def memory(self) -> int:
        return sum(each.memory_info().rss for each in self._family())

    def run(self, rate: float, who: Sequence[Who]) -> Run:
        """Connect the visitors, let them fire events, and disconnect."""
        with Crowd(self.url, who) as crowd:
            stored, spent, handled = self._stored(), self._spent(), self._handled()
            crowd.begin(rate, SECONDS)
            load = crowd.end()
            cpu = (self._spent() - spent) / load["seconds"]
            now, confirmed = self._stored(), load["stored"]
            lost = sum(abs(stored[each] + confirmed.get(each, 0) - now[each]) for each in now)
            return Run(load, cpu, self._handled() - handled, lost)

    def _family(self) -> list[psutil.Process]:
        return [each for process in self.processes for each in process.family()]

    def _stored(self) -> Mapping[str, int]:
        return stored_of(self.rows(JOINED), self.rows(STEPS))

    def _spent(self) -> float:
        """Return the seconds of CPU so far."""
        return sum(sum(each.cpu_times()[:2]) for each in self._family())

    def _handled(self) -> float:
        return sum(counted(each, "fuel_event_seconds_count") for each in self.processes)


def measure() -> list[Figure]:
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), FUEL_METRICS_TOKEN=METRICS_TOKEN) as site,
    ):
        crowd = seeded("bench.load", site.database_url, COOKIE)
        here = Served(site.url, [site.process], site.rows)
        found_neighborhoods(here.url)
        memory = [*_memory(here, crowd)]
        alone = [*_runs(here, crowd, limit_ms=100)]
    with tempfile.TemporaryDirectory() as folder, deployed(Path(folder)) as deployment:
        crowd = seeded("bench.load", deployment.database_url, f"__Host-{COOKIE}")
        here = Served(deployment.url, deployment.processes, deployment.rows)
        found_neighborhoods(here.url)
        return [*memory, *alone, *_runs(here, crowd, limit_ms=250)]


def seeded(module: str, database_url: str, cookie: str) -> list[Who]:
    """Fill a site's database as a benchmark does. Return who comes, each with their cookie."""
    crowd = [Who(**each) for each in apart.run(module, "seed", url=database_url)]
    return [replace(each, cookie=each.cookie and f"{cookie}={each.cookie}") for each in crowd]


def _memory(site: Served, crowd: Sequence[Who]) -> Iterator[Figure]:
    """Open tabs of one kind on top of the others."""
    with ExitStack() as stack:
        for kind, path, what, most in MEMORY:
            tabs = [replace(each, path=path) for each in crowd if each.kind == kind]
            before = site.memory()
            stack.enter_context(Crowd(site.url, tabs))
            each_kb = (site.memory() - before) / len(tabs) / KB
            yield Figure(f"memory of {what}", "KB", [each_kb], f"<= {most}")


def _runs(site: Served, crowd: Sequence[Who], limit_ms: int) -> Iterator[Figure]:
    for rate in RATES:
        runs = [site.run(rate, crowd) for _ in range(RUNS)]
        where = f"{len(crowd):,} tabs, {len(site.processes)} process(es), {rate}/s"
        show_events(where, runs)
        for what, unit, numbers, bound in (
            ("an answer, p95", "ms", [each.percentile(95) for each in runs], f"<= {limit_ms}"),
            ("an answer, median", "ms", [each.percentile(50) for each in runs], ""),
            ("the visitors late by, p95", "ms", [each.percentile(95, "late") for each in runs], ""),
            ("events handled", "per s", [each.per_second(each.handled) for each in runs], ""),
            ("the server's CPU", "% of a core", [100 * each.cpu for each in runs], ""),
            ("errors", "events", [len(each.load["errors"]) for each in runs], "<= 0"),
            ("not served", "visitors", [each.load["unserved"] for each in runs], "<= 0"),
            ("lost or doubled", "rows", [each.lost for each in runs], "<= 0"),
        ):
            yield Figure(f"{where}: {what}", unit, numbers, bound)


def show_events(where: str, runs: Sequence[Run]) -> None:
    """Print what each kind of event took by itself, and what went wrong."""
    times = defaultdict[str, list[float]](list)
    for run in runs:
        for event, took in zip(run.load["events"], run.load["served"], strict=True):
            times[event].append(took)
    print(f"\n{where:40} {'count':>7} {'median':>7} {'p95':>7} {'slowest':>7}")
    for event, took in sorted(times.items(), key=lambda each: -len(each[1])):
        middle, late = statistics.median(took), _percentile(took, 95)
        print(f"{event:40} {len(took):7} {middle:7.1f} {late:7.1f} {max(took):7.1f}")
    for error, count in Counter(chain(*[run.load["errors"] for run in runs])).items():
        print(f"{count} times: {error}")


async def seed() -> list[dict[str, Any]]:
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
    return [asdict(who) for who in (*crowd, *[Who(NEWCOMER)] * COUNTS[NEWCOMER])]


if __name__ == "__main__":
    apart.answer({"seed": seed}, sys.argv[1])
