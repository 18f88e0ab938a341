"""Published instances in VRPLIB form: `python -m bench instances FOLDER`.

Every `.vrp` file of the folder is solved as our own problem. The best known distance stands in the
file's comment, in a `.sol` file beside it, or in the folder's README.
"""

import re
import sys
import time
from math import inf
from pathlib import Path

import pyvrp

from bench.report import Figure
from fuel_app.dispatch.providers import vrp
from fuel_app.dispatch.rules.day_plan import Job, Problem, Vehicle, fits, legs_of

NONE = 10**12  # as late, or as much, is no limit
NUMBER = r"([\d.]*\d)"


def measure(folder: Path) -> list[Figure]:
    figures = []
    for file in sorted(folder.glob("*.vrp")):
        print(f"{file.stem} ...", file=sys.stderr)
        figures += _measure(file)
    return figures


def _measure(file: Path) -> list[Figure]:
    text = file.read_text()
    # Conventions: with windows, distances are truncated to one decimal; without, rounded.
    has_windows = "TIME_WINDOW_SECTION" in text
    problem = _problem(pyvrp.read(file, "dimacs" if has_windows else "round"))
    started = time.perf_counter()
    solution = vrp.solve(problem)
    took = time.perf_counter() - started
    pairs = list(zip(problem.vehicles, solution.tours, strict=True))
    assert all(fits(problem, vehicle, tour) for vehicle, tour in pairs)
    distance = sum(sum(legs_of(problem, vehicle, tour)) for vehicle, tour in pairs if tour)
    distance /= 10 if has_windows else 1
    figures = [
        Figure(f"{file.stem}: solved", "s", [took], "<= 10"),
        Figure(f"{file.stem}: stops left out", "", [len(solution.unserved)], "<= 0"),
        Figure(f"{file.stem}: distance", "", [distance]),
    ]
    if best := _best_known(file, text):
        above = 100 * (distance / best - 1)
        figures.append(Figure(f"{file.stem}: above the best known {best:g}", "%", [above], "<= 1"))
    return figures


def _problem(data: pyvrp.ProblemData) -> Problem:
    """Return an instance as our problem; its distances are times too."""
    jobs = tuple(
        Job(
            each.location,
            each.service_duration,
            each.tw_early,
            _limit(each.tw_late),
            tuple(map(int, each.delivery)),
        )
        for each in data.clients()
    )
    vehicles = tuple(
        Vehicle(
            data.depot(each.start_depot).location,
            data.depot(each.end_depot).location,
            tanks=tuple(map(int, each.capacity)),
            earliest=each.tw_early,
            latest=_limit(each.tw_late),
        )
        for each in data.vehicle_types()
        for _ in range(each.num_available)
    )
    matrix = data.distance_matrix(0).tolist()
    return Problem(tuple(map(tuple, matrix)), jobs, vehicles)


def _limit(moment: int) -> float:
    return inf if moment > NONE else moment


def _best_known(file: Path, text: str) -> float | None:
    solution, readme = file.with_suffix(".sol"), file.parent / "README.md"
    table = readme.read_text() if readme.exists() else ""
    found = (
        re.search(rf"^COMMENT.*(?:best|optimal)\D*{NUMBER}", text, re.MULTILINE | re.IGNORECASE),
        solution.exists() and re.search(rf"cost\D*{NUMBER}", solution.read_text(), re.IGNORECASE),
        re.search(rf"\b{re.escape(file.stem)}\b.*best known\D*{NUMBER}", table, re.IGNORECASE),
    )
    return next((float(each[1]) for each in found if each), None)
