"""Tours after the search: with breaks, with what was left out put in between, and balanced."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

from fuel_app.dispatch.rules.day_plan import (
    REFILL_JOB,
    Job,
    Problem,
    Vehicle,
    fits,
    fits_tanks,
    jobs_of,
    legs_of,
)

EARLY_S = 15 * 60  # a break is due before a stop, and so earlier than the work would be too long
BALANCING_S = 0.8  # at most

Tour = list[int]


def without_breaks(problem: Problem) -> Problem:
    """Return a problem without breaks, for a search that knows none.

    As if all rested at once: what is later than a break comes so much earlier, so that each tour
    has time for its own, which are put in between afterwards.
    """
    pauses = list(_pauses(problem.vehicles))
    if not pauses:
        return problem

    def earlier(moment: float) -> float:
        if moment == inf:
            return inf
        return moment - sum(min(max(moment - at, 0), lasts) for at, lasts in pauses)

    jobs = (
        replace(job, earliest=earlier(job.earliest), latest=earlier(job.latest))
        for job in problem.jobs
    )
    vehicles = (
        replace(each, earliest=earlier(each.earliest), latest=earlier(each.latest))
        for each in problem.vehicles
    )
    return replace(problem, jobs=tuple(jobs), vehicles=tuple(vehicles))


def _pauses(vehicles: Sequence[Vehicle]) -> Iterator[tuple[float, float]]:
    """Yield when breaks would begin if all rested at once, and how long each lasts."""
    resting = [each for each in vehicles if each.breaks.lasts and each.latest < inf]
    if not resting:
        return
    ends = max(each.latest for each in resting)
    first = min(resting, key=_since)
    since, breaks, free_at = _since(first), first.breaks, first.earliest
    while ends - since > breaks.after:
        at = max(since + breaks.after - EARLY_S, free_at)
        yield at, breaks.lasts
        since = free_at = at + breaks.lasts


def _since(vehicle: Vehicle) -> float:
    return vehicle.earliest if vehicle.works_from is None else vehicle.works_from


def shorten(problem: Problem, vehicle: Vehicle, tour: Tour) -> Tour:
    """Leave out as many jobs as it takes until a tour fits with its breaks, none that come first.

    Those too only where no other is left.
    """
    while not fits(problem, vehicle, tour):
        places = [at for at, index in enumerate(tour) if index != vehicle.last]
        if not places:
            break
        others = [at for at in places if not _comes_first(problem, tour[at])] or places
        shorter = [_tidy(_without(tour, at)) for at in others]
        fitting = [each for each in shorter if fits(problem, vehicle, each)]
        tour = min(fitting or shorter[-1:], key=lambda each: sum(legs_of(problem, vehicle, each)))
    return tour


def _comes_first(problem: Problem, index: int) -> bool:
    return index != REFILL_JOB and problem.jobs[index].comes_first


def _tidy(tour: Tour) -> Tour:
    """Return a tour without a refill at its end or a second one in a row."""
    kept: Tour = []
    for index in tour:
        if [index] != kept[-1:] or index != REFILL_JOB:
            kept.append(index)
    return kept[:-1] if kept[-1:] == [REFILL_JOB] else kept


def insert(problem: Problem, tours: list[Tour], index: int) -> bool:
    """Insert a job where that adds least, if it fits: with a refill, which a search may not see.

    Without one only where breaks are kept, of which it knows nothing.
    """
    found: list[tuple[float, int, Tour]] = []
    for number, (vehicle, tour) in enumerate(zip(problem.vehicles, tours, strict=True)):
        if not fits_tanks(problem, replace(vehicle, used=()), [index]):
            continue
        before = sum(legs_of(problem, vehicle, tour))
        ways = [[index]] if vehicle.breaks.lasts else []
        if vehicle.refill is not None:
            ways += [[REFILL_JOB, index], [index, REFILL_JOB]]
        for at in range(len(tour) + (vehicle.last is None)):
            for added in ways:
                longer = [*tour[:at], *added, *tour[at:]]
                if longer[-1] != REFILL_JOB and fits(problem, vehicle, longer):
                    found.append((sum(legs_of(problem, vehicle, longer)) - before, number, longer))
    if found:
        _, number, longer = min(found)
        tours[number] = longer
    return bool(found)


def work_of(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> float:
    """Return how long a tour's driving, fills and refills take, without waiting."""
    service = sum(job.service for job in jobs_of(problem, vehicle, tour))
    return sum(legs_of(problem, vehicle, tour)) + service if tour else 0


