"""Expected times of a route's stops, and the tracking page that tells one customer of them.

Times are planned before the day and moved along by what has happened since.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from fuel_app.areas.rules.places import Point, great_circle_meters
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
from fuel_app.dispatch.rules.breaks import Breaks, Leg, visit
from fuel_app.dispatch.rules.day import RouteStop, Shift, TruckRoute
from fuel_app.kit.clock import NEW_YORK, day_of, time_of_day
from fuel_app.kit.errors import Refusal
from fuel_app.kit.outbox import MAIL
from fuel_app.messages.rules.kinds import kind_of

NEAR_M = 100  # a second car as near as this takes less time
AT_RISK, LATE, AFTER_SHIFT = "at_risk", "late", "after_shift"
TOO_LATE = (LATE, AFTER_SHIFT)  # what is red and counted
_TICK = timedelta(microseconds=1)
LATE_AFTER = timedelta(minutes=10)  # a window's end
# An arrival as people are told it: that much around it, in steps.
EARLIER, LATER, STEP = (timedelta(minutes=minutes) for minutes in (10, 15, 5))


@dataclass(frozen=True, slots=True)
class ServiceTimes:
    """The durations of stops, in minutes."""

    first: int = 11
    near: int = 7  # within `NEAR_M` of the stop before, as each further car of a stop
    refill: int = 20
    rest: int = 0  # a break; without any there is none
    work: int = 300  # at most, without a break

    def of(self, stop: RouteStop, before: RouteStop | None) -> timedelta:
        """Return how long a stop takes after the one before it."""
        if stop.booking is None:
            return timedelta(minutes=self.refill)
        here, there = point_of(stop), point_of(before) if before else None
        is_second = here and there and is_near(here, there)
        more = self.near * (len(stop.booking.fills) - 1)
        return timedelta(minutes=(self.near if is_second else self.first) + more)


@dataclass(frozen=True, slots=True)
class Expected:
    """When the service of a stop begins and ends, as known now; the past as it was."""

    stop: RouteStop
    begins_at: datetime
    ends_at: datetime
    is_after_shift: bool = False  # nobody is on the truck any more
    rests_at: datetime | None = None  # when a break before the drive there begins, if one is due
    rests_until: datetime | None = None

    @property
    def rest(self) -> str:
        """Return 'Break 30 min, 12:10 PM' if one is due before the drive there, else ''."""
        if self.rests_at is None or self.rests_until is None:
            return ""
        minutes = (self.rests_until - self.rests_at) // timedelta(minutes=1)
        return f"Break {minutes} min, {time_of_day(self.rests_at)}"

    @property
    def lateness(self) -> str:
        """Return `AFTER_SHIFT`, else what `lateness_in_window` says; '' of what has ended."""
        if self.stop.booking is None or self.stop.is_ended:
            return ""
        return AFTER_SHIFT if self.is_after_shift else self.lateness_in_window

    @property
    def lateness_in_window(self) -> str:
        """Return `LATE` beyond `LATE_AFTER`, `AT_RISK` after the window's end, else ''."""
        booking = self.stop.booking
        if booking is None or self.stop.is_ended or self.begins_at <= booking.ends_at:
            return ""
        return LATE if self.begins_at > booking.ends_at + LATE_AFTER else AT_RISK


def is_near(a: Point, b: Point) -> bool:
    """Return whether a car is so near to another one that it takes less time after it."""
    return great_circle_meters(a, b) <= NEAR_M


def point_of(stop: RouteStop) -> Point | None:
    """Return where the car stands; None for a refill."""
    return Point(stop.booking.place.lat, stop.booking.place.lng) if stop.booking else None


def estimate_times(route: TruckRoute, now: datetime, times: ServiceTimes) -> tuple[Expected, ...]:
    """Return the expected times of a route's stops; those that are gone are left out.

    A stop that has not begun begins when the truck is there, not before its window opens and not
    in the past. O(stops).
    """
    return drive_on(route, now, times)[0]


def drive_on(
    route: TruckRoute, now: datetime, times: ServiceTimes
) -> tuple[tuple[Expected, ...], datetime, datetime]:
    """Return the expected times, when the truck is free then, and since when that is work."""
    going = _Going(route, now, times)
    for stop in route.stops:
        going.drive += timedelta(seconds=stop.leg_s)
        if stop.is_gone:  # the way leads past it still: no shorter drive is known
            continue
        arrived = stop.fueling_at or stop.arrived_at
        if not (stop.is_ended or arrived or stop.driving_at):
            going.plan(stop)
            continue
        going.come()
        if stop.is_ended:
            ends = stop.ended_at or arrived or going.free_at  # no time if the office has ended it
            going.note(stop, arrived or ends, ends)
        elif arrived:
            going.note(stop, arrived, max(now, arrived + times.of(stop, going.before)))
        else:
            leaves = stop.driving_at or now
            opens = stop.booking.starts_at if stop.booking else leaves
            begins = max(leaves + going.drive, opens, now)
            going.note(stop, begins, begins + times.of(stop, going.before))
    going.come()
    return tuple(going.found), going.leave() + going.drive, going.works_from


