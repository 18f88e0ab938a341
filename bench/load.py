"""A thousand visitors at once: how fast events are answered at 500 a second, and what a tab weighs.

The visitors are in a process of their own (`bench/visitors.py`), press at moments that nobody's
answer moves, and do what visitors do (`bench/journeys.py`). An idle visitor's memory is what all
processes of the server have more, divided, once the thousand have opened the landing page.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Self

import psutil

from bench import QUICK
from bench.report import Figure
from tests.site import ROOT, served

VISITORS = 300 if QUICK else 1_000
RATE = 500  # events a second
SECONDS = 5 if QUICK else 20
RUNS = 1 if QUICK else 3
KB = 1024
_JOINED = "SELECT count(*) FROM waitlist_submissions"


class Crowd:
    """Visitors in a process of their own, connected inside the block."""

    def __init__(self, url: str, count: int) -> None:
        self._command = [sys.executable, "-m", "bench.visitors", url, str(count)]

    def __enter__(self) -> Self:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self._command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True
        )
        self._answer()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def found_groups(self) -> None:
        self._tell(groups=True)
        self._answer()

    def press(self, rate: float = RATE, seconds: float = SECONDS) -> dict[str, Any]:
        """What `bench.visitors.Told` holds."""
        self.begin(rate, seconds)
        return self._answer()

    def begin(self, rate: float, seconds: float) -> None:
        """They press; `end` waits until they have."""
        self._tell(rate=rate, seconds=seconds)

    def end(self) -> dict[str, Any]:
        return self._answer()

    def _tell(self, **what: Any) -> None:
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
    """What a thousand visitors came to."""

    told: dict[str, Any]
    idle_kb: float  # of memory, each
    cpu: float  # of one core, the server
    lost: int  # joins that are not stored, or stored twice


def run(
    url: str, processes: Callable[[], Sequence[psutil.Process]], joined: Callable[[], int]
) -> Run:
    before = _memory(processes())
    with Crowd(url, VISITORS) as crowd:
        idle = (_memory(processes()) - before) / VISITORS
        stored, spent = joined(), _spent(processes())
        told = crowd.press()
        cpu = (_spent(processes()) - spent) / told["seconds"]
        return Run(told, idle / KB, cpu, abs(stored + told["joins"] - joined()))


def _memory(processes: Sequence[psutil.Process]) -> int:
    return sum(process.memory_info().rss for process in processes)


def _spent(processes: Sequence[psutil.Process]) -> float:
    """Seconds of CPU so far."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _percentile(times: Sequence[float], percent: int) -> float:
    return statistics.quantiles([*times, *times], n=100)[percent - 1]


def figures(where: str, runs: Sequence[Run], limit_ms: int) -> list[Figure]:
    told = [run.told for run in runs]

    def times(percent: int) -> list[float]:
        return [_percentile(one["took"], percent) for one in told]

    return [
        Figure(f"{where}: an event's answer, p95", "ms", times(95), f"<= {limit_ms}"),
        Figure(f"{where}: an event's answer, median", "ms", times(50)),
        Figure(f"{where}: an event's answer, p99", "ms", times(99)),
        Figure(
            f"{where}: events answered",
            "per s",
            [len(one["took"]) / one["seconds"] for one in told],
        ),
        Figure(
            f"{where}: joins among them", "per s", [one["joins"] / one["seconds"] for one in told]
        ),
        Figure(f"{where}: errors", "events", [len(one["errors"]) for one in told], "<= 0"),
        Figure(f"{where}: joins lost or doubled", "rows", [run.lost for run in runs], "<= 0"),
        Figure(f"{where}: the server's CPU", "% of a core", [100 * run.cpu for run in runs]),
        Figure(f"{where}: the crowd's CPU", "% of a core", [100 * one["cpu"] for one in told]),
        Figure(
            f"{where}: the crowd late by, p95",
            "ms",
            [_percentile(one["late"], 95) for one in told],
        ),
    ]


def _show_events(where: str, runs: Sequence[Run]) -> None:
    """Print what each kind of event took by itself, and what went wrong."""
    served = defaultdict[str, list[float]](list)
    for run in runs:
        for event, took in zip(run.told["events"], run.told["served"], strict=True):
            served[event].append(took)
    print(f"\n{where:50} {'count':>7} {'median':>7} {'p95':>7} {'slowest':>7}")
    for event, took in sorted(served.items(), key=lambda each: -len(each[1])):
        middle, late = statistics.median(took), _percentile(took, 95)
        print(f"{event:50} {len(took):7} {middle:7.1f} {late:7.1f} {max(took):7.1f}")
    for error, count in Counter(chain(*[run.told["errors"] for run in runs])).items():
        print(f"{count} times: {error}")
    print()


def measure() -> list[Figure]:
    return _one_process()


def _one_process() -> list[Figure]:
    where = f"{VISITORS:,} visitors, one process"
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as site:
        with Crowd(site.url, 0) as founders:
            founders.found_groups()
        joined = lambda: site.rows(_JOINED)[0][0]  # noqa: E731
        runs = [run(site.url, site.processes, joined) for _ in range(RUNS)]
    _show_events(where, runs)
    memory = Figure(f"{where}: an idle one's memory", "KB", [run.idle_kb for run in runs], "<= 150")
    return [*figures(where, runs, limit_ms=100), memory]


if __name__ == "__main__":
    from bench.report import show

    show(measure())
