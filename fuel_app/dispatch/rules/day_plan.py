"""The plan of a day: the vehicle routing problem in numbers, and a day's routes as one.

Numbers are seconds from the start, tenths of gallons and indices; `place` is a row and column in
the matrix of driving seconds. A booking that no truck takes gets the plainest reason.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from math import ceil, inf

from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.dispatch.rules.arrivals import (
    LATE_AFTER,
    ServiceTimes,
    drive_on,
    estimate_times,
    is_near,
    point_of,
)
from fuel_app.dispatch.rules.breaks import NO_BREAKS, Breaks, Leg, visit
from fuel_app.dispatch.rules.day import REFILL, NewStop, RouteStop, TruckRoute
from fuel_app.dispatch.rules.route_changes import as_stored
from fuel_app.kit.clock import time_of_day
from fuel_app.kit.words import tenths

Matrix = tuple[tuple[float, ...], ...]  # seconds from row to column; `inf` where no road leads
REFILL_JOB = -1  # in a tour, instead of a job: the vehicle refills its tanks at its `end`


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
        works_from: When its technician began to work without a break; None for `earliest`.
    """

    start: int | None = None
    end: int | None = None
    last: int | None = None
    tanks: tuple[int, ...] = ()
    earliest: float = 0
    latest: float = inf
    used: tuple[int, ...] = ()
    refill: float | None = None
    breaks: Breaks = NO_BREAKS
    works_from: float | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """The solver's input. A job that is no vehicle's `last` may be left unserved.

    Args:
        balance: By which share all driving may grow so that the work is spread evenly; 0 is not.
    """

    seconds: Matrix
    jobs: tuple[Job, ...]
    vehicles: tuple[Vehicle, ...]
    balance: float = 0


@dataclass(frozen=True, slots=True)
class Solution:
    """The jobs and refills of each vehicle in driving order, and the jobs that none takes."""

    tours: tuple[tuple[int, ...], ...]
    unserved: tuple[int, ...] = ()


@dataclass(slots=True)
class Search:
    """A search as it goes on: who waits for it reads its share, and may stop it.

    Args:
        share: How much of it is done, from 0 to 1; it may end before.
    """

    share: float = 0
    is_stopped: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    """When each service of a tour begins, and when the vehicle is free again."""

    begins: tuple[float, ...]
    ends: float
    late: tuple[int, ...]  # where in the tour a service begins after its `latest`


def schedule_tour(
    jobs: Sequence[Job],
    legs: Sequence[float],
    earliest: float,
    breaks: Breaks = NO_BREAKS,
    works_from: float | None = None,
) -> Schedule:
    """Schedule a tour as early as possible, waiting for windows to open, with its breaks.

    Args:
        legs: Seconds to each job, and back to the end where the vehicle has one.
    """
    driven = [Leg(leg, job.earliest, job.service) for job, leg in zip(jobs, legs, strict=False)]
    since = earliest if works_from is None else works_from
    visits, _ = visit(driven, earliest, since, breaks)
    ends = visits[-1].ends if visits else earliest
    late = (at for at, job in enumerate(jobs[: len(visits)]) if visits[at].begins > job.latest)
    begins = tuple(each.begins for each in visits)
    return Schedule(begins, ends + sum(legs[len(jobs) :]), tuple(late))


