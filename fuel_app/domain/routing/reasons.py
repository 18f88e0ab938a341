"""Why a stop is on no route, worded for staff."""

from collections.abc import Sequence
from math import inf

from fuel_app.domain.routing.geography import fault
from fuel_app.domain.routing.problem import (
    Problem,
    Solution,
    fits,
    gallons_of,
    is_cut_off,
    legs_of,
    timetable,
)
from fuel_app.domain.routing.stops import Stop, Unserved
from fuel_app.kit.clock import time_of_day


def usable(stops: Sequence[Stop]) -> tuple[tuple[Stop, ...], tuple[Unserved, ...]]:
    """The stops that somebody can be sent to, and the others with what is wrong with them."""
    faults = [(stop, fault(stop.point)) for stop in stops]
    return (
        tuple(stop for stop, wrong in faults if wrong is None),
        tuple(Unserved(stop, wrong) for stop, wrong in faults if wrong),
    )


def why_unserved(problem: Problem, solution: Solution, index: int, stop: Stop) -> str:
    """The plainest reason that holds for a job that no vehicle takes."""
    job, vehicles = problem.jobs[index], problem.vehicles
    largest = max(vehicle.capacity for vehicle in vehicles)
    if job.gallons > largest:
        return f"It needs {job.gallons:g} gallons; a truck carries {largest:g}."
    alone = [legs_of(problem, vehicle, [index]) for vehicle in vehicles]
    if all(sum(legs) == inf for legs in alone) or is_cut_off(problem, job):
        return "No road leads there."
    if stop.window and all(
        timetable([job], legs, vehicle.earliest).late
        for legs, vehicle in zip(alone, vehicles, strict=True)
    ):
        return f"It cannot be reached by {time_of_day(stop.window.closes)}."
    if not any(fits(problem, vehicle, [index]) for vehicle in vehicles):
        return "It does not fit into a truck's shift."
    if all(
        gallons_of(problem, tour) + job.gallons > vehicle.capacity
        for vehicle, tour in zip(vehicles, solution.tours, strict=True)
    ):
        return "The other stops leave too little fuel for it."
    return "It does not fit in between the other stops."
