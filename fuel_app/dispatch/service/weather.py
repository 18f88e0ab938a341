"""Weather holds: stops of an area and time wait until it has passed, or are moved."""

from dataclasses import dataclass

from fuel_app.accounts.rules import Actor
from fuel_app.dispatch.rules.day import Unassigned


@dataclass(frozen=True, slots=True)
class Held:
    """The bookings that a hold has stopped; `action_id` is for Undo, '' if there were none."""

    action_id: str
    count: int


async def affected(
    by: Actor, day: object, area_id: object, starts: object, ends: object
) -> tuple[Unassigned, ...]:
    """Return what a hold would stop."""
    raise NotImplementedError


async def hold(
    by: Actor, day: object, area_id: object, starts: object, ends: object, reason: object
) -> Held:
    """Hold the bookings not begun whose windows overlap a time."""
    raise NotImplementedError


async def resume(by: Actor, day: object, booking_ids: object) -> int:
    """Book held bookings again whose windows are not over. Return how many."""
    raise NotImplementedError
