"""A change of an area's hours: the bookings that stand in its way."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fuel_app.areas.rules.hours import Hours
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.states import STAFF, STATES, step_allowed
from fuel_app.kit.errors import Refusal

CANCELLABLE = tuple(state for state in STATES if step_allowed(state, "cancel", STAFF))


@dataclass(frozen=True, slots=True)
class Affected:
    """The bookings that a change of hours touches."""

    closed: tuple[Booking, ...] = ()  # in windows that close
    over: tuple[tuple[str, int], ...] = ()  # windows with more booked than room, and how many

    @property
    def key(self) -> tuple[object, ...]:
        """Return what an answer refers to."""
        return (*(each.id for each in self.closed), *self.over)


class NeedsAnswer(Refusal):
    """A change of hours that closes windows with bookings or leaves them too little room."""

    def __init__(self, affected: Affected, names: Mapping[str, str]) -> None:
        super().__init__("There are bookings. Say what becomes of them.")
        self.affected, self.names = affected, names  # by the id of the person


def affected(seen: Hours, wanted: Hours, bookings: Iterable[Booking]) -> Affected:
    """Return the bookings whose windows close or get too small by a change."""
    by_window = defaultdict(list)
    for each in bookings:
        by_window[each.day, int(each.slot_id[-2:])].append(each)
    closed, over = [], []
    for window, booked in by_window.items():
        room, before = wanted.capacity(*window), seen.capacity(*window)
        if before and not room:
            closed += booked
        elif room < min(before, len(booked)):
            over.append((booked[0].when, len(booked)))
    return Affected(tuple(closed), tuple(over))
