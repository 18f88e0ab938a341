"""Expected times of a route: planned before the day, moved along by what has happened since."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from fuel_app.areas.rules.places import Point, great_circle_meters
from fuel_app.dispatch.rules.day import RouteStop, TruckRoute
from fuel_app.kit.clock import day_of, time_of_day

NEAR_M = 100  # a second car as near as this takes less time
AT_RISK, LATE, AFTER_SHIFT = "at_risk", "late", "after_shift"
TOO_LATE = (LATE, AFTER_SHIFT)  # what is red and counted
LATE_AFTER = timedelta(minutes=10)  # a window's end
# An arrival as people are told it: that much around it, in steps.
EARLIER, LATER, STEP = (timedelta(minutes=minutes) for minutes in (10, 15, 5))


@dataclass(frozen=True, slots=True)
class ServiceTimes:
    """The durations of stops, in minutes."""

    first: int = 11
    near: int = 7  # within `NEAR_M` of the stop before
    refill: int = 20

    def of(self, stop: RouteStop, before: RouteStop | None) -> timedelta:
        """Return how long a stop takes after the one before it."""
        if stop.booking is None:
            return timedelta(minutes=self.refill)
        here, there = point_of(stop), point_of(before) if before else None
        is_second = here and there and is_near(here, there)
        return timedelta(minutes=self.near if is_second else self.first)


@dataclass(frozen=True, slots=True)
class Expected:
    """When the service of a stop begins and ends, as known now; the past as it was."""

    stop: RouteStop
    begins_at: datetime
    ends_at: datetime
    is_after_shift: bool = False  # nobody is on the truck any more

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


def expected(route: TruckRoute, now: datetime, times: ServiceTimes) -> tuple[Expected, ...]:
    """Return the expected times of a route's stops; those that are gone are left out.

    A stop that has not begun begins when the truck is there, not before its window opens and not
    in the past. O(stops).
    """
    return tuple(_expected(route, now, times))


def _expected(route: TruckRoute, now: datetime, times: ServiceTimes) -> Iterator[Expected]:
    free_at, before, drive = route.shift.starts_at, None, timedelta(0)
    for stop in route.stops:
        drive += timedelta(seconds=stop.leg_s)
        if stop.is_gone:  # the way leads past it still: no shorter drive is known
            continue
        arrived = stop.fueling_at or stop.arrived_at
        if stop.is_ended:
            ends = stop.ended_at or arrived or free_at  # no time if the office has ended it
            begins = arrived or ends
        elif arrived:
            begins, ends = arrived, max(now, arrived + times.of(stop, before))
        else:
            leaves = stop.driving_at or max(free_at, now)
            opens = stop.booking.starts_at if stop.booking else leaves
            begins = max(leaves + drive, opens, now)
            ends = begins + times.of(stop, before)
        is_after_shift = begins > route.shift.ends_at and not stop.is_started
        yield Expected(stop, begins, ends, is_after_shift)
        if stop.is_ended and not stop.is_started:  # nobody has been there
            continue
        free_at, before, drive = ends, stop, timedelta(0)


def span(at: Expected, now: datetime) -> tuple[datetime, datetime]:
    """Return an arrival as a span in full five minutes, never before now.

    Until the drive there begins, it is not before the window opens either.
    """
    near = _full(max(at.begins_at, now) + STEP / 2)
    first = max(near - EARLIER, _full(now + STEP - timedelta(microseconds=1)))
    if at.stop.booking and not at.stop.driving_at:
        first = max(first, at.stop.booking.starts_at)
    return first, near + LATER


def _full(moment: datetime) -> datetime:
    """Return the last full five minutes at a moment."""
    return moment - timedelta(seconds=moment.timestamp() % STEP.total_seconds())


def span_times(at: Expected, now: datetime) -> tuple[str, str]:
    """Return both ends of a span: '9:40' and '10:05 AM'."""
    first, last = (time_of_day(each) for each in span(at, now))
    return first[:-3] if first[-2:] == last[-2:] else first, last


def span_text(at: Expected, now: datetime) -> str:
    """Return 'between 9:40 and 10:05 AM'."""
    return "between {} and {}".format(*span_times(at, now))


def arrival_text(at: Expected, now: datetime) -> str:
    """Return 'today between 9:40 and 10:05 AM'."""
    today = day_of(now)
    day = day_of(span(at, now)[0])
    comma = "," if day != today else ""
    return f"{day_text(day, today)}{comma} {span_text(at, now)}"


def day_text(day: date, today: date) -> str:
    """Return 'today', 'tomorrow, Thursday, November 26', 'Friday, November 27'."""
    if day == today:
        return "today"
    tomorrow = "tomorrow, " if day == today + timedelta(days=1) else ""
    return f"{tomorrow}{day:%A, %B} {day.day}"
