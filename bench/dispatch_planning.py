"""Planning a day of 150 bookings for 8 trucks, with nearest neighbor and OR-Tools beside it.

Each day is the same in every run: windows from eight to six, tanks of four grades that some trucks
have to refill, two homes, and now and then a second car in the same driveway.
"""

import asyncio
import random
import sys
import time

from bench import QUICK
from bench.report import Figure
from bench.routing import or_tools
from bench.routing.instances import nearest_neighbor
from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADES
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.providers.solver import ProcessSolver
from fuel_app.dispatch.rules.day_plan import DayPlan, Problem, Solution, fits, legs_of
from tests.helpers.day_plans import GALLON, a_booking, a_plan, a_route

BOOKINGS, TRUCKS = 150, 8
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


def a_day(seed: int, bookings: int = BOOKINGS, trucks: int = TRUCKS) -> DayPlan:
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
    return a_plan(routes, made[:bookings])


def measure() -> list[Figure]:
    return asyncio.run(_measure())


async def _measure() -> list[Figure]:
    solver = ProcessSolver()
    took: list[float] = []
    driving: dict[str, list[float]] = {}
    left_out: dict[str, list[float]] = {}
    try:
        await solver.solve(a_day(0, 1, 1).problem(((0.0,) * 2,) * 2))  # its process is up
        for seed in range(DAYS):
            day = a_day(seed)
            started = time.perf_counter()
            seconds = await offline.matrix(day.points)
            problem = day.problem(seconds)
            solution = await solver.solve(problem)
            day.new_stops(seconds, solution)
            took.append(time.perf_counter() - started)
            answers = {
                "the solver": solution,
                f"OR-Tools in {OR_TOOLS_S} s": or_tools.solve(problem, OR_TOOLS_S),
                "nearest neighbor": nearest_neighbor(problem),
            }
            for name, answer in answers.items():
                print(name, _minutes(problem, answer), len(answer.unserved), file=sys.stderr)
                driving.setdefault(name, []).append(_minutes(problem, answer))
                left_out.setdefault(name, []).append(len(answer.unserved))
    finally:
        solver.close()
    ours, theirs, _ = driving.values()
    above = [100 * (one / other - 1) for one, other in zip(ours, theirs, strict=True)]
    what = f"{BOOKINGS} bookings, {TRUCKS} trucks"
    bounds = {"the solver": "<= 0"}
    return [
        Figure(f"{what}: planned", "s", took, "<= 10"),
        Figure(f"{what}: driving above OR-Tools in {OR_TOOLS_S} s", "%", above, "<= 5"),
        *(Figure(f"{what}: driving, {name}", "min", runs) for name, runs in driving.items()),
        *(
            Figure(f"{what}: unassigned, {name}", "", runs, bounds.get(name, ""))
            for name, runs in left_out.items()
        ),
    ]


def _minutes(problem: Problem, solution: Solution) -> float:
    pairs = list(zip(problem.vehicles, solution.tours, strict=True))
    assert all(fits(problem, vehicle, tour) for vehicle, tour in pairs)
    return sum(sum(legs_of(problem, vehicle, tour)) for vehicle, tour in pairs if tour) / 60
