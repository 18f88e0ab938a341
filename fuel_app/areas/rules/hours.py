"""Opening hours of an area: delivery windows of each weekday, days that differ, capacity."""

from dataclasses import astuple, dataclass, replace
from datetime import date, datetime, timedelta
from typing import Annotated, Self

from pydantic import PlainValidator

from fuel_app.kit import contact
from fuel_app.kit.clock import hour_of_day, span_of
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.forms import Form

ALL_DAY = -1  # an exception of every window of its day
CAPACITY_MAX = 200  # of a window
AHEAD = timedelta(days=366)  # days may be set to differ until then
REASON_MAX = 100  # of a closure
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
    """A window on one day with its capacity; 0 means closed, and `reason` says why."""

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

    def capacity(self, day: date, opens: int) -> int:
        """Return the capacity of a window on a day; 0 where it is closed or not there."""
        return next((each.capacity for each in self.on(day) if each.opens == opens), 0)

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
    opened_at: datetime | None = None


def default_week(capacity: int) -> Week:
    """Return the windows of a new area: Monday to Saturday, three a day."""
    day = tuple(Window(opens, opens + 2, capacity) for opens in (8, 10, 14))
    return (day,) * 6 + ((),)


def hours_text(opens: int, closes: int) -> str:
    """Return hours as people read them: '8–10 AM'."""  # noqa: RUF002
    return span_of(hour_of_day(opens), hour_of_day(closes))


def _whole(least: int, most: int, message: str) -> PlainValidator:
    def clean(value: object) -> int:
        typed = value.strip() if isinstance(value, str) and len(value) < 50 else ""
        if not (typed.isascii() and typed.isdigit() and least <= int(typed) <= most):
            raise ValueError(message)
        return int(typed)

    return PlainValidator(clean)


def clean_weekdays(value: object) -> tuple[int, ...]:
    """Return the ticked weekdays; anything else is left out."""
    ticked = value if isinstance(value, list | tuple) else [value]
    if chosen := tuple(day for day in range(len(WEEKDAYS)) if str(day) in ticked):
        return chosen
    raise ValueError("Choose at least one weekday")


def clean_day(value: object) -> date:
    """Return a day as browsers send it."""
    try:
        return date.fromisoformat(contact.text(value))
    except ValueError:
        raise ValueError("Choose a day") from None


def clean_window(value: object) -> int:
    """Return the opening hour of a window; an empty text is the whole day."""
    typed = contact.text(value)
    hours = {str(hour): hour for hour in range(24)} | {"": ALL_DAY}
    if typed not in hours:
        raise ValueError("Choose a window")
    return hours[typed]


def clean_reason(value: object) -> str:
    """Return the reason of a closure, which customers see; it may be empty."""
    reason = contact.text(value)
    if len(reason) > REASON_MAX:
        raise ValueError(f"At most {REASON_MAX} characters")
    return reason


class WindowForm(Form):
    """A delivery window for some weekdays."""

    weekdays: Annotated[tuple[int, ...], PlainValidator(clean_weekdays)]
    opens: Annotated[int, _whole(0, 23, "Choose an hour")]
    closes: Annotated[int, _whole(1, 24, "Choose an hour")]
    capacity: Annotated[int, _whole(1, CAPACITY_MAX, f"Enter a number from 1 to {CAPACITY_MAX}")]


class DayForm(Form):
    """A day, or one window of it, with another capacity."""

    day: Annotated[date, PlainValidator(clean_day)]
    window: Annotated[int, PlainValidator(clean_window)]
    capacity: Annotated[int, _whole(0, CAPACITY_MAX, f"Enter a number from 0 to {CAPACITY_MAX}")]
    reason: Annotated[str, PlainValidator(clean_reason)]


def with_window(hours: Hours, form: WindowForm, replaces: int | None = None) -> Hours:
    """Return hours with a window on each weekday of a form; it may replace one by its opening.

    Raises:
        InvalidForm: If it closes before it opens, or overlaps another window.
    """
    if form.closes <= form.opens:
        raise InvalidForm({"closes": "It has to close after it opens"})
    made, week = Window(form.opens, form.closes, form.capacity), list(hours.windows_by_weekday)
    for day in form.weekdays:
        others = [window for window in week[day] if window.opens != replaces]
        for other in others:
            if other.opens < made.closes and made.opens < other.closes:
                raise InvalidForm({"opens": f"Overlaps {other.text} on {WEEKDAYS[day]}"})
        week[day] = tuple(sorted([*others, made]))
    return replace(hours, windows_by_weekday=tuple(week))


def without_window(hours: Hours, weekday: int, opens: int) -> Hours:
    """Return hours without a window of a weekday."""
    week = list(hours.windows_by_weekday)
    week[weekday] = tuple(window for window in week[weekday] if window.opens != opens)
    return replace(hours, windows_by_weekday=tuple(week))


def with_day(hours: Hours, form: DayForm, today: date) -> Hours:
    """Return hours with a day, or a window of it, that differs.

    Raises:
        InvalidForm: If the day is over or too far ahead, the window is not there, or a closure has
            no reason.
    """
    windows = [window.opens for window in hours.windows_by_weekday[form.day.weekday()]]
    if not today <= form.day <= today + AHEAD:
        raise InvalidForm({"day": "Choose a day from today on, within a year"})
    if not windows:
        raise InvalidForm({"day": f"There are no windows on a {WEEKDAYS[form.day.weekday()]}"})
    if form.window not in (ALL_DAY, *windows):
        raise InvalidForm({"window": f"Not a window of a {WEEKDAYS[form.day.weekday()]}"})
    if not form.capacity and not form.reason:
        raise InvalidForm({"reason": "Customers see why it is closed: enter a reason"})
    others = without_day(hours, form.day, form.window).exceptions
    made = DayException(form.day, form.window, form.capacity, form.reason)
    in_order = sorted([*others, made], key=lambda each: (each.day, each.opens))
    return replace(hours, exceptions=tuple(in_order))


def without_day(hours: Hours, day: date, opens: int) -> Hours:
    """Return hours in which a day, or a window of it, is as on its weekday."""
    rest = (each for each in hours.exceptions if (each.day, each.opens) != (day, opens))
    return replace(hours, exceptions=tuple(rest))
