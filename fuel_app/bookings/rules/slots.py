"""Booking slots: two-hour windows, grouped by day, with a cutoff for moving one."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby

from fuel_app.kit.clock import NEW_YORK, long_date

WINDOW = timedelta(hours=2)
OPENINGS = (time(8), time(10), time(14))  # on the clocks of New York
CUTOFF = timedelta(hours=2)  # before the window opens


@dataclass(frozen=True, slots=True)
class Slot:
    """One window; `time` is what people read, such as '08:00 AM - 10:00 AM'."""

    id: str
    day: date
    time: str
    starts_at: datetime  # UTC

    def can_be_moved(self, now: datetime) -> bool:
        """Return whether it is still early enough to reschedule."""
        return now <= self.starts_at - CUTOFF


@dataclass(frozen=True, slots=True)
class Day:
    """The windows of one day; `name` is such as 'Friday, March 15, 2024'."""

    name: str
    slots: tuple[Slot, ...]


def slots_on(days: Iterable[date]) -> tuple[Slot, ...]:
    """Return all slots of these days, in order."""
    # The end is read off the clock, too: a window never spans the night when clocks change.
    return tuple(
        Slot(
            id=f"{opens:%Y-%m-%d-%H}",
            day=day,
            time=f"{opens:%I:%M %p} - {opens + WINDOW:%I:%M %p}",
            starts_at=opens.replace(tzinfo=NEW_YORK).astimezone(UTC),
        )
        for day in days
        for opens in (datetime.combine(day, opening) for opening in OPENINGS)
    )


def by_day(slots: Iterable[Slot]) -> tuple[Day, ...]:
    """Group slots by day, in order of time."""
    in_order = sorted(slots, key=lambda slot: slot.starts_at)
    return tuple(
        Day(f"{day:%A}, {long_date(day)}", tuple(group))
        for day, group in groupby(in_order, key=lambda slot: slot.day)
    )


def chosen(slot_id: object, slots: Iterable[Slot]) -> Slot | None:
    """Return the slot with this id, or None."""
    return next((slot for slot in slots if slot.id == slot_id), None)
