"""Our vehicle routing problem in PyVRP's terms, and its answer in ours."""

from math import ceil, floor, inf, isfinite
from typing import Any

import numpy as np
import pyvrp
from pyvrp import IteratedLocalSearchParams, SolveParams
from pyvrp.search import NeighbourhoodParams
from pyvrp.stop import MaxRuntime, MultipleCriteria, NoImprovement

from fuel_app.dispatch.rules.problem import Job, Problem, Solution, Vehicle

NO_ROAD = 10**7  # seconds; more than any day, so that no tour gains by it
FOREVER = 10**9
TENTHS = 10  # of a gallon; the solver counts in whole numbers

SHORTEST_S, LONGEST_S = 0.05, 8.0  # of searching
SECONDS_A_PAIR = 0.00016  # 1.6 s for 100 stops
PATIENCE = 100  # rounds without a shorter route, for each stop

# A single tour gains more from many rounds, several tours from thorough ones: measured by
# `bench/routing`.
ONE_TOUR = SolveParams(
    ils=IteratedLocalSearchParams(history_length=50),
    neighbourhood=NeighbourhoodParams(num_neighbours=20),
)
SEVERAL = SolveParams()


def solve(problem: Problem, *, seconds: float | None = None, seed: int = 0) -> Solution:
    """Search for the least driving; blocks for as long as that takes.

    Args:
        seconds: How long at most; by default what `SHORTEST_S` and the others say.
    """
    fixed = {vehicle.last for vehicle in problem.vehicles} - {None}
    free = [index for index in range(len(problem.jobs)) if index not in fixed]
    if not free:
        return _with_last(problem, [[] for _ in problem.vehicles], [])
    enough = min(LONGEST_S, max(SHORTEST_S, SECONDS_A_PAIR * len(free) ** 2))
    stop = MultipleCriteria([MaxRuntime(seconds or enough), NoImprovement(PATIENCE * len(free))])
    params = ONE_TOUR if len(problem.vehicles) == 1 else SEVERAL
    data = _data(problem, free)
    best = pyvrp.solve(data, stop, seed, collect_stats=False, params=params).best
    tours: list[list[int]] = [[] for _ in problem.vehicles]
    for route in best.routes():
        tours[route.vehicle_type()] = [
            free[activity.idx] for activity in route.schedule() if activity.is_client()
        ]
    return _with_last(problem, tours, free)


def _with_last(problem: Problem, tours: list[list[int]], free: list[int]) -> Solution:
    for vehicle, tour in zip(problem.vehicles, tours, strict=True):
        if vehicle.last is not None:
            tour.append(vehicle.last)
    served = {index for tour in tours for index in tour}
    return Solution(tuple(map(tuple, tours)), tuple(index for index in free if index not in served))


def _data(problem: Problem, free: list[int]) -> pyvrp.ProblemData:
    nowhere = len(problem.seconds)  # an open end: no distance from or to anywhere
    matrix: Any = np.zeros((nowhere + 1, nowhere + 1), dtype=np.int64)
    given = np.array(problem.seconds, dtype=float)
    # Rounded up like all times here: what is in time for the solver is in time for people.
    matrix[:-1, :-1] = np.where(np.isfinite(given), np.ceil(given), NO_ROAD)
    np.fill_diagonal(matrix, 0)
    longest = max(int(second) for row in problem.seconds for second in row if isfinite(second))
    depots, types = [], []
    for vehicle in problem.vehicles:
        types.append(_vehicle(problem, vehicle, len(depots)))
        depots += _ends(problem, vehicle, nowhere)
    return pyvrp.ProblemData(
        [pyvrp.Location(0, 0) for _ in range(nowhere + 1)],
        [_client(problem.jobs[index], prize=4 * longest + 3600) for index in free],
        depots,
        types,
        [matrix],
        [matrix],
    )


def _client(job: Job, prize: int) -> pyvrp.Client:
    """A stop may be left out, which costs more than any detour."""
    return pyvrp.Client(
        job.place,
        delivery=[ceil(TENTHS * job.gallons)],
        service_duration=ceil(job.service),
        tw_early=ceil(job.earliest),
        tw_late=_late(job.latest),
        prize=prize,
        required=False,
    )


def _ends(problem: Problem, vehicle: Vehicle, nowhere: int) -> list[pyvrp.Depot]:
    start = pyvrp.Depot(nowhere if vehicle.start is None else vehicle.start)
    if vehicle.last is None:
        return [start, pyvrp.Depot(nowhere if vehicle.end is None else vehicle.end)]
    last = problem.jobs[vehicle.last]
    end = pyvrp.Depot(last.place, tw_early=ceil(last.earliest), tw_late=_late(last.latest))
    return [start, end]


def _vehicle(problem: Problem, vehicle: Vehicle, depot: int) -> pyvrp.VehicleType:
    last = problem.jobs[vehicle.last] if vehicle.last is not None else Job(0)
    carries = vehicle.capacity - last.gallons
    return pyvrp.VehicleType(
        capacity=[FOREVER if carries == inf else max(0, floor(TENTHS * carries))],
        start_depot=depot,
        end_depot=depot + 1,
        tw_early=ceil(vehicle.earliest),
        tw_late=_late(vehicle.latest - last.service),
    )


def _late(moment: float) -> int:
    return FOREVER if moment == inf else max(0, floor(moment))
