"""Visits with several cars: what booking two costs beside one, and a day of 210 cars."""

import asyncio
import random
import sys
import time
from dataclasses import replace

import fuel_app.tables  # noqa: F401 (every table)
from bench import QUICK, apart, planning
from bench.report import Figure
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.providers.solver import ProcessSolver
from fuel_app.dispatch.rules.day_plan import DayPlan
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from tests.helpers.bookings import NOW, a_car, a_customer, an_area, booked, slot
from tests.helpers.statements import noted

VISITS, CARS, TRUCKS, LONGEST_S = 150, 210, 8, 10
ROUNDS = 1 if QUICK else 3


def measure() -> list[Figure]:
    figures = []
    for name in apart.DATABASES:
        with apart.DATABASES[name]() as url:
            counted = apart.run("bench.visits", "count", url=url)
        ratio = counted["two"] / counted["one"]
        what = f"statements of booking two cars, to those of one ({counted['one']}), on {name}"
        figures.append(Figure(what, "x", [ratio], "<= 1.3"))
    return [*figures, *asyncio.run(_days())]


async def count() -> dict[str, int]:
    """Count the statements of booking one car, and two."""
    await apart.create_tables()
    clock.now = lambda: NOW  # at which the helpers have prices and plans
    area, counts = await an_area(), {}
    for number, cars in enumerate(("one", "two"), start=1):
        who = await a_customer(number)
        ids = (who.car_id,)
        if cars == "two":
            second = a_car(who.id, 50)
            async with transaction() as session:
                session.add(second)
            ids = (who.car_id, second.id)
        await booked(who, slot(area, 3, 10), cars=(ids[0],))  # what is cached is read now
        with noted() as statements:
            await booked(who, slot(area, 4), cars=ids)
        counts[cars] = len(statements)
    return counts


async def _days() -> list[Figure]:
    solver, took, unassigned = ProcessSolver(), [], []
    try:
        for seed in range(ROUNDS):
            day = a_day(seed)
            started = time.perf_counter()
            seconds = await offline.matrix(day.points)
            solution = await solver.solve(day.problem(seconds))
            day.new_stops(seconds, solution)
            took.append(time.perf_counter() - started)
            unassigned.append(len(solution.unserved))
    finally:
        solver.close()
    what = f"{VISITS} visits with {CARS} cars, {TRUCKS} trucks"
    return [
        Figure(f"{what}: planned", "s", took, f"<= {LONGEST_S}"),
        Figure(f"{what}: unassigned", "", unassigned),
    ]


def a_day(seed: int) -> DayPlan:
    """Return the day of `planning`, with a second car of the same grade at 60 of the stops."""
    day = planning.a_day(seed, VISITS, TRUCKS)
    chosen = random.Random(seed).sample(range(VISITS), CARS - VISITS)
    visits = [_doubled(each) if n in chosen else each for n, each in enumerate(day.bookings)]
    return replace(day, bookings=tuple(visits))


def _doubled(booking: Booking) -> Booking:
    [fill] = booking.fills
    second = replace(fill, id=f"{fill.id}-2")
    return replace(booking, fills=(fill, second))


if __name__ == "__main__":
    apart.answer({"count": count}, sys.argv[1])
