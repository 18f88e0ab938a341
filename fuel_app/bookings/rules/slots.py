"""Slots: area, day and window; what is on offer, and until when."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby

from fuel_app.areas.rules.hours import hours_text
from fuel_app.kit.clock import NEW_YORK, day_of, long_date, time_span

WINDOW_HOURS = 2
CUTOFF = timedelta(hours=2)  # before the window opens
CUTOFF_TEXT = "2 hours"  # as customers read it
NOON = 12  # the end of booking for the same day
HOLDS_MOST = 3  # of one network address
FEW = 3  # places, from which on their number is shown
SAME_DAY_PLAN = "big-family"
FULL = "Full"  # the note of a slot without a free place

_ID = re.compile(r"([0-9a-f-]{36})-(2\d{3}-\d\d-\d\d)-([01]\d|2[0-3])", re.ASCII)


@dataclass(frozen=True, slots=True)
class SlotOffer:
    """One window on offer; `time` is what people read, such as '8–10 AM'."""  # noqa: RUF002

    id: str
    day: date
    time: str
    when: str  # with its day, short
    starts_at: datetime  # UTC
    ends_at: datetime
    is_open: bool = True  # can be booked
    note: str = ""  # such as '2 left', 'Full', 'Closed: Thanksgiving'


@dataclass(frozen=True, slots=True)
class SlotDay:
    """The windows of one day; `id` is its date."""

    id: str
    name: str  # 'Friday, March 15, 2024'
    weekday: str  # 'Fri'
    date: str  # 'Mar 15'
    slots: tuple[SlotOffer, ...]
    is_open: bool


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


def short_when(starts_at: datetime, ends_at: datetime) -> str:
    """'Tue, Nov 24, 8–10 AM' on New York's clocks."""  # noqa: RUF002
    opens = starts_at.astimezone(NEW_YORK)
    return f"{opens:%a, %b} {opens.day}, {time_span(starts_at, ends_at)}"


def slot_offer(slot_id: str, day: date, opens: int, closes: int) -> SlotOffer:
    """Return an open slot from hours on New York's clocks."""
    starts_at, ends_at = on_clock(day, opens), on_clock(day, closes)
    text, when = hours_text(opens, closes), short_when(starts_at, ends_at)
    return SlotOffer(slot_id, day, text, when, starts_at, ends_at)


def with_places(slot: SlotOffer, left: int, *, is_closed: bool, reason: str = "") -> SlotOffer:
    """Return a slot with what is left of its places."""
    if is_closed:
        return replace(slot, is_open=False, note=f"Closed: {reason}" if reason else "Closed")
    if left <= 0:
        return replace(slot, is_open=False, note=FULL)
    return replace(slot, note=f"{left} left") if left <= FEW else slot


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


def by_day(slots: Iterable[SlotOffer]) -> tuple[SlotDay, ...]:
    """Group slots by day, in order of time."""
    in_order = sorted(slots, key=lambda slot: slot.starts_at)
    return tuple(
        _slot_day(day, tuple(group)) for day, group in groupby(in_order, key=lambda slot: slot.day)
    )


def _slot_day(day: date, slots: tuple[SlotOffer, ...]) -> SlotDay:
    name, short = f"{day:%A}, {long_date(day)}", f"{day:%b} {day.day}"
    is_open = any(slot.is_open for slot in slots)
    return SlotDay(day.isoformat(), name, f"{day:%a}", short, slots, is_open)
