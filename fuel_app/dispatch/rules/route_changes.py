"""Changes of a day's routes: moving a stop by hand at what cost, and weather holds.

A weather hold is asked for by day, area, time and reason.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from itertools import pairwise
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.areas.rules.hours import REASON_MAX, clean_day
from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.states import BOOKED, DISPATCHED
from fuel_app.dispatch.rules.arrivals import (
    AFTER_SHIFT,
    TOO_LATE,
    ArrivalNotices,
    ServiceTimes,
    day_text,
    estimate_times,
    point_of,
)
from fuel_app.dispatch.rules.day import (
    REFILL,
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
    Unassigned,
    WrongGrade,
)
from fuel_app.kit import contact
from fuel_app.kit.clock import NEW_YORK
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.words import counted

Seconds = Callable[[Point, Point], float]  # of driving from one point to another


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """The cost of a place for a stop: the least is the best."""

    late: int  # so many stops of the route are late by it, or after the shift
    minutes: int  # of driving added to the day, or saved
    after_shift: int = 0  # so many of `late` are after the shift
    told: int = field(default=0, compare=False)  # so many customers of a published day


def check_day(day: Day, today: date, seen: object) -> None:
    """Refuse to plan a day that is over or closed, or whose revisions are not as on the screen.

    Raises DayOver, DayClosed, RouteChanged.
    """
    if day.day < today:
        raise DayOver
    if day.closed_at:
        raise DayClosed
    if seen != day.revisions:
        raise RouteChanged


def find_route(day: Day, shift_id: object) -> TruckRoute:
    """Return the route of a shift. Raises ShiftGone."""
    for route in day.routes:
        if route.shift.id == shift_id:
            return route
    raise ShiftGone


def find_stop(day: Day, stop_id: object) -> tuple[TruckRoute | None, RouteStop]:
    """Return a stop that can be moved, and its route; of an unassigned booking a new stop.

    Raises StopGone, StopStarted.
    """
    for each in day.unassigned:
        if each.booking.id == stop_id:
            return None, _unassigned_stop(each)
    for route in day.routes:
        for stop in route.stops:
            if stop.id == stop_id and not stop.is_gone:
                if stop.is_started or stop.is_ended:
                    raise StopStarted
                return route, stop
    raise StopGone


def check_place(sent: object, stops: int) -> int:
    """Return the place that a browser names, from 0 to that many. Raises RouteChanged."""
    if type(sent) is not int or not 0 <= sent <= stops:
        raise RouteChanged
    return sent


def find_refusal(route: TruckRoute, stop: RouteStop) -> Refusal | None:
    """Return why a truck cannot take a stop; None if it can."""
    truck = route.shift.truck
    if route.shift.broken_at:
        return TruckBroken()
    grades = stop.booking.by_grade if stop.booking else {}
    missing = next((each for each in grades if not truck.tanks.get(each)), "")
    return WrongGrade(truck.name, GRADE_LABELS[missing]) if missing else None


def without_stop(route: TruckRoute, stop: RouteStop) -> tuple[RouteStop, ...]:
    """Return the stops of a route that can be moved, but one."""
    return tuple(each for each in route.waiting if each.id != stop.id)


def replace_waiting(
    route: TruckRoute, waiting: Iterable[RouteStop], legs: Iterable[float]
) -> TruckRoute:
    """Return a route with other stops after those that have started, and the seconds to each."""
    stops = (replace(stop, leg_s=round(leg)) for stop, leg in zip(waiting, legs, strict=False))
    return replace(route, stops=(*route.started, *stops))


def waypoints_of(route: TruckRoute, waiting: Iterable[RouteStop]) -> list[Point]:
    """Return where a truck drives through: from its last started stop, or its home, to its home."""
    home = route.shift.truck.point
    stops = (*route.started[-1:], *waiting)
    start = [] if route.started else [home]
    return [*start, *(point_of(stop) or home for stop in stops), home]


def cost_places(
    day: Day,
    stop: RouteStop,
    seconds: Seconds,
    now: datetime,
    times: ServiceTimes,
    notices: ArrivalNotices | None = None,
) -> dict[str, list[Cost]]:
    """Return the cost of each place of each route.

    Minutes that are saved where the stop is now are subtracted.

    Args:
        notices: Who is told of a change of a published day.
    """

    def judge(route: TruckRoute) -> tuple[int, int, int]:
        expected = estimate_times(route, now, times)
        all_late = [each.lateness for each in expected]
        told = notices.count(expected) if notices else 0
        return sum(each in TOO_LATE for each in all_late), all_late.count(AFTER_SHIFT), told

    saved, told_where_it_was = 0.0, 0
    found: dict[str, list[tuple[int, int, float, int]]] = {}
    for route in day.routes:
        others = without_stop(route, stop)
        legs = _legs(waypoints_of(route, others), seconds)
        if stop in route.waiting:
            saved = sum(_legs(waypoints_of(route, route.waiting), seconds)) - sum(legs)
            *_, told_where_it_was = judge(replace_waiting(route, others, legs))
        if find_refusal(route, stop) is None:
            before = replace_waiting(route, others, legs)
            late_before, over_before, _ = judge(before)
            found[route.shift.id] = [
                (late_after - late_before, over - over_before, added, told)
                for after, added in _insert_everywhere(before, stop, seconds)
                for late_after, over, told in [judge(after)]
            ]
    own = next((route.shift.id for route in day.routes if stop in route.waiting), "")
    return {
        shift_id: [
            Cost(
                late,
                round((added - saved) / 60),
                over,
                told + (0 if shift_id == own else told_where_it_was),
            )
            for late, over, added, told in places
        ]
        for shift_id, places in found.items()
    }


def _insert_everywhere(
    route: TruckRoute, stop: RouteStop, seconds: Seconds
) -> Iterator[tuple[TruckRoute, float]]:
    """Yield a route with a further stop at each place, and the seconds that it adds there."""
    point, waiting = point_of(stop) or route.shift.truck.point, route.waiting
    way = waypoints_of(route, waiting)
    detours = [seconds(each, point) for each in way]
    for at, leg in enumerate(_legs(way, seconds)):
        there, back = detours[at : at + 2]
        new = replace(stop, leg_s=round(there))
        after = (replace(each, leg_s=round(back)) for each in waiting[at : at + 1])
        stops = (*route.started, *waiting[:at], new, *after, *waiting[at + 1 :])
        yield replace(route, stops=stops), there + back - leg


def _legs(way: list[Point], seconds: Seconds) -> list[float]:
    return [seconds(*leg) for leg in pairwise(way)]


def as_stored(route: TruckRoute) -> list[NewStop]:
    """Return the stops of a route as they are."""
    return [
        NewStop(
            stop.id,
            stop.leg_s,
            stop.begins_at,
            stop.is_pinned,
            stop.slot_id,
            stop.planned if stop.has_moved_pin else None,
        )
        for stop in route.stops
    ]


def routes_after(day: Day, wanted: Mapping[str, Sequence[NewStop]]) -> list[TruckRoute]:
    """Return those routes of a day that a change replaces, as it would leave them."""
    known = {stop.id: stop for route in day.routes for stop in route.stops}
    known |= {each.booking.id: _unassigned_stop(each) for each in day.unassigned}
    refill = RouteStop("", None, "", REFILL, False, 0, datetime.min.replace(tzinfo=UTC))
    return [
        replace(
            route,
            stops=tuple(
                replace(known.get(new.id, refill), leg_s=new.leg_s, begins_at=new.begins_at)
                for new in wanted[route.shift.id]
            ),
        )
        for route in day.routes
        if route.shift.id in wanted
    ]


def _unassigned_stop(each: Unassigned) -> RouteStop:
    booking = each.booking
    return RouteStop("", booking, booking.slot_id, each.customer, False, 0, booking.starts_at)


def is_same(route: TruckRoute, stops: Sequence[NewStop]) -> bool:
    """Return whether a plan leaves a route as it is, each refill included."""
    refills = {stop.id for stop in route.waiting if stop.booking is None}
    stored = [replace(each, id="") if each.id in refills else each for each in as_stored(route)]
    return stored == list(stops) and not any(stop.is_gone for stop in route.stops)


def clean_time(value: object) -> time:
    """Return a time of day as browsers send it."""
    try:
        return datetime.strptime(contact.text(value), "%H:%M").time()  # noqa: DTZ007
    except ValueError:
        raise ValueError("Choose a time") from None


def clean_area(value: object) -> str:
    """Return an area's id; an empty text is all of them."""
    known = well_formed_id(value) or ""
    if value != "" and not known:
        raise ValueError("Choose an area")
    return known


