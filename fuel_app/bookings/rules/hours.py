"""A change of an area's hours: the bookings that stand in its way."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from fuel_app.areas.rules.hours import Hours
from fuel_app.bookings.rules.states import STAFF, STATES, step_allowed
from fuel_app.kit.errors import Refusal

CANCELLABLE = tuple(state for state in STATES if step_allowed(state, "cancel", STAFF))


@dataclass(frozen=True, slots=True)
class Booked:
    """A booking in a window of an area; `name` is its customer's."""

    id: str
    person_id: str  # '' for a guest's
    name: str
    car: str
    day: date
    opens: int
    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class Affected:
    """What a change would mean for bookings."""

    closed: tuple[Booked, ...] = ()  # in windows that close
    over: tuple[tuple[datetime, datetime, int], ...] = ()  # windows with more booked than room

    @property
    def key(self) -> tuple[object, ...]:
        """Return what an answer refers to."""
        return (*(each.id for each in self.closed), *self.over)


class NeedsAnswer(Refusal):
    """A change of hours that closes windows with bookings or leaves them too little room."""

    def __init__(self, affected: Affected) -> None:
        super().__init__("There are bookings. Say what becomes of them.")
        self.affected = affected


def affected(seen: Hours, wanted: Hours, booked: Iterable[Booked]) -> Affected:
    """Return the bookings whose windows close or get too small by a change."""
    booked = tuple(booked)
    counts = Counter((each.day, each.opens, each.starts_at, each.ends_at) for each in booked)
    closed, over = set(), []
    for (day, opens, starts_at, ends_at), count in counts.items():
        room, before = wanted.capacity(day, opens), seen.capacity(day, opens)
        if before and not room:
            closed.add((day, opens))
        elif room < min(before, count):
            over.append((starts_at, ends_at, count))
    return Affected(tuple(b for b in booked if (b.day, b.opens) in closed), tuple(over))