class _Going:
    """A truck on its way through a route: what is known, then what is planned."""

    def __init__(self, route: TruckRoute, now: datetime, times: ServiceTimes) -> None:
        self.shift, self.now, self.times = route.shift, now, times
        self.found: list[Expected] = []
        self.free_at = self.works_from = route.shift.starts_at
        self.before: RouteStop | None = None
        self.drive = timedelta(0)
        self._planned: list[tuple[RouteStop, timedelta, timedelta]] = []  # drive and service

    def note(self, stop: RouteStop, begins: datetime, ends: datetime) -> None:
        """Take a step that was, or that goes on; a pause before it as long as a break was one."""
        over = begins > self.shift.ends_at and not stop.is_started
        self.found.append(Expected(stop, begins, ends, over))
        if stop.is_ended and not stop.is_started:  # nobody has been there
            return
        left = stop.driving_at or begins
        if left - self.free_at >= timedelta(minutes=self.times.rest):
            self.works_from = left
        self.free_at, self.before, self.drive = ends, stop, timedelta(0)

    def plan(self, stop: RouteStop) -> None:
        """Take a stop without a step yet after those before it."""
        self._planned.append((stop, self.drive, self.times.of(stop, self.before)))
        self.before, self.drive = stop, timedelta(0)

    def leave(self) -> datetime:
        """Return when it leaves; a pause until now as long as a break was one."""
        leaves = max(self.free_at, self.now)
        if leaves - self.free_at >= timedelta(minutes=self.times.rest):
            self.works_from = leaves
        return leaves

    def come(self) -> None:
        """Drive to the stops that are planned, with breaks."""
        if not self._planned:
            return
        leaves, rest = self.leave(), timedelta(minutes=self.times.rest)
        legs = [
            Leg(
                drive / _TICK,
                (stop.booking.starts_at - leaves) / _TICK if stop.booking else 0,
                service / _TICK,
            )
            for stop, drive, service in self._planned
        ]
        breaks = Breaks(rest / _TICK, timedelta(minutes=self.times.work) / _TICK)
        visits, works_from = visit(legs, 0, (self.works_from - leaves) / _TICK, breaks)
        self.works_from = leaves + works_from * _TICK
        for (stop, *_), each in zip(self._planned, visits, strict=True):
            begins = leaves + each.begins * _TICK
            self.free_at = leaves + each.ends * _TICK
            rests_at = None if each.rests_at is None else leaves + each.rests_at * _TICK
            over = begins > self.shift.ends_at
            rests_until = rests_at and rests_at + rest
            self.found.append(Expected(stop, begins, self.free_at, over, rests_at, rests_until))
        self._planned.clear()


def arrival_span(at: Expected, now: datetime) -> tuple[datetime, datetime]:
    """Return an arrival as a span in full five minutes, never before now.

    Until the drive there begins, it is not before the window opens either.
    """
    near = _round_down(max(at.begins_at, now) + STEP / 2)
    first = max(near - EARLIER, _round_down(now + STEP - timedelta(microseconds=1)))
    if at.stop.booking and not at.stop.driving_at:
        first = max(first, at.stop.booking.starts_at)
    return first, near + LATER


def _round_down(moment: datetime) -> datetime:
    """Return the last full five minutes at a moment."""
    return moment - timedelta(seconds=moment.timestamp() % STEP.total_seconds())


def span_times(at: Expected, now: datetime) -> tuple[str, str]:
    """Return both ends of a span: '9:40' and '10:05 AM'."""
    first, last = (time_of_day(each) for each in arrival_span(at, now))
    return first[:-3] if first[-2:] == last[-2:] else first, last


def span_text(at: Expected, now: datetime) -> str:
    """Return 'between 9:40 and 10:05 AM'."""
    return "between {} and {}".format(*span_times(at, now))


def arrival_text(at: Expected, now: datetime) -> str:
    """Return 'today between 9:40 and 10:05 AM'."""
    today = day_of(now)
    day = day_of(arrival_span(at, now)[0])
    comma = "," if day != today else ""
    return f"{day_text(day, today)}{comma} {span_text(at, now)}"