def jobs_of(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> list[Job]:
    """Return the jobs of a tour, each with the service that it takes there; refills as jobs."""
    jobs = []
    for before, index in pairwise((REFILL_JOB, *tour)):
        if index == REFILL_JOB:
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


def fits_tanks(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> bool:
    """Check that no tank runs dry between the refills of a tour."""
    used = vehicle.used or (0,) * len(vehicle.tanks)
    for index in tour:
        loads = (-each for each in used) if index == REFILL_JOB else problem.jobs[index].loads
        used = tuple(a + b for a, b in zip(used, loads, strict=False))
        if any(gone > tank for gone, tank in zip(used, vehicle.tanks, strict=False)):
            return False
    return True


def fits(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> bool:
    """Check that a vehicle can drive a tour: time, roads, tanks."""
    legs = legs_of(problem, vehicle, tour)
    jobs = jobs_of(problem, vehicle, tour)
    day = schedule_tour(jobs, legs, vehicle.earliest, vehicle.breaks, vehicle.works_from)
    in_time = not day.late and day.ends <= vehicle.latest and sum(legs) < inf
    return in_time and fits_tanks(problem, vehicle, tour)


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
        if fits_tanks(problem, replace(vehicle, used=()), [index])
    ]
    alone = [(vehicle, legs_of(problem, vehicle, [index])) for vehicle, _ in able]
    if all(sum(legs) == inf for _, legs in alone) or is_cut_off(problem, job):
        return "No road leads there."
    if all(schedule_tour([job], legs, vehicle.earliest).late for vehicle, legs in alone):
        return f"It cannot be reached by {time_of_day(closes)}."
    if not any(fits(problem, replace(vehicle, used=()), [index]) for vehicle, _ in able):
        return "It does not fit into a truck's shift."
    if not any(
        fits_tanks(problem, vehicle, [*tour[:at], index, *tour[at:]])
        for vehicle, tour in able
        for at in range(len(tour) + 1)
    ):
        return "The other stops leave too little fuel for it."
    return "It does not fit in between the other stops."


MINUTE = 60
UNIT = 100  # milligallons: the solver counts in tenths of a gallon
PIN = 1000  # what a pinned booking takes of the tank that only its truck has


@dataclass(frozen=True, slots=True)
class DayPlan:
    """The input of a plan. Started stops stay first and as they are.

    Args:
        routes: The trucks that take stops.
        bookings: All that are to be planned: those on no route, and those on these routes that
            have not started.
        pins: The shift that a booking stays on, by the booking's id.
        first: The bookings of which none is left out for any other.
        balance: As of a `Problem`.
    """

    routes: tuple[TruckRoute, ...]
    bookings: tuple[Booking, ...]
    pins: Mapping[str, str]
    now: datetime
    times: ServiceTimes
    first: frozenset[str] = frozenset()
    balance: float = 0

    @property
    def waiting(self) -> dict[str, Booking]:
        """Return the bookings that wait on these routes, by their ids.

        One that is late there may begin as late as that.
        """
        return {
            booking.id: replace(booking, ends_at=max(booking.ends_at, each.begins_at + LATE_AFTER))
            for route in self.routes
            for each in estimate_times(route, self.now, self.times)
            if (booking := each.stop.booking) and each.stop in route.waiting
        }

    def replacing(self, bookings: Mapping[str, Booking]) -> "DayPlan":
        """Return the plan with others in place of bookings, by their ids."""
        return replace(self, bookings=tuple(bookings.get(b.id, b) for b in self.bookings))

    @property
    def points(self) -> tuple[Point, ...]:
        """Return every point of the matrix, once."""
        homes = (route.shift.truck.point for route in self.routes)
        starts = (_start(route) for route in self.routes)
        return tuple(dict.fromkeys((*homes, *starts, *map(_car, self.bookings))))

    def problem(self, seconds: Matrix) -> Problem:
        """Return the solver's problem, in seconds from now, with the drives between `points`.

        A truck sets off where its last started stop is, as soon as that is done; before, at home
        when its shift begins. A pin is a tank that only the truck of its shift has.
        """
        place = {point: index for index, point in enumerate(self.points)}
        jobs = tuple(self._job(index, place) for index in range(len(self.bookings)))
        vehicles = tuple(self._vehicle(route, place) for route in self.routes)
        return Problem(seconds, jobs, vehicles, self.balance)

    def new_stops(self, seconds: Matrix, solution: Solution) -> dict[str, list[NewStop]]:
        """Return the stops of each shift: those that have started, then the tour."""
        problem = self.problem(seconds)
        return {
            route.shift.id: self._new_stops(route, tour, legs_of(problem, vehicle, tour))
            for route, vehicle, tour in zip(
                self.routes, problem.vehicles, solution.tours, strict=True
            )
        }

    def reasons(self, problem: Problem, solution: Solution) -> dict[str, str]:
        """Return the plainest reason for each booking that no truck takes."""
        return {
            self.bookings[index].id: self._reason(problem, solution, index)
            for index in solution.unserved
        }

    @property
    def _pinned_to(self) -> tuple[str, ...]:
        return tuple(sorted({*self.pins.values()}))

    def _job(self, index: int, place: Mapping[Point, int]) -> Job:
        booking = self.bookings[index]
        car = _car(booking)
        needed = booking.by_grade
        loads = (ceil(needed.get(grade, 0) / UNIT) for grade in GRADES)
        pin = self.pins.get(booking.id)
        pins = (PIN if pin == shift_id else 0 for shift_id in self._pinned_to)
        return Job(
            place=place[car],
            service=MINUTE * (self.times.first + self.times.near * (len(booking.fills) - 1)),
            earliest=max(0, self._seconds_to(booking.starts_at)),
            latest=self._seconds_to(booking.ends_at),
            loads=(*loads, *pins),
            near=frozenset(
                at
                for at, other in enumerate(self.bookings)
                if at != index and is_near(car, _car(other))
            ),
            service_near=MINUTE * self.times.near * len(booking.fills),
            comes_first=booking.id in self.first,
        )

    def _vehicle(self, route: TruckRoute, place: Mapping[Point, int]) -> Vehicle:
        truck, pumped = route.shift.truck, _pumped(route)
        tanks = tuple(truck.tanks.get(grade, 0) // UNIT for grade in GRADES)
        pins = (
            PIN * len(self.bookings) if shift_id == route.shift.id else 0
            for shift_id in self._pinned_to
        )
        used = (
            min(tank, ceil(pumped[grade] / UNIT)) for grade, tank in zip(GRADES, tanks, strict=True)
        )
        _, free_at, works_from = drive_on(replace(route, stops=route.started), self.now, self.times)
        return Vehicle(
            start=place[_start(route)],
            end=place[truck.point],
            tanks=(*tanks, *pins),
            used=(*used, *(0 for _ in self._pinned_to)),
            refill=MINUTE * self.times.refill,
            earliest=self._seconds_to(free_at),
            latest=self._seconds_to(route.shift.ends_at),
            breaks=Breaks(MINUTE * self.times.rest, MINUTE * self.times.work),
            works_from=self._seconds_to(works_from),
        )

    def _new_stops(
        self, route: TruckRoute, tour: tuple[int, ...], legs: tuple[float, ...]
    ) -> list[NewStop]:
        booked = [None if index < 0 else self.bookings[index] for index in tour]
        stops = [
            _stop(booking, ceil(leg), self.now)
            for booking, leg in zip(booked, legs, strict=False)  # the last leg leads home
        ]
        pinned = {stop.id for each in self.routes for stop in each.stops if stop.is_pinned}
        return [
            *as_stored(replace(route, stops=route.started)),
            *(
                NewStop(stop.id, stop.leg_s, begins_at, stop.id in pinned, stop.slot_id)
                for stop, begins_at in zip(stops, self._expected(route, stops), strict=True)
            ),
        ]

    def _expected(self, route: TruckRoute, stops: list[RouteStop]) -> list[datetime]:
        """Return when stops begin after those that have started."""
        whole = replace(route, stops=(*route.started, *stops))
        times = estimate_times(whole, self.now, self.times)
        return [each.begins_at for each in times[len(times) - len(stops) :]]

    def _reason(self, problem: Problem, solution: Solution, index: int) -> str:
        booking = self.bookings[index]
        pin = self.pins.get(booking.id)
        trucks = [r.shift.truck for r in self.routes if pin in (None, r.shift.id)]
        if not trucks and pin:
            return "The truck that it is pinned to takes no stops."
        for grade, needed in booking.by_grade.items():
            label = GRADE_LABELS[grade].lower()
            most = max((truck.tanks.get(grade, 0) for truck in trucks), default=0)
            if not most:
                which = "The truck that it is pinned to" if pin else "No truck on shift"
                return f"{which} carries {'no ' if pin else ''}{label}."
            if needed > most:
                has = tenths(most)
                return f"It needs {tenths(needed)} gallons of {label}; a truck carries {has}."
        reason = why_unserved(problem, solution, index, booking.ends_at)
        return f"{reason} It is pinned to {trucks[0].name}." if pin else reason

    def _seconds_to(self, moment: datetime) -> float:
        return (moment - self.now).total_seconds()


def _car(booking: Booking) -> Point:
    return Point(booking.place.lat, booking.place.lng)


def _start(route: TruckRoute) -> Point:
    """Return where a truck is after its last started stop; at first, at home."""
    last = point_of(route.started[-1]) if route.started else None
    return last or route.shift.truck.point


def _pumped(route: TruckRoute) -> Counter[str]:
    """Return the milligallons by grade that a truck has pumped since its last refill."""
    pumped: Counter[str] = Counter()
    for stop in route.started:
        if stop.booking is None:
            pumped.clear()
        else:
            is_open = not stop.is_ended and not stop.is_gone
            for fill in stop.booking.fills:
                if fill.filled_milligallons is not None:
                    pumped[fill.grade] += fill.filled_milligallons
                elif is_open:
                    pumped[fill.grade] += fill.estimated_milligallons
    return pumped


def _stop(booking: Booking | None, leg_s: int, now: datetime) -> RouteStop:
    """Return a stop as it would be on a route; without a booking it is a refill."""
    slot_id = booking.slot_id if booking else ""
    return RouteStop("", booking, slot_id, REFILL, is_pinned=False, leg_s=leg_s, begins_at=now)
