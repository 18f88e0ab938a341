"""Staff's figures: leads and neighborhoods."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from fuel_app.kit import clock
from fuel_app.leads.rules import STATUSES, TYPES, WAITLIST_STATUS, LeadType
from fuel_app.neighborhoods.rules import NeighborhoodRow

WEEK = 7  # days: today and the six before
NEAREST = 5
OTHER = "Other"  # any other status that the lead-source control has written
STATUS_ORDER = (WAITLIST_STATUS, *STATUSES, OTHER)

Counts = dict[LeadType, int]


@dataclass(frozen=True, slots=True)
class DayCount:
    """The new leads of one day."""

    day: date
    leads: int


@dataclass(frozen=True, slots=True)
class TypeCount:
    """The leads of one type by the status that the staff's list shows."""

    type: LeadType
    by_status: dict[str, int]  # in `STATUS_ORDER`, only those that some lead has

    @property
    def leads(self) -> int:
        return sum(self.by_status.values())


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of leads and neighborhoods."""

    types: tuple[TypeCount, ...]
    days: tuple[DayCount, ...]  # of the last week, the oldest first
    new_by_type: Counts
    neighborhoods: int
    members: int
    nearest: tuple[NeighborhoodRow, ...]  # to their next tier

    @property
    def leads(self) -> int:
        return sum(each.leads for each in self.types)

    @property
    def new(self) -> int:
        """The leads of the last week."""
        return sum(day.leads for day in self.days)


def type_counts(rows: Iterable[tuple[str, Counts]]) -> tuple[TypeCount, ...]:
    """Turn each status' counts by type into each type's counts by status."""
    counted: dict[str, Counts] = {status: {} for status in STATUS_ORDER}
    for status, counts in rows:
        known = counted[status if status in counted else OTHER]
        for type_, leads in counts.items():
            known[type_] = known.get(type_, 0) + leads
    return tuple(
        TypeCount(type_, {s: counts[type_] for s, counts in counted.items() if counts.get(type_)})
        for type_ in TYPES
    )


def week_until(moment: datetime) -> list[datetime]:
    """Return the starts of the last seven days in New York, today included."""
    return clock.mornings(clock.day_of(moment), WEEK)


def per_day(starts: Iterable[datetime], rows: dict[int, Counts]) -> tuple[DayCount, ...]:
    """Sum each day's leads from the counts by the day's index."""
    return tuple(
        DayCount(clock.day_of(start), sum(rows.get(index, {}).values()))
        for index, start in enumerate(starts)
    )
