"""Our vehicle routing problem in PyVRP's terms, and its answer in ours."""

import time
from collections.abc import Callable
from math import ceil, floor, inf
from typing import Any

import numpy as np
import pyvrp
from pyvrp import IteratedLocalSearchParams, SolveParams
from pyvrp.search import NeighbourhoodParams

from fuel_app.dispatch.providers import tours as tours_of
from fuel_app.dispatch.rules.day_plan import (
    REFILL_JOB,
    Job,
    Problem,
    Solution,
    Vehicle,
)

NO_ROAD = 10**7  # seconds: more than any day, so that no tour gains by it
FOREVER = 10**9
SHORTEST_S, LONGEST_S = 0.05, 8.0  # of searching
RETRY_S = 2.0  # of searching again where breaks have left a stop out
SECONDS_A_PAIR = 0.00016  # of one tour: 1.6 s for 100 stops
PATIENCE = 100  # rounds without a shorter route, for each stop

# Measured on days of 10 to 200 stops: less patience with longer routes than
# the library's own pays within seconds.
ONE_TOUR = SolveParams(
    ils=IteratedLocalSearchParams(history_length=50),
    neighbourhood=NeighbourhoodParams(num_neighbours=20),
)
SEVERAL = SolveParams(
    ils=IteratedLocalSearchParams(history_length=20),
    neighbourhood=NeighbourhoodParams(num_neighbours=30),
)


Watch = Callable[[float], bool]  # hears what share of a search is done; True ends it


class _Stop:
    """The end of a search: its time is over, no round has found anything, or it is stopped."""

    def __init__(self, seconds: float, patience: int, watch: Watch) -> None:
        self._seconds, self._patience, self._watch = seconds, patience, watch
        self._began, self._best, self._rounds = time.perf_counter(), inf, 0

    def __call__(self, best_cost: float) -> bool:
        self._rounds = 0 if best_cost < self._best else self._rounds + 1
        self._best = min(self._best, best_cost)
        spent = (time.perf_counter() - self._began) / self._seconds
        done = max(spent, self._rounds / self._patience)
        return self._watch(min(done, 1)) or done >= 1


def solve(
    problem: Problem,
    *,
    seconds: float | None = None,
    seed: int = 0,
    watch: Watch = lambda _: False,
) -> Solution:
    """Search for the least driving; blocks for as long as that takes.

    Args:
        seconds: How long at most; by default what `SHORTEST_S` and the others say.
        watch: Called in each round; once it returns True, the best so far is the answer.
    """
    tours = _search(problem, problem, seconds, seed, watch)
    if any(vehicle.breaks.lasts for vehicle in problem.vehicles):
        served = _served(tours)
        tours, unserved = _with_breaks(problem, tours)
        if served & {*unserved}:  # it takes room for breaks from the start
            again = seconds or RETRY_S
            early = _search(problem, tours_of.without_breaks(problem), again, seed, watch)
            found = [(tours, unserved), _with_breaks(problem, early)]
            tours, unserved = min(found, key=lambda each: _left_out(problem, each[1]))
    else:
        unserved = _insert_others(problem, tours)
    tours_of.balance(problem, tours)
    return Solution(tuple(map(tuple, tours)), unserved)


def _served(tours: list[tours_of.Tour]) -> set[int]:
    return {index for tour in tours for index in tour}


def _left_out(problem: Problem, unserved: tuple[int, ...]) -> tuple[int, int]:
    """Return how many jobs are left out: those that come first count first."""
    return sum(problem.jobs[index].comes_first for index in unserved), len(unserved)


def _with_breaks(
    problem: Problem, tours: list[tours_of.Tour]
) -> tuple[list[tours_of.Tour], tuple[int, ...]]:
    """Return tours that fit with their breaks, and what none takes then."""
    pairs = zip(problem.vehicles, tours, strict=True)
    shorter = [tours_of.shorten(problem, vehicle, tour) for vehicle, tour in pairs]
    return shorter, _insert_others(problem, shorter)


def _insert_others(problem: Problem, tours: list[tours_of.Tour]) -> tuple[int, ...]:
    """Put what is on no tour where it fits. Return what fits nowhere."""
    left = [index for index in range(len(problem.jobs)) if index not in _served(tours)]
    return tuple(index for index in left if not tours_of.insert(problem, tours, index))


def _search(
    problem: Problem, searched: Problem, seconds: float | None, seed: int, watch: Watch
) -> list[tours_of.Tour]:
    """Search for tours; what is their last stop comes last, though it is not searched for."""
    fixed = {vehicle.last for vehicle in problem.vehicles} - {None}
    free = [
        index
        for index, job in enumerate(searched.jobs)
        if index not in fixed and ceil(job.earliest) <= _late(job.latest)
    ]
    fleet: dict[Vehicle, list[int]] = {}  # equal vehicles are of one type
    for number, vehicle in enumerate(searched.vehicles):
        if ceil(vehicle.earliest) <= _late(vehicle.latest):
            fleet.setdefault(vehicle, []).append(number)
    tours: list[tours_of.Tour] = [[] for _ in problem.vehicles]
    if free and fleet:
        enough, params = LONGEST_S, SEVERAL
        if len(problem.vehicles) == 1:
            enough = min(LONGEST_S, max(SHORTEST_S, SECONDS_A_PAIR * len(free) ** 2))
            params = ONE_TOUR
        stop = _Stop(seconds or enough, PATIENCE * len(free), watch)
        data = _data(searched, free, fleet)
        best = pyvrp.solve(data, stop, seed, collect_stats=False, params=params).best
        numbers = [iter(equal) for equal in fleet.values()]
        for route in filter(pyvrp.Route.is_feasible, best.routes()):
            tours[next(numbers[route.vehicle_type()])] = _tour(route, free)
    for vehicle, tour in zip(problem.vehicles, tours, strict=True):
        if vehicle.last is not None:
            tour.append(vehicle.last)
    return tours