def balance(problem: Problem, tours: list[Tour], *, seconds: float = BALANCING_S) -> None:
    """Move jobs from tours with more work to such with less, while that evens them out.

    All driving together grows by no more than the problem allows.
    """
    if not problem.balance or len(tours) < 2:
        return
    ends_at = time.perf_counter() + seconds
    vehicles = problem.vehicles
    work = [work_of(problem, *each) for each in zip(vehicles, tours, strict=True)]
    drives = [_driving(problem, *each) for each in zip(vehicles, tours, strict=True)]
    most = sum(drives) * (1 + problem.balance)
    while time.perf_counter() < ends_at:
        step = next(_evening_steps(problem, tours, work, most - sum(drives), ends_at), None)
        if step is None:
            return
        for number, tour in step:
            tours[number] = tour
            work[number] = work_of(problem, vehicles[number], tour)
            drives[number] = _driving(problem, vehicles[number], tour)


def _driving(problem: Problem, vehicle: Vehicle, tour: Tour) -> float:
    return sum(legs_of(problem, vehicle, tour)) if tour else 0


Step = tuple[tuple[int, Tour], tuple[int, Tour]]  # two tours as they would be, by their numbers


def _evening_steps(
    problem: Problem, tours: list[Tour], work: list[float], spare: float, ends_at: float
) -> Iterator[Step]:
    """Yield steps that even the work out, the best of the fullest tour first.

    Args:
        spare: The seconds by which all driving may grow.
    """
    fullest_first = sorted(range(len(tours)), key=lambda each: -work[each])
    for giver in fullest_first:
        if time.perf_counter() > ends_at:
            return
        takers = [each for each in reversed(fullest_first) if work[each] < work[giver]]
        ways = sorted(
            (evened, at, taker, to)
            for at in range(len(tours[giver]))
            for taker in takers
            for evened, to in _places(problem, tours, work, spare, (giver, at, taker))
        )
        for _, at, taker, to in ways:
            if time.perf_counter() > ends_at:
                return
            less = _tidy(_without(tours[giver], at))
            more = [*tours[taker][:to], tours[giver][at], *tours[taker][to:]]
            step = (giver, less), (taker, more)
            if _is_better(problem, tours, work, spare, step):
                yield step


def _is_better(
    problem: Problem, tours: list[Tour], work: list[float], spare: float, step: Step
) -> bool:
    """Check a step, of which only the detours were known."""
    before, after, longer = 0.0, 0.0, 0.0
    for number, tour in step:
        vehicle = problem.vehicles[number]
        if not fits(problem, vehicle, tour):
            return False
        before += work[number] ** 2
        after += work_of(problem, vehicle, tour) ** 2
        longer += _driving(problem, vehicle, tour) - _driving(problem, vehicle, tours[number])
    return after < before and longer <= spare


def _places(
    problem: Problem,
    tours: list[Tour],
    work: list[float],
    spare: float,
    move: tuple[int, int, int],
) -> Iterator[tuple[float, int]]:
    """Yield by how much a job on each place of another tour unevens the work, where it evens it."""
    giver, at, taker = move
    index = tours[giver][at]
    if index in (REFILL_JOB, problem.vehicles[giver].last):
        return
    job, vehicle = problem.jobs[index], problem.vehicles[taker]
    own = _way(problem, problem.vehicles[giver], _without(tours[giver], at))
    saved = _detour(problem, own, at, job)
    way = _way(problem, vehicle, tours[taker])
    before = work[giver] ** 2 + work[taker] ** 2
    for to in range(len(way) - 1 - (vehicle.last is not None)):
        added = _detour(problem, way, to, job)
        after = (work[giver] - saved - job.service) ** 2 + (work[taker] + added + job.service) ** 2
        if added - saved <= spare and after < before:
            yield after - before, to


def _without(tour: Tour, at: int) -> Tour:
    return [*tour[:at], *tour[at + 1 :]]


def _way(problem: Problem, vehicle: Vehicle, tour: Tour) -> list[int | None]:
    """Return the places of a tour, with its start and its end; None for an open one."""
    home = vehicle.end or 0
    stops = (home if each == REFILL_JOB else problem.jobs[each].place for each in tour)
    return [vehicle.start, *stops, vehicle.end]


def _detour(problem: Problem, way: list[int | None], at: int, job: Job) -> float:
    """Return the driving that a job adds after a place of a way; an empty one is not driven."""
    before, after = way[at : at + 2]
    there = 0 if before is None else problem.seconds[before][job.place]
    back = 0 if after is None else problem.seconds[job.place][after]
    if before is None or after is None or len(way) == 2:
        return there + back
    return there + back - problem.seconds[before][after]
