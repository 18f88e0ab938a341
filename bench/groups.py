"""The staff's table of groups over 20,000 groups with a million members, one of them with 50,000.

Each question is the whole use case behind a screen: the count and the page of the table, or the
group with its pioneer and a page of its members.

`python -m bench.groups` also prints what each kind of question took.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import grouped, million
from bench.group_questions import SIZES
from bench.group_timing import Timing
from bench.report import Figure, show
from tests import servers
from tests.site import ROOT


@contextmanager
def _sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{grouped.sqlite_copy(Path(folder), SIZES)}"


@contextmanager
def _postgres() -> Iterator[str]:
    with servers.postgres() as url:
        million.migrate(url)
        asyncio.run(grouped.fill_postgres(url, SIZES))
        yield url


DATABASES = {"SQLite": _sqlite, "PostgreSQL": _postgres}


def _timings(name: str) -> list[Timing]:
    """In a process of its own: settings are read once in a process."""
    with DATABASES[name]() as url:
        done = subprocess.run(
            [sys.executable, "-m", "bench.group_timing"],
            cwd=ROOT,
            env=os.environ | {"FUEL_DATABASE_URL": url},
            stdout=subprocess.PIPE,
            check=True,
        )
    return [Timing(**timing) for timing in json.loads(done.stdout)]


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _of(timings: list[Timing], *kinds: str) -> list[Timing]:
    return [timing for timing in timings if timing.kind in kinds]


def _figures(name: str, timings: list[Timing]) -> list[Figure]:
    lists = [timing for timing in timings if timing.kind not in {"detail", "map"}]
    rounds = [[*each] for each in zip(*[timing.took for timing in lists], strict=True)]
    slowest = max(lists, key=lambda timing: statistics.median(timing.took))
    return [
        Figure(f"groups on {name}: a page, p95", "ms", [*map(_p95, rounds)], "<= 50"),
        Figure(f"groups on {name}: the slowest question", "ms", slowest.took, "<= 50"),
        Figure(f"groups on {name}: a page, median", "ms", [*map(statistics.median, rounds)]),
        Figure(
            f"groups on {name}: {SIZES.largest:,} members open, p95",
            "ms",
            [_p95(timing.took) for timing in _of(timings, "detail")],
            "<= 50",
        ),
        Figure(f"groups on {name}: the map", "ms", _of(timings, "map")[0].took, "<= 50"),
    ]


def details(name: str, timings: list[Timing]) -> None:
    """Print what each kind of question took, and the slowest question of each."""
    print(f"\n{name}, ms{'median':>20} {'p95':>7}  the slowest, by its median")
    for kind in dict.fromkeys(timing.kind for timing in timings):
        asked = _of(timings, kind)
        every = [took for timing in asked for took in timing.took]
        slowest = max(asked, key=lambda timing: statistics.median(timing.took))
        worst = statistics.median(slowest.took)
        print(
            f"{kind:20} {statistics.median(every):7.1f} {_p95(every):7.1f}"
            f"  {worst:.0f}: {slowest.question}"
        )


def measure() -> list[Figure]:
    return [figure for name in DATABASES for figure in _figures(name, _timings(name))]


if __name__ == "__main__":
    every = {name: _timings(name) for name in sys.argv[1:] or DATABASES}
    for name, timings in every.items():
        details(name, timings)
    print()
    show([figure for name, timings in every.items() for figure in _figures(name, timings)])
