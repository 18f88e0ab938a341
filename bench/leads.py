"""One interaction with the list of leads, and the same of Django's own admin list.

On 100,000 leads, and on a million as a stress test. The question mix is in `lead_questions.py`, how
it is timed in `lead_timing.py`, Django's side in `stock_admin.py`. Both are asked the same question
in turn, on the same database, so that a busy moment of the machine slows both.
"""

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

from bench import QUICK, million
from bench.lead_questions import MILLION, USUAL
from bench.lead_timing import Timing
from bench.people import Sizes
from bench.report import Figure
from tests import servers
from tests.site import ROOT, STAFF_PASSWORD

DETAILS = Path(__file__).parent / "results-leads.json"
KB = 1000


# Milliseconds for the 95th percentile and the slowest answer.
BOUNDS = {USUAL: (50, 120)} if QUICK else {USUAL: (50, 120), MILLION: (150, 700)}


@contextmanager
def _sqlite(sizes: Sizes) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{million.sqlite_copy(Path(folder), sizes)}"


@contextmanager
def _postgres(sizes: Sizes) -> Iterator[str]:
    """Start a server with the memory that PostgreSQL's manual advises for a small machine."""
    with servers.postgres(shared_buffers="1GB") as url:
        million.fill(url, sizes)
        yield url


DATABASES = {"SQLite": _sqlite, "PostgreSQL": _postgres}


def _timings(name: str, sizes: Sizes) -> list[Timing]:
    """Measure in a process of its own: settings are read once in a process."""
    with DATABASES[name](sizes) as url:
        settings = {"FUEL_DATABASE_URL": url, "FUEL_STAFF_PASSWORD": STAFF_PASSWORD}
        done = subprocess.run(
            [sys.executable, "-m", "bench.lead_timing", str(sizes.total)],
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


def _figures(name: str, timings: list[Timing], sizes: Sizes) -> list[Figure]:
    """Summarize each round of all questions."""
    ours = [*zip(*[timing.ours for timing in timings], strict=True)]
    stock = [*zip(*[timing.stock for timing in timings], strict=True)]
    medians = [statistics.median(times) for times in ours]
    theirs = [statistics.median(times) for times in stock]
    ratios = [slow / fast for fast, slow in zip(medians, theirs, strict=True)]
    largest = max(timing.sent for timing in timings) / KB
    p95_ms, slowest_ms = BOUNDS[sizes]
    return [
        Figure(f"{name}: an answer, p95", "ms", [*map(p95, ours)], f"<= {p95_ms}"),
        Figure(f"{name}: the slowest answer", "ms", [*map(max, ours)], f"<= {slowest_ms}"),
        Figure(f"{name}: an answer, median", "ms", medians),
        Figure(f"{name}: Django's admin, median", "ms", theirs),
        Figure(
            f"{name}: Django's admin / ours", "ratio", ratios, ">= 10" if sizes == MILLION else ""
        ),
        Figure(f"{name}: the largest answer", "KB", [largest], "<= 40"),
    ]


def show_kinds(name: str, timings: list[Timing]) -> None:
    """Print the times of each kind of question, and the slowest question of each."""
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
    figures: list[Figure] = []
    kept = {}
    for sizes in BOUNDS:
        for database in DATABASES:
            name = f"{sizes.total:,} leads on {database}"
            timings = _timings(database, sizes)
            show_kinds(name, timings)
            kept[name] = [asdict(timing) for timing in timings]
            figures += _figures(name, timings, sizes)
    DETAILS.write_text(json.dumps(kept, indent=1))
    return figures