@dataclass(frozen=True, slots=True)
class Storm:
    """A time in an area, or in all of them."""

    area_id: str
    starts_at: datetime
    ends_at: datetime

    def stops(self, booking: Booking) -> bool:
        """Return whether a booking that no technician has begun has its window in it."""
        is_here = self.area_id in ("", booking.area_id)
        is_then = booking.starts_at < self.ends_at and self.starts_at < booking.ends_at
        return is_here and is_then and booking.state in (BOOKED, DISPATCHED)


class StormForm(Form):
    """The time of a weather hold."""

    day: Annotated[date, PlainValidator(clean_day)]
    area_id: Annotated[str, PlainValidator(clean_area)]
    starts: Annotated[time, PlainValidator(clean_time)]
    ends: Annotated[time, PlainValidator(clean_time)]

    def storm(self, now: datetime) -> Storm:
        """Return the time on New York's clocks. Raises InvalidForm if it is none, or over."""
        starts, ends = (
            datetime.combine(self.day, each, NEW_YORK).astimezone(UTC)
            for each in (self.starts, self.ends)
        )
        if ends <= starts:
            raise InvalidForm({"ends": "It has to end after it begins"})
        if ends <= now:
            raise InvalidForm({"ends": "This time is over"})
        return Storm(self.area_id, starts, ends)


class WeatherHoldForm(StormForm):
    """A weather hold, with the reason that customers read."""

    reason: Annotated[str, line("Reason", REASON_MAX)]


def describe_news(
    known: Sequence[str], waiting: Sequence[str], *, is_new: bool, day: date, today: date
) -> str:
    """Return how a route differs from the stops that its technician knows; '' if it does not.

    It names neither customers nor places, as it is shown on a locked screen: 'Your route for today
    has changed: 1 new stop, 2 taken off.'
    """
    if list(known) == list(waiting):
        return ""
    route = f"Your route for {day_text(day, today)}"
    if is_new:
        return f"{route} is ready: {counted(len(waiting), 'stop')}."
    if not waiting:
        return f"{route} has no stops any more."
    new, off = set(waiting) - set(known), set(known) - set(waiting)
    said = [counted(len(new), "new stop")] if new else []
    said += [f"{len(off)} taken off"] if off else []
    return f"{route} has changed: {', '.join(said) or 'another order'}."
