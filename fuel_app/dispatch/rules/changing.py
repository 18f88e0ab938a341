"""Changing routes by hand: which stop, at which place, at what cost."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

from fuel_app.areas.rules.grades import GRADE_LABELS
from fuel_app.areas.rules.positions import Point
from fuel_app.dispatch.rules.day import (
    Day,
    DayClosed,
    DayOver,
    NewStop,
    RouteChanged,
    RouteStop,
    ShiftGone,
    StopGone,
    StopStarted,
    TruckBroken,
    TruckRoute,
    WrongGrade,
)
from fuel_app.dispatch.rules.timing import point_of
from fuel_app.kit.errors import Refusal

Seconds = Callable[[Point, Point], float]  # of driving from one point to another


def check_day(day: Day, today: date, seen: object) -> None:
    """Refuse to plan a day that is over or closed, or that is not as on the screen.

    Args:
        seen: The revisions of its routes there.

    Raises:
        DayOver, DayClosed, RouteChanged
    """
    if day.day < today:
        raise DayOver
    if day.closed_at:
        raise DayClosed
    if seen != day.revisions:
        raise RouteChanged


def find_route(day: Day, shift_id: object) -> TruckRoute:
    """Return the route of a shift.

    Raises:
        ShiftGone
    """
    for route in day.routes:
        if route.shift.id == shift_id:
            return route
    raise ShiftGone


def find_stop(day: Day, stop_id: object) -> tuple[TruckRoute | None, RouteStop]:
    """Return a stop that can be moved, and its route; of an unassigned booking a new stop.

    Raises:
        StopGone, StopStarted
    """
    for each in day.unassigned:
        if each.booking.id == stop_id:
            booking = each.booking
            stop = RouteStop(
                "", booking, booking.slot_id, each.customer, False, 0, booking.starts_at
            )
            return None, stop
    for route in day.routes:
        for stop in route.stops:
            if stop.id == stop_id and not stop.is_gone:
                if stop.is_started or stop.is_ended:
                    raise StopStarted
                return route, stop
    raise StopGone


def check_place(sent: object, stops: int) -> int:
    """Return the place that a browser names, from 0 to behind so many stops.

    Raises:
        RouteChanged: If there is no such place.
    """
    if type(sent) is not int or not 0 <= sent <= stops:
        raise RouteChanged
    return sent


def refusal(route: TruckRoute, stop: RouteStop) -> Refusal | None:
    """Return why a truck cannot take a stop; None if it can."""
    truck = route.shift.truck
    if route.shift.broken_at:
        return TruckBroken()
    if stop.booking and not truck.tanks.get(stop.booking.grade):
        return WrongGrade(truck.name, GRADE_LABELS[stop.booking.grade])
    return None


def without(route: TruckRoute, stop: RouteStop) -> tuple[RouteStop, ...]:
    """Return the stops of a route that can be moved, but one."""
    return tuple(each for each in route.waiting if each.id != stop.id)


def path(route: TruckRoute, waiting: tuple[RouteStop, ...]) -> list[Point]:
    """Return where a truck drives through: from its last started stop, or its home, to its home."""
    home = route.shift.truck.point
    stops = (*route.started[-1:], *waiting)
    start = [] if route.started else [home]
    return [*start, *(point_of(stop) or home for stop in stops), home]


def costs(day: Day, stop: RouteStop, seconds: Seconds) -> dict[str, list[int]]:
    """Return the minutes of driving that each place of each route adds to the day. O(stops).

    Minutes that are saved where the stop is now are subtracted.
    """
    saved = sum(
        _length(path(route, route.waiting), seconds)
        - _length(path(route, without(route, stop)), seconds)
        for route in day.routes
        if stop in route.waiting
    )
    return {
        route.shift.id: [round((added - saved) / 60) for added in _added(route, stop, seconds)]
        for route in day.routes
        if refusal(route, stop) is None
    }


def _added(route: TruckRoute, stop: RouteStop, seconds: Seconds) -> list[float]:
    """Return the seconds that a stop adds at each place of a route."""
    point = point_of(stop) or route.shift.truck.point
    way = path(route, without(route, stop))
    detours = [seconds(each, point) for each in way]
    return [detours[at] + detours[at + 1] - seconds(*leg) for at, leg in enumerate(pairwise(way))]


def _length(way: list[Point], seconds: Seconds) -> float:
    return sum(seconds(*leg) for leg in pairwise(way))


def as_stored(route: TruckRoute) -> list[NewStop]:
    """Return the stops of a route as they are."""
    return [
        NewStop(stop.id, stop.leg_s, stop.begins_at, stop.is_pinned, stop.slot_id)
        for stop in route.stops
    ]


def is_same(route: TruckRoute, stops: Sequence[NewStop]) -> bool:
    """Return whether a plan leaves a route as it is, each refill included."""
    refills = {stop.id for stop in route.waiting if stop.booking is None}
    stored = [replace(each, id="") if each.id in refills else each for each in as_stored(route)]
    return stored == list(stops) and not any(stop.is_gone for stop in route.stops)
