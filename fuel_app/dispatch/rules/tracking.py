"""Tracking: a fill on its way, in words for the one whose car it is."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.fills import CHECKING
from fuel_app.bookings.rules.slots import short_when
from fuel_app.bookings.rules.states import (
    ARRIVED,
    CANCELLED,
    COMPLETED,
    COURSE,
    DISPATCHED,
    EN_ROUTE,
    FAILED,
    FUELING,
    TRACKED_STATES,
    WEATHER_HOLD,
    shown_reason,
)
from fuel_app.dispatch.rules.day import Shift, TruckRoute
from fuel_app.dispatch.rules.timing import Expected, ServiceTimes, expected, span_times
from fuel_app.kit.clock import day_of, time_of_day
from fuel_app.kit.errors import Refusal

SHOWN_AFTER = timedelta(hours=24)  # the stop has ended
FRESH = timedelta(minutes=5)  # a truck's position
AFTER_SHIFT = "Our office looks for another technician or time, and tells you. Or call us."
SEE, BOOK = "see", "book"  # what a page may lead to
_STATES = (*TRACKED_STATES, COMPLETED)


class LinkUnknown(Refusal):
    message = "This tracking link has ended."


@dataclass(frozen=True, slots=True)
class Tracked:
    """The content of a tracking page; it names no other customer.

    Args:
        sentence: The one that matters.
        advice: What to do about it, if anything.
        way: Where that is done: SEE the booking, or BOOK another time.
        is_customers: Or a guest's, who sees it by the link of a mail.
        step: The number of the step that it is at; -1 where nobody comes.
        times: When each step was, '' for those to come.
        stops_before: Other cars that are filled before.
        technician: A first name.
        car: Where it stands, once a technician drives to it.
        truck_at: Where the truck was in the last minutes.
        booking_id: Not for the page, as its route.
        shift_id: The route that it is on while it is to come.
    """

    sentence: str
    advice: str = ""
    way: str = ""
    is_customers: bool = False
    step: int = -1
    times: tuple[str, ...] = ("",) * len(COURSE)
    stops_before: int = 0
    technician: str = ""
    truck: str = ""
    car: Point | None = None
    truck_at: Point | None = None
    booking_id: str = ""
    shift_id: str = ""


def tracked(
    booking: Booking, route: TruckRoute | None, now: datetime, times: ServiceTimes
) -> Tracked | None:
    """Return what the page of a booking says now; None if it is too late for it.

    Args:
        route: The one that it is on, if any.
    """
    stops = expected(route, now, times) if route else ()
    here = next((each for each in stops if each.stop.id == booking.id), None)
    ended_at = (here.stop.ended_at if here else None) or booking.completed_at or booking.ends_at
    if now > ended_at + SHOWN_AFTER:
        return None
    if booking.state == COMPLETED:
        return _done(booking, here)
    if route and here and booking.state in _STATES:
        return _coming(booking, route, here, stops, now)
    slots = [each.slot_id for each in route.stops if each.id == booking.id] if route else []
    return _not_coming(booking, is_moved=slots not in ([], [booking.slot_id]))


def _coming(
    booking: Booking, route: TruckRoute, here: Expected, stops: tuple[Expected, ...], now: datetime
) -> Tracked:
    is_begun = booking.state != DISPATCHED
    before = () if is_begun else stops[: stops.index(here)]
    left = sum(each.stop.booking is not None and not each.stop.is_ended for each in before)
    name = route.shift.first_name
    return Tracked(
        sentence=f"{name} {_way(booking, route.shift, here, left, now)}",
        advice=_late(booking, here),
        step=_STATES.index(booking.state),
        times=_times(here),
        stops_before=left,
        technician=name,
        truck=route.shift.truck.name,
        car=Point(booking.place.lat, booking.place.lng) if is_begun else None,
        truck_at=_position(route.shift, now) if is_begun else None,
        shift_id=route.shift.id,
    )


def _way(booking: Booking, shift: Shift, here: Expected, left: int, now: datetime) -> str:
    """Return the rest of the sentence: 'is 2 stops away, 9:40–10:05 AM'."""  # noqa: RUF002
    if booking.state == FUELING:
        return "is fueling your car"
    if booking.state == ARRIVED:
        return "has arrived"
    day, eta = day_of(here.begins_at), "–".join(span_times(here, now))  # noqa: RUF001
    if booking.state == EN_ROUTE:
        return f"is on the way to you, {eta}"
    on_day = "" if day == day_of(now) else f" on {day:%A, %B} {day.day}"
    if here.is_after_shift:  # no time is promised at which nobody drives
        return f"cannot reach you before the shift ends{on_day}, {time_of_day(shift.ends_at)}"
    if on_day:
        return f"comes{on_day}, {eta}"
    if not left:
        return f"comes to you next, {eta}"
    return f"is {left} {'stop' if left == 1 else 'stops'} away, {eta}"


def _late(booking: Booking, here: Expected) -> str:
    if booking.state not in (DISPATCHED, EN_ROUTE):
        return ""
    if here.is_after_shift:
        return AFTER_SHIFT
    if not here.lateness:
        return ""
    window = short_when(booking.starts_at, booking.ends_at)
    return f"That is after your window, {window}. We are sorry for the delay."


def _position(shift: Shift, now: datetime) -> Point | None:
    is_fresh = shift.position_at is not None and now - shift.position_at < FRESH
    return shift.position if is_fresh else None


def _times(here: Expected) -> tuple[str, ...]:
    stop = here.stop
    steps = (stop.driving_at, stop.arrived_at, stop.fueling_at, stop.ended_at)
    return ("", *(time_of_day(each) if each else "" for each in steps))


def _done(booking: Booking, here: Expected | None) -> Tracked:
    times = _times(here) if here else ("",) * len(COURSE)
    at = f" at {time_of_day(booking.completed_at)}" if booking.completed_at else ""
    return Tracked(
        sentence=f"Your car was filled{at}",
        advice=f"{CHECKING}. Your receipt comes after that."
        if booking.gallons_asked_at
        else "Your receipt comes by e-mail.",
        step=len(COURSE) - 1,
        times=times,
    )


def _not_coming(booking: Booking, *, is_moved: bool) -> Tracked:
    when = short_when(booking.starts_at, booking.ends_at)
    is_customers = bool(booking.person_id)
    if booking.state == CANCELLED:
        advice = "You can book another time whenever you like."
        return Tracked("This fill-up is cancelled", advice, BOOK, is_customers)
    if booking.state == FAILED:
        return Tracked(
            f"Your car could not be filled: {shown_reason(booking.reason)}",
            "Please book another time, or call us if you have a question.",
            BOOK,
            is_customers,
        )
    if booking.state == WEATHER_HOLD:
        where = "on your dashboard" if is_customers else "by the link in your confirmation"
        return Tracked(
            f"Your fill-up is on hold: {booking.reason}",
            f"We come when we can. Or choose another time, free of charge, {where}.",
            SEE,
            is_customers,
        )
    moved = "was moved to" if is_moved else "is planned for"
    return Tracked(
        f"Your fill-up {moved} {when}",
        "On that day you see here when your technician comes.",
        SEE,
        is_customers,
    )
