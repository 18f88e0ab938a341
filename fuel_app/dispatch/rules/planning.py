"""Planning of a day: the solver's problem, its solution as routes, reasons for unserved stops."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import ceil, floor, inf

from fuel_app.areas.rules.positions import Point, great_circle_meters
from fuel_app.dispatch.rules.geography import fault
from fuel_app.dispatch.rules.problem import (
    Job,
    Matrix,
    Problem,
    Solution,
    Vehicle,
    fits,
    holds,
    is_cut_off,
    legs_of,
    timetable,
)
from fuel_app.dispatch.rules.route import (
    ESTIMATED,
    DayRoute,
    Drive,
    Route,
    Stop,
    TimeWindow,
    Truck,
    Unserved,
)
from fuel_app.kit.clock import time_of_day
from fuel_app.kit.errors import RouteFailed

Tours = Sequence[Sequence[int]]

TENTHS = 10  # of a gallon: the solver counts in whole numbers
MOST_STOPS = 500  # a matrix has a number for each pair
DECIMALS = 4  # of a position, eleven meters: a resting phone hits the cache
FAR_AWAY_M = 150_000
FAR_AWAY = "You are too far away to start from here, so the route starts at its first stop."


def why_unserved(problem: Problem, solution: Solution, index: int, closes: datetime | None) -> str:
    """Return the plainest reason why no vehicle whose tanks hold enough serves a job.

    Args:
        closes: When the job's window does; None without one.
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
    if closes and all(timetable([job], legs, vehicle.earliest).late for vehicle, legs in alone):
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


@dataclass(frozen=True, slots=True)
class Planning:
    """The input of a day's plan: valid stops, trucks, the first one's position, the start."""

    stops: tuple[Stop, ...]
    trucks: tuple[Truck, ...]
    starts_at: datetime
    position: Point | None = None

    def start(self, truck: int) -> Point | None:
        """Return where a truck starts: the first at the position, the others at their depots."""
        return self.position if truck == 0 and self.position else self.end(truck)

    def end(self, truck: int) -> Point | None:
        return self.trucks[truck].depot

    @property
    def points(self) -> tuple[Point, ...]:
        """Every point of the matrix, once."""
        every = range(len(self.trucks))
        ends = [*map(self.start, every), *map(self.end, every)]
        places = (*(stop.point for stop in self.stops), *ends)
        return tuple(dict.fromkeys(point for point in places if point))

    @property
    def has_fixed_end(self) -> bool:
        """One truck without a depot ends its day at the last stop."""
        return len(self.trucks) == 1 and self.end(0) is None

    @property
    def is_plain(self) -> bool:
        """True without windows, shifts and tanks, from a position to the last stop."""
        enough = self.trucks[0].gallons is None and self.trucks[0].shift is None
        windows = any(stop.window for stop in self.stops)
        return self.has_fixed_end and self.position is not None and enough and not windows

    def problem(self, seconds: Matrix) -> Problem:
        """Return the solver's problem with the travel times between `points`.

        The last stop that can be reached at all stays last where the day ends at a stop.
        """
        place = {point: index for index, point in enumerate(self.points)}
        jobs = tuple(self._job(stop, place[stop.point]) for stop in self.stops)
        vehicles = []
        for index, truck in enumerate(self.trucks):
            start, end = self.start(index), self.end(index)
            earliest, latest = self._span(truck.shift)
            vehicles.append(
                Vehicle(
                    start=place[start] if start else None,
                    end=place[end] if end else None,
                    tanks=() if truck.gallons is None else (floor(TENTHS * truck.gallons),),
                    earliest=earliest,
                    latest=latest,
                )
            )
        problem = Problem(seconds, jobs, tuple(vehicles))
        if not self.has_fixed_end:
            return problem
        [only] = vehicles
        reached = (
            index
            for index in reversed(range(len(jobs)))
            if fits(problem, only, [index]) and not is_cut_off(problem, jobs[index])
        )
        return replace(problem, vehicles=(replace(only, last=next(reached, None)),))

    def through(self, truck: int, tour: Sequence[int]) -> tuple[Point, ...]:
        """Return the points that a truck drives through; none without stops."""
        if not tour:
            return ()
        start, end = self.start(truck), self.end(truck)
        stops = (self.stops[index].point for index in tour)
        return tuple(point for point in (start, *stops, end) if point)

    def route(self, truck: int, tour: Sequence[int], drive: Drive) -> Route:
        """Return a driven tour with its times."""
        stops = tuple(self.stops[index] for index in tour)
        start = self.start(truck)
        legs = [0.0] if start is None else []
        legs += [leg.seconds for leg in drive.legs]
        earliest, _ = self._span(self.trucks[truck].shift)
        day = timetable([self._job(stop, 0) for stop in stops], legs, earliest)
        return Route(
            start=start,
            stops=stops,
            begins=tuple(self.starts_at + timedelta(seconds=at) for at in day.begins),
            legs=drive.legs,
            line=drive.line,
            late=tuple(stops[at].id for at in day.late),
        )

    def _job(self, stop: Stop, place: int) -> Job:
        loads = (ceil(TENTHS * stop.gallons),)
        return Job(place, 60 * stop.service_minutes, *self._span(stop.window), loads)

    def _span(self, window: TimeWindow | None) -> tuple[float, float]:
        """Return a window in seconds from the start; the whole day without one."""
        if window is None:
            return 0, inf
        opens, closes = window.opens - self.starts_at, window.closes - self.starts_at
        return max(0, opens.total_seconds()), closes.total_seconds()


