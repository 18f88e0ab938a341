"""Planning of a day's routes: the solver's problem, its solution as stops, reasons for the rest."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil

from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.dispatch.rules.changing import as_stored
from fuel_app.dispatch.rules.day import REFILL, NewStop, RouteStop, TruckRoute
from fuel_app.dispatch.rules.problem import (
    Job,
    Matrix,
    Problem,
    Solution,
    Vehicle,
    legs_of,
    why_unserved,
)
from fuel_app.dispatch.rules.timing import LATE_AFTER, ServiceTimes, expected, is_near, point_of
from fuel_app.kit.words import tenths

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
    """

    routes: tuple[TruckRoute, ...]
    bookings: tuple[Booking, ...]
    pins: Mapping[str, str]
    now: datetime
    times: ServiceTimes
    first: frozenset[str] = frozenset()

    @property
    def waiting(self) -> dict[str, Booking]:
        """Return the bookings that wait on these routes, by their ids.

        One that is late there may begin as late as that.
        """
        return {
            booking.id: replace(booking, ends_at=max(booking.ends_at, each.begins_at + LATE_AFTER))
            for route in self.routes
            for each in expected(route, self.now, self.times)
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
        return Problem(seconds, jobs, tuple(self._vehicle(route, place) for route in self.routes))

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
        needed = ceil(booking.estimated_milligallons / UNIT)
        loads = (needed if grade == booking.grade else 0 for grade in GRADES)
        pin = self.pins.get(booking.id)
        pins = (PIN if pin == shift_id else 0 for shift_id in self._pinned_to)
        return Job(
            place=place[car],
            service=MINUTE * self.times.first,
            earliest=max(0, self._seconds_to(booking.starts_at)),
            latest=self._seconds_to(booking.ends_at),
            loads=(*loads, *pins),
            near=frozenset(
                at
                for at, other in enumerate(self.bookings)
                if at != index and is_near(car, _car(other))
            ),
            service_near=MINUTE * self.times.near,
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
        free_at = self._expected(route, [_stop(None, 0, self.now)])[0]
        return Vehicle(
            start=place[_start(route)],
            end=place[truck.point],
            tanks=(*tanks, *pins),
            used=(*used, *(0 for _ in self._pinned_to)),
            refill=MINUTE * self.times.refill,
            earliest=self._seconds_to(free_at),
            latest=self._seconds_to(route.shift.ends_at),
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
        times = expected(whole, self.now, self.times)
        return [each.begins_at for each in times[len(times) - len(stops) :]]

    def _reason(self, problem: Problem, solution: Solution, index: int) -> str:
        booking = self.bookings[index]
        grade, pin = GRADE_LABELS[booking.grade].lower(), self.pins.get(booking.id)
        trucks = [r.shift.truck for r in self.routes if pin in (None, r.shift.id)]
        if not trucks and pin:
            return "The truck that it is pinned to takes no stops."
        most = max((truck.tanks.get(booking.grade, 0) for truck in trucks), default=0)
        if not most:
            which = "The truck that it is pinned to" if pin else "No truck on shift"
            return f"{which} carries {'no ' if pin else ''}{grade}."
        if (needed := booking.estimated_milligallons) > most:
            return f"It needs {tenths(needed)} gallons of {grade}; a truck carries {tenths(most)}."
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
        elif stop.booking.filled_milligallons is not None:
            pumped[stop.booking.grade] += stop.booking.filled_milligallons
        elif not stop.is_ended and not stop.is_gone:
            pumped[stop.booking.grade] += stop.booking.estimated_milligallons
    return pumped


def _stop(booking: Booking | None, leg_s: int, now: datetime) -> RouteStop:
    """Return a stop as it would be on a route; without a booking it is a refill."""
    slot_id = booking.slot_id if booking else ""
    return RouteStop("", booking, slot_id, REFILL, is_pinned=False, leg_s=leg_s, begins_at=now)
