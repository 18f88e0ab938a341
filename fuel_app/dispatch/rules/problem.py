"""The vehicle routing problem in numbers: seconds from the start, tenths of gallons, indices.

Jobs are stops; `place` is their row and column in the matrix of driving seconds. A solver orders
the jobs of each vehicle so that the sum of driving seconds is smallest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from math import inf

from fuel_app.kit.clock import time_of_day

Matrix = tuple[tuple[float, ...], ...]  # seconds from row to column; `inf` where no road leads
REFILL = -1  # in a tour, instead of a job: the vehicle refills its tanks at its `end`


@dataclass(frozen=True, slots=True)
class Job:
    """Service may begin from `earliest` to `latest`.

    Args:
        loads: What it takes from each of a vehicle's tanks; all jobs name as many.
        near: The jobs beside it. Right after one of them service takes `service_near`.
        comes_first: It is left out for none that does not.
    """

    place: int
    service: float = 0
    earliest: float = 0
    latest: float = inf
    loads: tuple[int, ...] = ()
    near: frozenset[int] = frozenset()
    service_near: float = 0
    comes_first: bool = False


@dataclass(frozen=True, slots=True)
class Vehicle:
    """`start` and `end` are places; None is an open end. `last` is the job that stays last.

    Args:
        tanks: How much each holds; without any there is enough.
        used: How much is gone from each at the start, at most all.
        refill: How long a refill at `end` takes; None if there is none.
    """

    start: int | None = None
    end: int | None = None
    last: int | None = None
    tanks: tuple[int, ...] = ()
    earliest: float = 0
    latest: float = inf
    used: tuple[int, ...] = ()
    refill: float | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """The solver's input. A job that is no vehicle's `last` may be left unserved."""

    seconds: Matrix
    jobs: tuple[Job, ...]
    vehicles: tuple[Vehicle, ...]


@dataclass(frozen=True, slots=True)
class Solution:
    """The jobs and refills of each vehicle in driving order, and the jobs that none takes."""

    tours: tuple[tuple[int, ...], ...]
    unserved: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Schedule:
    """When each service of a tour begins, and when the vehicle is free again."""

    begins: tuple[float, ...]
    ends: float
    late: tuple[int, ...]  # where in the tour a service begins after its `latest`


def timetable(jobs: Sequence[Job], legs: Sequence[float], earliest: float) -> Schedule:
    """Schedule a tour as early as possible, waiting for windows to open.

    Args:
        legs: Seconds to each job, and back to the end where the vehicle has one.
    """
    now = earliest
    begins, late = [], []
    for at, (job, leg) in enumerate(zip(jobs, legs, strict=False)):
        begins.append(max(now + leg, job.earliest))
        if begins[-1] > job.latest:
            late.append(at)
        now = begins[-1] + job.service
    return Schedule(tuple(begins), now + sum(legs[len(jobs) :]), tuple(late))


def jobs_of(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> list[Job]:
    """Return the jobs of a tour, each with the service that it takes there; refills as jobs."""
    jobs = []
    for before, index in pairwise((REFILL, *tour)):
        if index == REFILL:
            jobs.append(Job(vehicle.end or 0, vehicle.refill or 0))
            continue
        job = problem.jobs[index]
        jobs.append(replace(job, service=job.service_near) if before in job.near else job)
    return jobs


def legs_of(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> tuple[float, ...]:
    """Return the seconds of a tour's legs; the first is 0 from an open start."""
    places = [vehicle.start, *(job.place for job in jobs_of(problem, vehicle, tour))]
    if vehicle.end is not None:
        places.append(vehicle.end)
    pairs = pairwise(places)
    return tuple(0 if a is None or b is None else problem.seconds[a][b] for a, b in pairs)


def holds(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> bool:
    """Check that no tank runs dry between the refills of a tour."""
    used = vehicle.used or (0,) * len(vehicle.tanks)
    for index in tour:
        loads = (-each for each in used) if index == REFILL else problem.jobs[index].loads
        used = tuple(a + b for a, b in zip(used, loads, strict=False))
        if any(gone > tank for gone, tank in zip(used, vehicle.tanks, strict=False)):
            return False
    return True


def fits(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> bool:
    """Check that a vehicle can drive a tour: time, roads, tanks."""
    legs = legs_of(problem, vehicle, tour)
    day = timetable(jobs_of(problem, vehicle, tour), legs, vehicle.earliest)
    in_time = not day.late and day.ends <= vehicle.latest and sum(legs) < inf
    return in_time and holds(problem, vehicle, tour)


def is_cut_off(problem: Problem, job: Job) -> bool:
    """Check that no road leads to a job from any other."""
    others = [other.place for other in problem.jobs if other.place != job.place]
    return bool(others) and all(problem.seconds[place][job.place] == inf for place in others)


def why_unserved(problem: Problem, solution: Solution, index: int, closes: datetime) -> str:
    """Return the plainest reason why no vehicle whose tanks hold enough serves a job.

    Args:
        closes: When the job's window does.
    """
    job = problem.jobs[index]
    able = [
        (vehicle, tour)
        for vehicle, tour in zip(problem.vehicles, solution.tours, strict=True)
        if holds(problem, replace(vehicle, used=()), [index])
    ]
    alone = [(vehicle, legs_of(problem, vehicle, [index])) for vehicle, _ in able]
    if all(sum(legs) == inf for _, legs in alone) or is_cut_off(problem, job):
        return "No road leads there."
    if all(timetable([job], legs, vehicle.earliest).late for vehicle, legs in alone):
        return f"It cannot be reached by {time_of_day(closes)}."
    if not any(fits(problem, replace(vehicle, used=()), [index]) for vehicle, _ in able):
        return "It does not fit into a truck's shift."
    if not any(
        holds(problem, vehicle, [*tour[:at], index, *tour[at:]])
        for vehicle, tour in able
        for at in range(len(tour) + 1)
    ):
        return "The other stops leave too little fuel for it."
    return "It does not fit in between the other stops."