EVENING = time(18)  # then customers are told what has moved on the next day


def notify_from(at: Expected, now: datetime) -> datetime:
    """Return from when a moved arrival is told.

    At once on the day itself, and where it misses the window that was booked; else in the evening
    before, as the day may change again until then.
    """
    booking = at.stop.booking
    if booking is None or booking.day <= day_of(now) or at.begins_at > booking.ends_at:
        return now
    evening = datetime.combine(booking.day - timedelta(days=1), EVENING, NEW_YORK)
    return max(now, evening.astimezone(UTC))


MOVED = "arrival_moved"  # the kind of the messages
# As a notified arrival: of whom nobody comes any more, and whom we may not reach.
NEVER, UNREACHED = datetime(2000, 1, 1, tzinfo=UTC), datetime(2000, 1, 2, tzinfo=UTC)


def channels_of(booking: Booking) -> tuple[str, ...]:
    """Return the channels on which a booking's arrival is told: a guest is mailed alone."""
    return kind_of(MOVED).channels if booking.person_id else (MAIL,)


@dataclass(frozen=True, slots=True)
class ArrivalNotices:
    """Arrivals that customers of a day were notified of last; they decide who is told what.

    Messages are queued by it, and it says beforehand how many they will be.

    Args:
        notified: Arrivals, by booking, slot and channel; of others the window or the plan is known.
        moves_by: Less than that is not told.
        publishes: The day is published now: what customers have heard is their window, and what
            they were told as it was published before.
    """

    notified: Mapping[tuple[str, str, str], datetime]
    moves_by: timedelta
    publishes: bool = False

    def tells(self, at: Expected, channel: str) -> bool:
        """Return whether the customer of a stop is told of an arrival on a channel."""
        stop, booking = at.stop, at.stop.booking
        if booking is None or stop.is_started or stop.is_ended or stop.is_gone:
            return False
        known = self.known(stop, booking, channel)
        if at.is_after_shift:
            return known != UNREACHED
        if self.publishes and at.begins_at <= booking.ends_at and not self._has_told(booking):
            return False
        return abs(at.begins_at - known) > self.moves_by

    def known(self, stop: RouteStop, booking: Booking, channel: str) -> datetime:
        """Return the arrival that a customer knows: as told last, or as it was planned."""
        notified = self.notified.get((booking.id, booking.slot_id, channel))
        return notified or stop.told_at or min(stop.begins_at, booking.ends_at)

    def notifies(self, at: Expected) -> bool:
        """Return whether the customer of a stop is told of an arrival, if it stays so."""
        booking = at.stop.booking
        return booking is not None and any(self.tells(at, each) for each in channels_of(booking))

    def count(self, arrivals: Iterable[Expected]) -> int:
        return sum(map(self.notifies, arrivals))

    def _has_told(self, booking: Booking) -> bool:
        keys = ((booking.id, booking.slot_id, each) for each in channels_of(booking))
        return any(key in self.notified for key in keys)


SETTLES_WITHIN = timedelta(minutes=10)


def settles_by(from_: datetime, pause: timedelta) -> datetime:
    """Return until when the pause before a notice can begin anew, as the arrival changes again."""
    return from_ + max(SETTLES_WITHIN, pause)


def day_text(day: date, today: date) -> str:
    """Return 'today', 'tomorrow, Thursday, November 26', 'Friday, November 27'."""
    if day == today:
        return "today"
    tomorrow = "tomorrow, " if day == today + timedelta(days=1) else ""
    return f"{tomorrow}{day:%A, %B} {day.day}"


SHOWN_AFTER = timedelta(hours=24)  # the stop has ended
POSITION_FRESH = timedelta(minutes=5)  # a truck's position
AFTER_SHIFT_ADVICE = "Our office looks for another technician or time, and tells you. Or call us."
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


def track(
    booking: Booking, route: TruckRoute | None, now: datetime, times: ServiceTimes
) -> Tracked | None:
    """Return what the page of a booking says now; None if it is too late for it.

    Args:
        route: The one that it is on, if any.
    """
    stops = estimate_times(route, now, times) if route else ()
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
    at = route.shift.position_at
    is_fresh = at is not None and now - at < POSITION_FRESH
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
        truck_at=route.shift.position if is_begun and is_fresh else None,
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
        return AFTER_SHIFT_ADVICE
    if not here.lateness:
        return ""
    window = short_when(booking.starts_at, booking.ends_at)
    return f"That is after your window, {window}. We are sorry for the delay."


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
        if booking.is_checked
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