def prepare(
    stops: Sequence[Stop],
    position: Point | None,
    trucks: Sequence[Truck],
    starts_at: datetime | None,
) -> tuple[DayRoute, Planning | None]:
    """Return the day without routes, and its planning if there is a valid stop.

    Raises:
        RouteFailed: If there are more than `MOST_STOPS`.
    """
    if len(stops) > MOST_STOPS:
        raise RouteFailed("MAX_WAYPOINTS_EXCEEDED")
    faults = [(stop, fault(stop.point)) for stop in stops]
    good = tuple(stop for stop, wrong in faults if wrong is None)
    faulty = tuple(Unserved(stop, wrong) for stop, wrong in faults if wrong)
    if not good:
        return DayRoute(unserved=faulty), None
    notices: tuple[str, ...] = ()
    if position:
        position = Point(round(position.lat, DECIMALS), round(position.lng, DECIMALS))
        if all(great_circle_meters(position, stop.point) > FAR_AWAY_M for stop in good):
            position, notices = None, (FAR_AWAY,)
    # In UTC: differences within one time zone ignore daylight saving changes.
    starts_at = (starts_at or min(stop.due for stop in good)).astimezone(UTC)
    day = DayRoute(unserved=faulty, notices=notices)
    return day, Planning(good, tuple(trucks), starts_at, position)


def without(day: DayRoute, planning: Planning, problem: Problem, solution: Solution) -> DayRoute:
    """Add the stops that the solver left out, with reasons."""
    left_out = (
        Unserved(stop, _why_unserved(problem, solution, index, stop))
        for index, stop in enumerate(planning.stops)
        if index in solution.unserved
    )
    return replace(day, unserved=(*day.unserved, *left_out))


def _why_unserved(problem: Problem, solution: Solution, index: int, stop: Stop) -> str:
    tanks = [vehicle.tanks for vehicle in problem.vehicles]
    [needed] = problem.jobs[index].loads
    if all(tanks) and needed > (largest := max(tanks)[0]):
        return f"It needs {needed / TENTHS:g} gallons; a truck carries {largest / TENTHS:g}."
    return why_unserved(problem, solution, index, stop.window.closes if stop.window else None)


def driven(day: DayRoute, planning: Planning, tours: Tours, drives: Sequence[Drive]) -> DayRoute:
    """Add the driven routes, their providers and notices."""
    routes = [
        planning.route(truck, tour, drive)
        for truck, (tour, drive) in enumerate(zip(tours, drives, strict=True))
    ]
    estimated = any(drive.estimated for drive in drives)
    return replace(
        day,
        routes=tuple(routes),
        provider=", ".join(dict.fromkeys(drive.provider for drive in drives if drive.provider)),
        notices=(ESTIMATED, *day.notices) if estimated else day.notices,
    )
