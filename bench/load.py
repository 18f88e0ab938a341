"""A thousand visitors at once: how fast events are answered at 500 a second, and what a tab weighs.

The visitors are a process of their own (`bench/visitors.py`) with an open-loop load of journeys
(`bench/journeys.py`). An idle visitor's memory is the growth of all processes of the server once a
thousand have opened the landing page, divided by a thousand.

First one process with SQLite, then two behind the deployment's own nginx with PostgreSQL and Redis,
all of it on the same machine as the visitors; at the end one of the two is restarted under load.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Self

import psutil

from bench import QUICK
from bench.journeys import JOIN
from bench.report import Figure
from bench.visitors import Who
from tests.deployment import METRICS_TOKEN, counted, deployed
from tests.site import ROOT, Process, served

VISITORS = 300 if QUICK else 1_000
RATE = 500  # events a second that visitors send, which the server handles as 850
# While one of two processes starts: it takes a core for seconds, and there are two for everything.
RATE_AT_RESTART = 300
SECONDS = 4 if QUICK else 20
RUNS = 1 if QUICK else 3
KB = 1024
_JOINED = "SELECT count(*) FROM waitlist_submissions"


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
        self._say(self._crowd)
        self._answer()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def found_neighborhoods(self) -> None:
        self._tell(neighborhoods=True)
        self._answer()

    def begin(self, rate: float, seconds: float) -> None:
        """Let them fire events; `end` waits until they have."""
        self._tell(rate=rate, seconds=seconds)

    def end(self) -> dict[str, Any]:
        """Wait until they have. Return the fields of `bench.visitors.Load`."""
        return self._answer()

    def _tell(self, **what: Any) -> None:
        self._say(what)

    def _say(self, what: Any) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, "the crowd has gone"
        return json.loads(line)


@dataclass
class Run:
    """Outcomes of one period of load."""

    load: dict[str, Any]
    idle_kb: float  # of memory, each
    cpu: float  # of one core, the server
    handled: float  # events by the server: following a link is one press and up to ten of these
    lost: int  # of what was confirmed: not stored, or stored twice

    def percentile(self, percent: int, of: str = "took") -> float:
        return percentile(self.load[of], percent)

    def rate(self, count: float) -> float:
        return count / self.load["seconds"]


@dataclass
class Served:
    """A running site, on one process or on many."""

    url: str
    processes: Sequence[Process]
    stored: Callable[[], Mapping[str, int]]  # what its visitors store, by kind

    def family(self) -> list[psutil.Process]:
        return [each for process in self.processes for each in process.family()]

    def memory(self) -> int:
        return sum(process.memory_info().rss for process in self.family())

    def spent(self) -> float:
        """Return the seconds of CPU so far."""
        return sum(sum(process.cpu_times()[:2]) for process in self.family())

    def handled(self) -> float:
        return sum(counted(process, "fuel_event_seconds_count") for process in self.processes)

    def run(
        self,
        rate: float = RATE,
        meanwhile: Callable[[], None] = lambda: None,
        who: Sequence[Who] = (Who(),) * VISITORS,
    ) -> Run:
        """Connect the visitors, leave them idle, let them fire events, and disconnect."""
        before = self.memory()
        with Crowd(self.url, who) as crowd:
            idle = (self.memory() - before) / len(who)
            stored, spent, handled = self.stored(), self.spent(), self.handled()
            crowd.begin(rate, SECONDS)
            meanwhile()
            load = crowd.end()
            cpu = (self.spent() - spent) / load["seconds"]
            handled = self.handled() - handled
            now, said = self.stored(), load["stored"]
            lost = sum(abs(stored[each] + said.get(each, 0) - now[each]) for each in now)
            return Run(load, idle / KB, cpu, handled, lost)


def percentile(times: Sequence[float], percent: int) -> float:
    return statistics.quantiles([*times, *times], n=100)[percent - 1]  # of a single one, too


def figures(where: str, runs: Sequence[Run], limit_ms: int) -> list[Figure]:
    bound = f"<= {limit_ms}"
    return [
        Figure(f"{where}: an answer, p95", "ms", [r.percentile(95) for r in runs], bound),
        Figure(f"{where}: an answer, median", "ms", [r.percentile(50) for r in runs]),
        Figure(
            f"{where}: the socket's own echo, p95", "ms", [r.percentile(95, "echo") for r in runs]
        ),
        Figure(
            f"{where}: the visitors late by, p95", "ms", [r.percentile(95, "late") for r in runs]
        ),
        Figure(f"{where}: presses answered", "per s", [r.rate(len(r.load["took"])) for r in runs]),
        Figure(f"{where}: events handled", "per s", [r.rate(r.handled) for r in runs]),
        Figure(
            f"{where}: stored by them",
            "per s",
            [r.rate(sum(r.load["stored"].values())) for r in runs],
        ),
        Figure(f"{where}: the server's CPU", "% of a core", [100 * r.cpu for r in runs]),
        Figure(f"{where}: the visitors' CPU", "% of a core", [100 * r.load["cpu"] for r in runs]),
        *faults(where, runs),
    ]


def faults(where: str, runs: Sequence[Run]) -> list[Figure]:
    return [
        Figure(f"{where}: errors", "events", [len(r.load["errors"]) for r in runs], "<= 0"),
        Figure(f"{where}: not served", "visitors", [r.load["unserved"] for r in runs], "<= 0"),
        Figure(f"{where}: lost or doubled", "rows", [r.lost for r in runs], "<= 0"),
    ]


def show_events(where: str, runs: Sequence[Run]) -> None:
    """Print what each kind of event took by itself, and what went wrong."""
    served = defaultdict[str, list[float]](list)
    for run in runs:
        for event, took in zip(run.load["events"], run.load["served"], strict=True):
            served[event].append(took)
    print(f"\n{where:40} {'count':>7} {'median':>7} {'p95':>7} {'slowest':>7}")
    for event, took in sorted(served.items(), key=lambda each: -len(each[1])):
        middle, late = statistics.median(took), percentile(took, 95)
        print(f"{event:40} {len(took):7} {middle:7.1f} {late:7.1f} {max(took):7.1f}")
    for error, count in Counter(chain(*[run.load["errors"] for run in runs])).items():
        print(f"{count} times: {error}")


def _one_process() -> list[Figure]:
    where = f"{VISITORS:,} visitors, 1 process, {RATE}/s"
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), FUEL_METRICS_TOKEN=METRICS_TOKEN) as site,
    ):
        here = Served(site.url, [site.process], lambda: {JOIN: site.rows(_JOINED)[0][0]})
        found_neighborhoods(here)
        runs = [here.run() for _ in range(RUNS)]
    show_events(where, runs)
    # Of the first thousand: those who come later use what the first have left.
    memory = Figure(f"{where}: memory of an idle one", "KB", [runs[0].idle_kb], "<= 120")
    return [*figures(where, runs, limit_ms=100), memory]


def _two_processes() -> list[Figure]:
    where = f"{VISITORS:,} visitors, 2 processes"
    with tempfile.TemporaryDirectory() as folder, deployed(Path(folder)) as site:

        def restart() -> None:
            first = site.processes[0]
            first.stop()
            first.start()

        here = Served(site.url, site.processes, lambda: {JOIN: site.rows(_JOINED)[0][0]})
        found_neighborhoods(here)
        runs = [here.run() for _ in range(RUNS)]
        restarted = [here.run(RATE_AT_RESTART, restart)]
    show_events(where, runs)
    show_events(f"{where}, restarted", restarted)
    again = f"{where}, {RATE_AT_RESTART}/s, one restarted"
    return [
        *figures(f"{where}, {RATE}/s", runs, limit_ms=250),
        Figure(f"{again}: an answer, p95", "ms", [r.percentile(95) for r in restarted], "<= 250"),
        Figure(f"{again}: connected again", "tabs", [r.load["reconnects"] for r in restarted]),
        *faults(again, restarted),
    ]


def found_neighborhoods(site: Served) -> None:
    with Crowd(site.url, []) as founders:
        founders.found_neighborhoods()


def measure() -> list[Figure]:
    return _one_process() + _two_processes()
