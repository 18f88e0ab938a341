"""Made-up days in the service area, the same in every run, and what a solution of one costs."""

import random
from math import inf

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.providers.offline import road_meters, seconds
from fuel_app.dispatch.rules.day_plan import (
    REFILL_JOB,
    Job,
    Problem,
    Solution,
    Vehicle,
    fits,
    legs_of,
)

HOUR = 3600
OPENS = (0, 2 * HOUR, 6 * HOUR)  # the windows that can be booked, counted from eight o'clock
UNSERVED = 2 * HOUR  # what a stop that is left out counts, in seconds of driving


def one_truck(stops: int, seed: int) -> Problem:
    """From a position through the stops to the last of them; nothing else to heed."""
    jobs = tuple(Job(place, service=600) for place in range(1, stops + 1))
    return Problem(_matrix(stops + 1, seed), jobs, (Vehicle(start=0, last=stops - 1),))


def fleet(stops: int, trucks: int, seed: int) -> Problem:
    """Trucks of 300 gallons from one depot, and each stop in a two-hour window."""
    chance = random.Random(seed)
    jobs = []
    for place in range(1, stops + 1):
        opens = chance.choice(OPENS)
        gallons = chance.randint(8, 20)
        jobs.append(Job(place, 600, opens, opens + 2 * HOUR, (gallons,)))
    truck = Vehicle(start=0, end=0, tanks=(300,), latest=10 * HOUR)
    return Problem(_matrix(stops + 1, seed), tuple(jobs), (truck,) * trucks)


def cost(problem: Problem, solution: Solution) -> float:
    """Seconds of driving, and the price of what is left out; infinite if a tour cannot be."""
    served = sorted(index for tour in solution.tours for index in tour)
    everything = sorted([*served, *solution.unserved])
    pairs = list(zip(problem.vehicles, solution.tours, strict=True))
    if everything != list(range(len(problem.jobs))):
        return inf
    if not all(fits(problem, vehicle, tour) for vehicle, tour in pairs):
        return inf
    driving = sum(sum(legs_of(problem, vehicle, tour)) for vehicle, tour in pairs if tour)
    return driving + UNSERVED * len(solution.unserved)


def nearest_neighbor(problem: Problem) -> Solution:
    """Each truck drives to the nearest stop that still fits; until none does, after a refill."""
    left = set(range(len(problem.jobs)))
    tours = []
    for vehicle in problem.vehicles:
        tour: list[int] = []
        tail = [] if vehicle.last is None else [vehicle.last]
        left -= set(tail)
        at = vehicle.start
        while True:
            fitting = [
                index for index in sorted(left) if fits(problem, vehicle, [*tour, index, *tail])
            ]
            if not fitting:
                if vehicle.refill is None or tour[-1:] in ([], [REFILL_JOB]):
                    break
                tour.append(REFILL_JOB)
                at = vehicle.end
                continue
            nearest = min(fitting, key=lambda index: _seconds(problem, at, index))
            tour.append(nearest)
            left.remove(nearest)
            at = problem.jobs[nearest].place
        if tour[-1:] == [REFILL_JOB]:
            tour.pop()
        tours.append((*tour, *tail))
    return Solution(tuple(tours), tuple(sorted(left)))


def _seconds(problem: Problem, at: int | None, index: int) -> float:
    return 0 if at is None else problem.seconds[at][problem.jobs[index].place]


def _matrix(places: int, seed: int) -> tuple[tuple[float, ...], ...]:
    chance = random.Random(seed)
    points = [
        Point(chance.uniform(27.22, 27.52), chance.uniform(-82.62, -82.40)) for _ in range(places)
    ]
    return tuple(tuple(seconds(road_meters(a, b)) for b in points) for a in points)
