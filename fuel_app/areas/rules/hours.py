"""Opening hours of an area: delivery windows of each weekday, days that differ, capacity."""

from collections.abc import Collection, Mapping
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


def _clean_whole(value: object, least: int, most: int, message: str) -> int:
    typed = value.strip() if isinstance(value, str) and len(value) < 50 else ""
    if not (typed.isascii() and typed.isdigit() and least <= int(typed) <= most):
        raise ValueError(message)
    return int(typed)


def _whole(least: int, most: int, message: str) -> PlainValidator:
    return PlainValidator(lambda value: _clean_whole(value, least, most, message))


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


class DayForm(Form):
    """A day, or one window of it, with another capacity."""

    day: Annotated[date, PlainValidator(clean_day)]
    window: Annotated[int, PlainValidator(clean_window)]
    capacity: Annotated[int, _whole(0, CAPACITY_MAX, f"Enter a number from 0 to {CAPACITY_MAX}")]
    reason: Annotated[str, PlainValidator(clean_reason)]


WINDOWS_MAX = 12  # columns of the table of a week
OPENS, CLOSES, FILLS = "opens", "closes", "fills"  # what begins the names of its fields
_HOUR, _FILLS = "Choose an hour", f"Enter a number from 1 to {CAPACITY_MAX}"
_ENDS_EARLY = "It has to close after it opens"
_NOWHERE = "Say how many fills on a day, or delete this window"


def columns_of(week: Week) -> tuple[tuple[int, int], ...]:
    """Return the hours, opening and closing, of the windows of a week, each once, in order."""
    return tuple(sorted({(each.opens, each.closes) for windows in week for each in windows}))


def fills_field(column: int, weekday: int) -> str:
    """Return the name of the field that says how many fills a window takes on a weekday."""
    return f"{FILLS}-{column}-{weekday}"


def parse_week(sent: object, columns: Collection[int]) -> Week:
    """Return the week that is typed in a table with a column for each window.

    Of each column there is a field `opens-<column>`, one `closes-<column>`, and for each weekday
    `fills-<column>-<weekday>`: what is left empty is closed.

    Raises:
        InvalidForm: With the message of each field that is not right; two windows of a weekday may
            not overlap.
    """
    fields = sent if isinstance(sent, Mapping) else {}
    messages: dict[str, str] = {}
    week: list[list[Window]] = [[] for _ in WEEKDAYS]
    for column in columns:
        opens = _typed_number(fields, f"{OPENS}-{column}", 0, 23, _HOUR, messages)
        closes = _typed_number(fields, f"{CLOSES}-{column}", 1, 24, _HOUR, messages)
        if opens is not None and closes is not None and closes <= opens:
            messages[f"{CLOSES}-{column}"], closes = _ENDS_EARLY, None
        names = {fills_field(column, weekday): weekday for weekday in range(len(WEEKDAYS))}
        typed = {name: weekday for name, weekday in names.items() if contact.text(fields.get(name))}
        if not typed:
            messages.setdefault(f"{OPENS}-{column}", _NOWHERE)
        for name, weekday in typed.items():
            capacity = _typed_number(fields, name, 1, CAPACITY_MAX, _FILLS, messages)
            if opens is None or closes is None or capacity is None:
                continue
            for other in week[weekday]:
                if other.opens < closes and opens < other.closes:
                    messages[name] = f"Overlaps {other.text}"
            week[weekday].append(Window(opens, closes, capacity))
    if messages:
        raise InvalidForm(messages)
    return tuple(tuple(sorted(windows)) for windows in week)


def _typed_number(
    fields: Mapping[str, object],
    name: str,
    least: int,
    most: int,
    message: str,
    messages: dict[str, str],
) -> int | None:
    """Return a typed number; None, and a message for its field, if it is not right."""
    try:
        return _clean_whole(fields.get(name), least, most, message)
    except ValueError as wrong:
        messages[name] = str(wrong)
        return None


@dataclass(frozen=True, slots=True)
class BookedWindow:
    """A window on one day, with what is booked in it and the room it has then."""

    booked: int
    room: int
    reason: str  # of a closure
    is_usual: bool  # its room is that of the weekday


def booked_window(hours: Hours, day: date, window: tuple[int, int], booked: int) -> BookedWindow:
    """Return what is booked of a window's room on one day; a window that is not there has none.

    What is booked from an hour on belongs to the window of that day that opens then.
    """
    opens, closes = window
    week = hours.windows_by_weekday[day.weekday()]
    usual = next((each for each in week if each.opens == opens), None)
    if usual is None:
        return BookedWindow(booked, 0, "", is_usual=True)
    if usual.closes != closes:
        return BookedWindow(0, 0, "", is_usual=True)
    then = next(each for each in hours.on(day) if each.opens == opens)
    return BookedWindow(booked, then.capacity, then.reason, then.capacity == usual.capacity)


def with_day(hours: Hours, form: DayForm, today: date) -> Hours:
    """Return hours with a day, or a window of it, that differs.

    The capacity of a whole day is that of each of its windows.

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
