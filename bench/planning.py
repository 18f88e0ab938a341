"""Planning a day for 8 trucks, with OR-Tools beside it, and for 50; and published instances.

Each day is the same in every run: windows from eight to six, tanks of four grades that some trucks
have to refill, two homes, and now and then a second car in the same driveway. Both solvers keep
breaks of half an hour after at most five hours; ours then spreads the work evenly.

With `BENCH_INSTANCES=FOLDER` every `.vrp` file (VRPLIB form) of a folder is solved as our own
problem. The best known distance stands in the file's comment, in a `.sol` file beside it, or in the
folder's README.
"""

import asyncio
import os
import random
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path

import pyvrp

from bench import QUICK, or_tools
from bench.report import Figure
from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADES
from fuel_app.dispatch.providers import offline, vrp
from fuel_app.dispatch.providers.solver import ProcessSolver
from fuel_app.dispatch.providers.tours import work_of
from fuel_app.dispatch.rules.arrivals import ServiceTimes
from fuel_app.dispatch.rules.day_plan import DayPlan, Job, Problem, Solution, Vehicle, fits, legs_of
from tests.helpers.day_plans import GALLON, a_booking, a_plan, a_route

SIZES = ((150, 8, 10), (600, 50, 30))  # bookings, trucks, seconds at most
DAYS = 1 if QUICK else 3
OR_TOOLS_S = 5 if QUICK else 60
TANKS = {
    "regular": 120 * GALLON,
    "plus": 40 * GALLON,
    "premium": 40 * GALLON,
    "diesel": 60 * GALLON,
}
SHARES = (60, 10, 20, 10)  # percent of the bookings, by grade
HOMES = (Point(27.34, -82.50), Point(27.47, -82.57))  # in Sarasota and Bradenton
OPENS = (0, 2, 4, 6, 8)  # hours after eight o'clock
SECOND_CARS = 0.1
BALANCE = 0.03
NO_LIMIT = 10**12  # as late, or as much
NUMBER = r"([\d.]*\d)"


def measure() -> list[Figure]:
    folder = os.environ.get("BENCH_INSTANCES")
    instances = sorted(Path(folder).glob("*.vrp")) if folder else []
    return [
        *asyncio.run(_days()),
        *(figure for file in instances for figure in _instance(file)),
    ]


def a_day(seed: int, bookings: int, trucks: int) -> DayPlan:
    """Return a made-up day in Sarasota and Bradenton, planned the evening before."""
    chance = random.Random(seed)
    made = []
    while len(made) < bookings:
        car = Point(chance.uniform(27.22, 27.52), chance.uniform(-82.62, -82.40))
        opens = chance.choice(OPENS)
        for _ in range(2 if chance.random() < SECOND_CARS else 1):
            [grade] = chance.choices(GRADES, SHARES)
            window = (opens, opens + 2)
            made.append(a_booking(car, window, chance.randint(8, 20), grade=grade))
    routes = [a_route(n, tanks=TANKS, home=HOMES[n % len(HOMES)]) for n in range(trucks)]
    plan = a_plan(routes, made[:bookings], times=ServiceTimes(rest=30, work=300))
    return replace(plan, balance=BALANCE)


async def _days() -> list[Figure]:
    solver = ProcessSolver()
    figures: list[Figure] = []
    try:
        await solver.solve(a_day(0, 1, 1).problem(((0.0,) * 2,) * 2))  # its process is up
        for bookings, trucks, longest_s in SIZES:
            took, driving, unassigned, above = [], [], [], []
            longest, fuller, more, left_out = [], [], [], []
            for seed in range(DAYS):
                day = a_day(seed, bookings, trucks)
                started = time.perf_counter()
                seconds = await offline.matrix(day.points)
                problem = day.problem(seconds)
                solution = await solver.solve(problem)
                day.new_stops(seconds, solution)
                took.append(time.perf_counter() - started)
                driving.append(_driving(problem, solution) / 60)
                unassigned.append(len(solution.unserved))
                longest.append(_longest(problem, solution) / 3600)
                if bookings == SIZES[0][0]:
                    # Evenly spread work may cost driving, of which the other knows nothing.
                    uneven = replace(problem, balance=0)
                    least = await solver.solve(uneven)
                    more.append(100 * (driving[-1] * 60 / _driving(problem, least) - 1))
                    fuller.append(_longest(problem, least) / 3600)
                    other = or_tools.solve(problem, OR_TOOLS_S)
                    left_out.append(len(other.unserved))
                    than = _driving(problem, other, is_ours=False)
                    above.append(100 * (_driving(problem, least) / than - 1))
            what = f"{bookings} bookings, {trucks} trucks"
            figures += [
                Figure(f"{what}: planned", "s", took, f"<= {longest_s}"),
                Figure(f"{what}: driving", "min", driving),
                Figure(f"{what}: unassigned", "", unassigned, "<= 0"),
                Figure(f"{what}: longest work of a truck", "h", longest),
            ]
            if above:
                figures += [
                    Figure(f"{what}: longest work, unbalanced", "h", fuller),
                    Figure(f"{what}: driving above unbalanced", "%", more, f"<= {100 * BALANCE:g}"),
                    Figure(f"{what}: left out by OR-Tools", "", left_out),
                ]
                than = f"driving above OR-Tools in {OR_TOOLS_S} s"
                figures.append(Figure(f"{what}: {than}", "%", above, "<= 5"))
    finally:
        solver.close()
    return figures


def _longest(problem: Problem, solution: Solution) -> float:
    pairs = zip(problem.vehicles, solution.tours, strict=True)
    return max(work_of(problem, vehicle, tour) for vehicle, tour in pairs)


def _driving(problem: Problem, solution: Solution, *, is_ours: bool = True) -> float:
    """Return the driving. Only ours are known to fit: other breaks may be elsewhere."""
    pairs = list(zip(problem.vehicles, solution.tours, strict=True))
    assert not is_ours or all(fits(problem, vehicle, tour) for vehicle, tour in pairs)
    return sum(sum(legs_of(problem, vehicle, tour)) for vehicle, tour in pairs if tour)


def _instance(file: Path) -> Iterator[Figure]:
    text = file.read_text()
    # Conventions: with windows, distances are truncated to one decimal; without, rounded.
    has_windows = "TIME_WINDOW_SECTION" in text
    problem = _problem(pyvrp.read(file, "dimacs" if has_windows else "round"))
    started = time.perf_counter()
    solution = vrp.solve(problem)
    took = time.perf_counter() - started
    distance = _driving(problem, solution) / (10 if has_windows else 1)
    yield Figure(f"{file.stem}: solved", "s", [took], "<= 10")
    yield Figure(f"{file.stem}: stops left out", "", [len(solution.unserved)], "<= 0")
    if best := _best_known(file, text):
        above = 100 * (distance / best - 1)
        yield Figure(f"{file.stem}: above the best known {best:g}", "%", [above], "<= 1")


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
    return inf if moment > NO_LIMIT else moment


def _best_known(file: Path, text: str) -> float | None:
    solution, readme = file.with_suffix(".sol"), file.parent / "README.md"
    table = readme.read_text() if readme.exists() else ""
    matches = (
        re.search(rf"^COMMENT.*(?:best|optimal)\D*{NUMBER}", text, re.MULTILINE | re.IGNORECASE),
        solution.exists() and re.search(rf"cost\D*{NUMBER}", solution.read_text(), re.IGNORECASE),
        re.search(rf"\b{re.escape(file.stem)}\b.*best known\D*{NUMBER}", table, re.IGNORECASE),
    )
    return next((float(each[1]) for each in matches if each), None)
