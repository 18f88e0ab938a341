"""Quality of the solver's routes within its time limit.

Three kinds of days, the same in every run: ten stops, a hundred, and two hundred in two-hour
windows for fourteen trucks. Each is solved by the product's solver in its own process, by OR-Tools
with the same time, by nearest neighbor, and by a long run of the solver with another seed. Gaps are
measured against the best of all. Both solvers round seconds up and are priced by the same rule.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from bench import QUICK
from bench.report import Figure
from bench.routing import or_tools
from bench.routing.instances import cost, fleet, nearest_neighbor, one_truck
from fuel_app.dispatch.providers import vrp
from fuel_app.dispatch.providers.solver import ProcessSolver
from fuel_app.dispatch.rules.day_plan import Problem


@dataclass(frozen=True)
class Kind:
    what: str
    make: Callable[[int], Problem]
    days: int
    long_run_s: float
    longest: float  # ms it may take
    gap: str = ""  # the bound, in percent


DAYS = (3, 1, 1) if QUICK else (15, 7, 3)
LONG_RUN_S = (1, 3, 6) if QUICK else (1, 20, 60)
KINDS = (
    Kind("10 stops", lambda seed: one_truck(10, seed), DAYS[0], LONG_RUN_S[0], 100),
    Kind("100 stops", lambda seed: one_truck(100, seed), DAYS[1], LONG_RUN_S[1], 2_000, "<= 1"),
    Kind(
        "200 stops with windows",
        lambda seed: fleet(200, 14, seed),
        DAYS[2],
        LONG_RUN_S[2],
        10_000,
        "<= 3",
    ),
)


def measure() -> list[Figure]:
    return asyncio.run(_measure())


async def _measure() -> list[Figure]:
    figures: list[Figure] = []
    solver = ProcessSolver()
    await solver.solve(one_truck(3, 0))  # its process is up
    try:
        for kind in KINDS:
            print(f"routing: {kind.what} ...", file=sys.stderr)
            figures += await _compare(solver, kind)
    finally:
        solver.close()
    return figures


async def _compare(solver: ProcessSolver, kind: Kind) -> list[Figure]:
    took: list[float] = []
    gaps: dict[str, list[float]] = {name: [] for name in ("solver", "OR-Tools", "nearest neighbor")}
    left_out = dict.fromkeys(gaps, 0)
    for seed in range(kind.days):
        problem = kind.make(seed)
        started = time.perf_counter()
        ours = await solver.solve(problem)
        took.append(time.perf_counter() - started)
        answers = {
            "solver": ours,
            "OR-Tools": or_tools.solve(problem, took[-1]),
            "nearest neighbor": nearest_neighbor(problem),
        }
        costs = {name: cost(problem, answer) for name, answer in answers.items()}
        long_run = cost(problem, vrp.solve(problem, seconds=kind.long_run_s, seed=1))
        best = min(long_run, *costs.values())
        for name, answer in answers.items():
            gaps[name].append(100 * (costs[name] / best - 1))
            left_out[name] += len(answer.unserved)
    bounds = {"solver": kind.gap}
    return [
        Figure(f"{kind.what}: time", "ms", [1000 * s for s in took], f"<= {kind.longest:.0f}"),
        *(
            Figure(f"{kind.what}: {name}, gap to the best", "%", runs, bounds.get(name, ""))
            for name, runs in gaps.items()
        ),
        *(
            Figure(f"{kind.what}: {name}, stops left out in all", "stops", [count])
            for name, count in left_out.items()
            if count
        ),
    ]
