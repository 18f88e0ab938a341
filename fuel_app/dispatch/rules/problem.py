"""The vehicle routing problem in numbers: seconds since the day's start, gallons, indices.

Jobs are stops; `place` is their row and column in the matrix of driving seconds. A solver orders
the jobs of each vehicle so that the sum of driving seconds is smallest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

Matrix = tuple[tuple[float, ...], ...]  # seconds from row to column; `inf` where no road leads


@dataclass(frozen=True, slots=True)
class Job:
    """Service may begin from `earliest` to `latest`."""

    place: int
    service: float = 0
    earliest: float = 0
    latest: float = inf
    gallons: float = 0


@dataclass(frozen=True, slots=True)
class Vehicle:
    """`start` and `end` are places; None is an open end. `last` is the job that stays last."""

    start: int | None = None
    end: int | None = None
    last: int | None = None
    capacity: float = inf
    earliest: float = 0
    latest: float = inf


@dataclass(frozen=True, slots=True)
class Problem:
    """The solver's input. A job that is no vehicle's `last` may be left unserved."""

    seconds: Matrix
    jobs: tuple[Job, ...]
    vehicles: tuple[Vehicle, ...]


@dataclass(frozen=True, slots=True)
class Solution:
    """The jobs of each vehicle in driving order, and the jobs that none takes."""

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


def legs_of(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> tuple[float, ...]:
    """Return the seconds of a tour's legs; the first is 0 from an open start."""
    places = [vehicle.start, *(problem.jobs[index].place for index in tour)]
    if vehicle.end is not None:
        places.append(vehicle.end)
    pairs = pairwise(places)
    return tuple(0 if a is None or b is None else problem.seconds[a][b] for a, b in pairs)


def gallons_of(problem: Problem, tour: Sequence[int]) -> float:
    return sum(problem.jobs[index].gallons for index in tour)


def fits(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> bool:
    """Check that a vehicle can drive a tour: time, roads, gallons."""
    legs = legs_of(problem, vehicle, tour)
    day = timetable([problem.jobs[index] for index in tour], legs, vehicle.earliest)
    in_time = not day.late and day.ends <= vehicle.latest and sum(legs) < inf
    return in_time and gallons_of(problem, tour) <= vehicle.capacity


def is_cut_off(problem: Problem, job: Job) -> bool:
    """Check that no road leads to a job from any other."""
    others = [other.place for other in problem.jobs if other.place != job.place]
    return bool(others) and all(problem.seconds[place][job.place] == inf for place in others)
