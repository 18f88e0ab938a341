"""One interaction with a list of a million leads, and the same of Django's own admin list.

What is compared, and how it is timed, is in `bench/stock_admin.py` and `bench/lead_timing.py`:
question by question in turn, on the same database, so that a busy moment of the machine meets both.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from bench import million
from bench.lead_questions import SIZES
from bench.lead_timing import Timing
from bench.report import Figure
from tests import servers
from tests.site import ROOT, STAFF_PASSWORD

DETAILS = Path(__file__).parent / "results-leads.json"
KB = 1000


@contextmanager
def _sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{million.sqlite_copy(Path(folder), SIZES)}"


@contextmanager
def _postgres() -> Iterator[str]:
    """With as much memory as PostgreSQL's manual advises for a small machine; Django has it too."""
    with servers.postgres(shared_buffers="1GB") as url:
        million.migrate(url)
        asyncio.run(million.fill_postgres(url, SIZES))
        yield url


DATABASES = {"SQLite": _sqlite, "PostgreSQL": _postgres}


def _timings(name: str) -> list[Timing]:
    """In a process of its own: settings are read once in a process, ours and Django's alike."""
    with DATABASES[name]() as url:
        settings = {"FUEL_DATABASE_URL": url, "FUEL_STAFF_PASSWORD": STAFF_PASSWORD}
        done = subprocess.run(
            [sys.executable, "-m", "bench.lead_timing"],
            cwd=ROOT,
            env=os.environ | settings,
            stdout=subprocess.PIPE,
            check=True,
        )
    return [Timing(**timing) for timing in json.loads(done.stdout.splitlines()[-1])]


def p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _ratio(timing: Timing) -> float:
    return statistics.median(timing.stock) / statistics.median(timing.ours)


def _figures(name: str, timings: list[Timing]) -> list[Figure]:
    """Each run is a round of all questions."""
    ours = [*zip(*[timing.ours for timing in timings], strict=True)]
    stock = [*zip(*[timing.stock for timing in timings], strict=True)]
    medians = [statistics.median(times) for times in ours]
    theirs = [statistics.median(times) for times in stock]
    ratios = [slow / fast for fast, slow in zip(medians, theirs, strict=True)]
    least, largest = min(map(_ratio, timings)), max(timing.sent for timing in timings) / KB
    return [
        Figure(f"leads on {name}: an answer, p95", "ms", [*map(p95, ours)], "<= 50"),
        Figure(f"leads on {name}: the slowest answer", "ms", [*map(max, ours)], "<= 150"),
        Figure(f"leads on {name}: an answer, median", "ms", medians),
        Figure(f"leads on {name}: Django's admin, median", "ms", theirs),
        Figure(f"leads on {name}: Django's admin / ours", "ratio", ratios, ">= 5"),
        Figure(f"leads on {name}: the least of any question", "ratio", [least], ">= 5"),
        Figure(f"leads on {name}: the largest answer", "KB", [largest], "<= 40"),
    ]


def show_kinds(name: str, timings: list[Timing]) -> None:
    """Print what each kind of question took, and the question of each that took longest."""
    kinds: dict[str, list[Timing]] = defaultdict(list)
    for timing in timings:
        kinds[timing.kind].append(timing)
    print(f"\n{name:26} {'ours':>7} {'p95':>7} {'Django':>8} {'ratio':>6} {'least':>6}  slowest")
    for kind, asked in kinds.items():
        ours = [*chain.from_iterable(timing.ours for timing in asked)]
        stock = statistics.median(chain.from_iterable(timing.stock for timing in asked))
        slowest = max(asked, key=lambda timing: statistics.median(timing.ours))
        worst = statistics.median(slowest.ours)
        median, least = statistics.median(ours), min(map(_ratio, asked))
        print(
            f"{kind:26} {median:7.1f} {p95(ours):7.1f} {stock:8.0f} {stock / median:6.0f}"
            f" {least:6.0f}  {worst:.0f}: {slowest.question}"
        )
    print()


def measure() -> list[Figure]:
    chosen = os.environ.get("BENCH_DATABASES", " ".join(DATABASES)).split()
    every = {name: _timings(name) for name in chosen}
    for name, timings in every.items():
        show_kinds(name, timings)
    kept = {name: [asdict(timing) for timing in timings] for name, timings in every.items()}
    DETAILS.write_text(json.dumps(kept, indent=1))
    return [figure for name, timings in every.items() for figure in _figures(name, timings)]
