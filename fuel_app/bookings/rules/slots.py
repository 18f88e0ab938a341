"""Slots: area, day and window; what is on offer, and until when."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby

from fuel_app.kit.clock import NEW_YORK, day_of, long_date

WINDOW = timedelta(hours=2)
OPENINGS = (time(8), time(10), time(14))  # of the preview, on the clocks of New York
CUTOFF = timedelta(hours=2)  # before the window opens
NOON = 12  # the end of booking for the same day
HOLDS_MOST = 3  # of one network address
FEW = 3  # places, from which on their number is shown
OPEN, FEW_LEFT, FULL, CLOSED = "open", "few", "full", "closed"
SAME_DAY_PLAN = "big-family"

_ID = re.compile(r"([0-9a-f-]{36})-(2\d{3}-\d\d-\d\d)-([01]\d|2[0-3])", re.ASCII)


@dataclass(frozen=True, slots=True)
class SlotOffer:
    """One window on offer; `time` is what people read, such as '08:00 AM - 10:00 AM'."""

    id: str
    day: date
    time: str
    starts_at: datetime  # UTC
    ends_at: datetime
    state: str = OPEN
    note: str = ""  # such as '2 left', 'Full', 'Closed: Thanksgiving'

    @property
    def is_open(self) -> bool:
        """Return whether it can be booked."""
        return self.state in (OPEN, FEW_LEFT)


@dataclass(frozen=True, slots=True)
class SlotDay:
    """The windows of one day; `name` is such as 'Friday, March 15, 2024'."""

    name: str
    slots: tuple[SlotOffer, ...]


@dataclass(frozen=True, slots=True)
class SlotId:
    """The parts of a slot's id."""

    area_id: str
    day: date
    opens: int

    def __str__(self) -> str:
        return f"{self.area_id}-{self.day.isoformat()}-{self.opens:02}"


def parse_slot_id(sent: object) -> SlotId | None:
    """Return the parts of a slot's id as browsers send it; None for anything else."""
    found = _ID.fullmatch(sent) if isinstance(sent, str) else None
    if found is None:
        return None
    try:
        return SlotId(found[1], date.fromisoformat(found[2]), int(found[3]))
    except ValueError:  # no such day
        return None


def on_clock(day: date, hour: int) -> datetime:
    """Return the UTC time of an hour (0 to 24) on New York's clocks."""
    midnight = datetime.combine(day, time.min)
    return (midnight + timedelta(hours=hour)).replace(tzinfo=NEW_YORK).astimezone(UTC)


def window_text(starts_at: datetime, ends_at: datetime) -> str:
    """'08:00 AM - 10:00 AM' on New York's clocks."""
    opens, closes = starts_at.astimezone(NEW_YORK), ends_at.astimezone(NEW_YORK)
    return f"{opens:%I:%M %p} - {closes:%I:%M %p}"


def short_when(starts_at: datetime, ends_at: datetime) -> str:
    """'Tue, Nov 24, 8-10 AM' with a dash, on New York's clocks."""
    opens, closes = starts_at.astimezone(NEW_YORK), ends_at.astimezone(NEW_YORK)
    first, last = _short_hour(opens), _short_hour(closes)
    if f"{opens:%p}" == f"{closes:%p}":
        first = first.rpartition(" ")[0]
    return f"{opens:%a, %b} {opens.day}, {first}–{last}"  # noqa: RUF001


def _short_hour(at: datetime) -> str:
    """'8 AM', '8:30 AM'."""
    minute = f":{at:%M}" if at.minute else ""
    return f"{at.hour % 12 or 12}{minute} {at:%p}"


def slot_offer(slot_id: str, day: date, opens: int, closes: int) -> SlotOffer:
    """Return an open slot from hours on New York's clocks."""
    starts_at, ends_at = on_clock(day, opens), on_clock(day, closes)
    hours = (datetime.combine(day, time.min) + timedelta(hours=each) for each in (opens, closes))
    text = " - ".join(f"{hour:%I:%M %p}" for hour in hours)
    return SlotOffer(slot_id, day, text, starts_at, ends_at)


def with_places(slot: SlotOffer, left: int, *, is_closed: bool, reason: str = "") -> SlotOffer:
    """Return a slot with what is left of its places."""
    if is_closed:
        return replace(slot, state=CLOSED, note=f"Closed: {reason}" if reason else "Closed")
    if left <= 0:
        return replace(slot, state=FULL, note="Full")
    if left <= FEW:
        return replace(slot, state=FEW_LEFT, note=f"{left} left")
    return slot


def horizon(today: date, days: int) -> tuple[date, ...]:
    """Return the days on offer, today and `days` more."""
    return tuple(today + timedelta(days=each) for each in range(days + 1))


@dataclass(frozen=True, slots=True)
class Booker:
    """The limits of a booking customer, guest or staff member: how far ahead, and how late."""

    horizon_days: int
    closes_hour: int = 20  # of the evening before, on New York's clocks
    same_day: bool = False
    is_staff: bool = False


def booking_ends(slot: SlotOffer, booker: Booker) -> datetime:
    """Return the last moment at which a slot can be booked."""
    if booker.is_staff:
        return slot.ends_at
    if booker.same_day:
        return min(slot.starts_at - CUTOFF, on_clock(slot.day, NOON))
    return on_clock(slot.day - timedelta(days=1), booker.closes_hour)


def can_be_booked(slot: SlotOffer, booker: Booker, now: datetime) -> bool:
    """Return whether a slot is within the horizon and not over."""
    last = day_of(now) + timedelta(days=booker.horizon_days)
    return slot.day <= last and now <= booking_ends(slot, booker)


def can_be_left(starts_at: datetime, now: datetime) -> bool:
    """Return whether it is early enough to move out of a window, or to cancel, free of charge."""
    return now <= starts_at - CUTOFF


def slots_on(days: Iterable[date]) -> tuple[SlotOffer, ...]:
    """Return the preview's slots of these days, in order."""
    # The end is read off the clock, too: a window never spans the night when clocks change.
    return tuple(
        slot_offer(
            f"{day:%Y-%m-%d}-{opens.hour:02}", day, opens.hour, opens.hour + WINDOW.seconds // 3600
        )
        for day in days
        for opens in OPENINGS
    )


def by_day(slots: Iterable[SlotOffer]) -> tuple[SlotDay, ...]:
    """Group slots by day, in order of time."""
    in_order = sorted(slots, key=lambda slot: slot.starts_at)
    return tuple(
        SlotDay(f"{day:%A}, {long_date(day)}", tuple(group))
        for day, group in groupby(in_order, key=lambda slot: slot.day)
    )


def chosen(slot_id: object, slots: Iterable[SlotOffer]) -> SlotOffer | None:
    """Return the slot with this id, or None."""
    return next((slot for slot in slots if slot.id == slot_id), None)
