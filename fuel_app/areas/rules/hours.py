"""Opening hours of an area: delivery windows of each weekday, days that differ, capacity."""

from dataclasses import astuple, dataclass
from datetime import date
from typing import Self

ALL_DAY = -1  # an exception of every window of its day
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A delivery window of a weekday, in hours on the clocks of New York."""

    opens: int
    closes: int
    capacity: int

    @property
    def text(self) -> str:
        return hours_text(self.opens, self.closes)


@dataclass(frozen=True, slots=True)
class DayException:
    """Another capacity on one day, for one window or all; 0 is a closure."""

    day: date
    opens: int  # of its window, or ALL_DAY
    capacity: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DayWindow:
    """A window on one day with what holds there; without capacity it is closed."""

    opens: int
    closes: int
    capacity: int
    reason: str = ""  # of a closure


Week = tuple[tuple[Window, ...], ...]  # of Monday to Sunday, each in order

CLOSED_WEEK: Week = ((),) * len(WEEKDAYS)


@dataclass(frozen=True, slots=True)
class Hours:
    """The windows of an area's weekdays, and the days that differ."""

    windows_by_weekday: Week = CLOSED_WEEK
    exceptions: tuple[DayException, ...] = ()

    def on(self, day: date) -> tuple[DayWindow, ...]:
        """Return the windows of a day in order, closed ones too.

        A closure wins, of the day or the window; then the window's own capacity on that day, then
        the day's, then the weekday's.
        """
        that_day = {each.opens: each for each in self.exceptions if each.day == day}
        whole = that_day.get(ALL_DAY)
        return tuple(
            _on_day(window, whole, that_day.get(window.opens))
            for window in self.windows_by_weekday[day.weekday()]
        )

    def differing(self, other: Self) -> dict[str, object]:
        """Return what differs from other hours, for the log."""
        days: dict[str, object] = {
            name: [astuple(window) for window in windows]
            for name, windows, others in zip(
                WEEKDAYS, self.windows_by_weekday, other.windows_by_weekday, strict=True
            )
            if windows != others
        }
        changed = [
            [each.day.isoformat(), each.opens, each.capacity, each.reason]
            for each in self.exceptions
            if each not in other.exceptions
        ]
        return days | ({"days": changed} if changed else {})


def _on_day(window: Window, whole: DayException | None, own: DayException | None) -> DayWindow:
    differs = whole if whole and not whole.capacity else own or whole
    if differs is None:
        return DayWindow(window.opens, window.closes, window.capacity)
    reason = "" if differs.capacity else differs.reason
    return DayWindow(window.opens, window.closes, differs.capacity, reason)


@dataclass(frozen=True, slots=True)
class BookableArea:
    """An area as bookings see it; `status` says whether it takes new ones."""

    id: str
    name: str
    status: str
    grades: tuple[str, ...]  # on offer
    streets_allowed: bool
    tax_basis_points: int
    hours: Hours


def default_week(capacity: int) -> Week:
    """Return the windows of a new area: Monday to Saturday, three a day."""
    day = tuple(Window(opens, opens + 2, capacity) for opens in (8, 10, 14))
    return (day,) * 6 + ((),)


def hours_text(opens: int, closes: int) -> str:
    """Return hours as people read them, such as '08:00 AM - 10:00 AM'."""
    return f"{_hour(opens)} - {_hour(closes)}"


def _hour(hour: int) -> str:
    return f"{hour % 12 or 12:02}:00 {'AM' if hour % 24 < 12 else 'PM'}"
