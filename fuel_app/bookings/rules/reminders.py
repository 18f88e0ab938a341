"""Reminders of a booked window: when each goes, and until when what it says is true."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from fuel_app.kit.clock import NEW_YORK

KINDS = DAY_BEFORE, HOUR_BEFORE = ("day_before", "hour_before")


@dataclass(frozen=True, slots=True)
class Reminder:
    """One reminder; `good_until` is the last moment at which it may go."""

    kind: str
    at: datetime  # UTC, as is the next
    good_until: datetime


def reminders(starts_at: datetime) -> tuple[Reminder, ...]:
    """Return the reminders of a window that opens at a moment.

    One says 'Tomorrow': it goes at the window's time on the clocks of the day before, and never on
    the day itself.
    """
    opens = starts_at.astimezone(NEW_YORK)
    midnight = datetime.combine(opens.date(), time.min, NEW_YORK).astimezone(UTC)
    day_before = (opens - timedelta(days=1)).astimezone(UTC)
    return (
        Reminder(DAY_BEFORE, day_before, midnight),
        Reminder(HOUR_BEFORE, starts_at - timedelta(hours=1), starts_at),
    )