def _tour(route: pyvrp.Route, free: list[int]) -> list[int]:
    """Return a route's jobs and refills, without a refill at its end or a second one in a row."""
    [_, *inner, _] = route.schedule()
    tour: list[int] = []
    for index in (free[each.idx] if each.is_client() else REFILL_JOB for each in inner):
        if [index] != tour[-1:] or index != REFILL_JOB:
            tour.append(index)
    return tour[:-1] if tour[-1:] == [REFILL_JOB] else tour


def _data(problem: Problem, free: list[int], fleet: dict[Vehicle, list[int]]) -> pyvrp.ProblemData:
    """Return a node for each job, then for each type of vehicles its start and its end."""
    nowhere = len(problem.seconds)  # an open end: no distance from or to anywhere
    places = [problem.jobs[index].place for index in free]
    depots: list[pyvrp.Depot] = []
    types = []
    for vehicle, equal in fleet.items():
        types.append(_vehicle(problem, vehicle, len(equal), len(depots)))
        depots += _ends(problem, vehicle, len(places))
        end = vehicle.end if vehicle.last is None else problem.jobs[vehicle.last].place
        places += [nowhere if place is None else place for place in (vehicle.start, end)]
    matrix: Any = np.zeros((nowhere + 1, nowhere + 1), dtype=np.int64)
    given = np.array(problem.seconds, dtype=float)
    # Rounded up like all times here: what is in time for the solver is in time for people.
    matrix[:-1, :-1] = np.where(np.isfinite(given), np.ceil(given), NO_ROAD)
    np.fill_diagonal(matrix, 0)
    driving = matrix[np.ix_(places, places)]
    lasting = driving.copy()
    node = {index: number for number, index in enumerate(free)}
    for index, number in node.items():
        job = problem.jobs[index]
        near = [node[each] for each in (*job.near, index) if each in node]
        away = np.delete(np.arange(len(places)), near)
        lasting[away, number] += settling(job)
    longest = int(matrix[matrix < NO_ROAD].max())
    return pyvrp.ProblemData(
        [pyvrp.Location(0, 0) for _ in places],
        [
            _client(problem.jobs[index], number, prize=4 * longest + 3600, others=len(node))
            for index, number in node.items()
        ],
        depots,
        types,
        [driving],
        [lasting],
    )


def settling(job: Job) -> int:
    """Return how much longer the service of a job with others beside it takes after a drive.

    It counts as driving time, and so comes before what the solver takes for the begin of service:
    by this much later than it really is, but never too late. Where the window leaves no time for
    that, each service takes the longer time.
    """
    longer = max(0, ceil(job.service) - ceil(job.service_near)) if job.near else 0
    return longer if ceil(job.earliest) + longer <= _late(job.latest) else 0


def _client(job: Job, node: int, prize: int, others: int) -> pyvrp.Client:
    """Return a stop, which takes in what its job takes out: a truck is full when its tanks are dry.

    It may be left out, which costs more than any detour, or than all others.
    """
    later = settling(job)
    return pyvrp.Client(
        node,
        pickup=list(job.loads),
        service_duration=ceil(max(job.service, job.service_near if job.near else 0)) - later,
        tw_early=ceil(job.earliest) + later,
        tw_late=_late(job.latest),
        prize=prize * others if job.comes_first else prize,
        required=False,
    )


def _ends(problem: Problem, vehicle: Vehicle, node: int) -> list[pyvrp.Depot]:
    """Return the depots where a vehicle starts, ends, and refills."""
    refill = pyvrp.Depot(node + 1, service_duration=ceil(vehicle.refill or 0))
    last = Job(0) if vehicle.last is None else problem.jobs[vehicle.last]
    end = pyvrp.Depot(node + 1, tw_early=ceil(last.earliest), tw_late=_late(last.latest))
    return [pyvrp.Depot(node), end, refill]


def _vehicle(problem: Problem, vehicle: Vehicle, count: int, depot: int) -> pyvrp.VehicleType:
    last = Job(0) if vehicle.last is None else problem.jobs[vehicle.last]
    tanks = vehicle.tanks or (FOREVER,) * len(problem.jobs[0].loads)
    used = vehicle.used or (0,) * len(tanks)
    taken = last.loads or (0,) * len(tanks)
    return pyvrp.VehicleType(
        count,
        capacity=list(tanks),
        start_depot=depot,
        end_depot=depot + 1,
        tw_early=ceil(vehicle.earliest),
        tw_late=_late(vehicle.latest - last.service),
        # No further than the last job leaves room for, which is the end of the tour here.
        initial_load=[min(a, b + c) for a, b, c in zip(tanks, used, taken, strict=True)],
        reload_depots=[] if vehicle.refill is None else [depot + 2],
    )


def _late(moment: float) -> int:
    return FOREVER if moment == inf else floor(moment)
