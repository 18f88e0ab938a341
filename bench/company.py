"""Staff's screens and lists with 20,000 customers, 200,000 bookings and 100,000 leads.

Each question is the whole use case behind a screen's first read. `python -m bench.company timings`
fills the database of `FUEL_DATABASE_URL` and measures it; settings are read once in a process, so
each database has one of its own.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import uvloop

from bench import QUICK
from bench.neighborhoods import DATABASES
from bench.report import Figure, show
from tests.site import ROOT

if TYPE_CHECKING:
    from bench.company_questions import Ask

RUNS = 1 if QUICK else 3
ASKED = 5 if QUICK else 10  # times in a run, each question
LIMIT_MS = 100

Timings = dict[str, dict[str, list[list[float]]]]  # milliseconds: screen, question, run


async def timings() -> Timings:
    """Return the milliseconds of each question."""
    from bench.company_questions import questions
    from bench.company_rows import fill
    from fuel_app.server import site

    started = time.perf_counter()
    asked = questions(await fill())
    print(f"filled in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    await site.tune()  # as the server does
    found: Timings = {}
    for screen, theirs in asked.items():
        for question, ask in theirs.items():
            await ask()  # the first one warms up
            runs = [[await _milliseconds(ask) for _ in range(ASKED)] for _ in range(RUNS)]
            found.setdefault(screen, {})[question] = runs
    return found


async def _milliseconds(ask: "Ask") -> float:
    before = time.perf_counter()
    await ask()
    return 1000 * (time.perf_counter() - before)


def _p95(run: list[float]) -> float:
    return statistics.quantiles(run, n=20, method="inclusive")[-1]


def _on(name: str) -> Iterator[Figure]:
    with DATABASES[name]() as url:
        done = subprocess.run(
            [sys.executable, "-m", "bench.company", "timings"],
            cwd=ROOT,
            env=os.environ | {"FUEL_DATABASE_URL": url},
            stdout=subprocess.PIPE,
            check=True,
        )
    found: Timings = json.loads(done.stdout.splitlines()[-1])
    for screen, asked in found.items():
        p95 = {question: [_p95(run) for run in runs] for question, runs in asked.items()}
        for question, runs in p95.items():
            if (middle := statistics.median(runs)) > LIMIT_MS / 3:
                best = min(min(run) for run in asked[question])
                line = f"{name} {screen} {question}: p95 {middle:.0f} ms, fastest {best:.0f} ms"
                print(line, file=sys.stderr)
        slowest = max(p95, key=lambda question: statistics.median(p95[question]))
        what = f"{screen} on {name}, {len(asked)} questions: slowest ({slowest}), p95"
        yield Figure(what, "ms", p95[slowest], f"<= {LIMIT_MS}")


def measure() -> list[Figure]:
    return [figure for name in DATABASES for figure in _on(name)]


if __name__ == "__main__":
    if sys.argv[1:] == ["timings"]:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as the server has it
            print(json.dumps(runner.run(timings())))
    else:
        show(measure())
