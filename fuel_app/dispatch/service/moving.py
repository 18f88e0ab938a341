"""Changing routes by hand: moving, pinning and removing a stop, adding a refill."""

from collections.abc import Mapping
from dataclasses import dataclass

from fuel_app.accounts.rules import Actor


@dataclass(frozen=True, slots=True)
class Moved:
    """The outcome of a move; `minutes` of driving are added to the day, or saved."""

    action_id: str  # for Undo
    minutes: int


async def costs(by: Actor, stop_id: object, day: object) -> dict[str, list[int]]:
    """Return the minutes of driving that each place of each route would add to the day.

    Args:
        stop_id: A booking's id, on a route or unassigned, or a refill's.
        day: A date, or its text.

    Returns:
        By the shift; a shift that cannot take the stop is left out. Its places are those before
        each of its waiting stops (neither started nor ended, cancelled or moved), this stop not
        counted, and that after the last one.
    """
    raise NotImplementedError


async def move(
    by: Actor, stop_id: object, shift_id: object, place: object, seen: Mapping[str, int]
) -> Moved:
    """Move a stop to a place of a route, from another one or from none.

    Args:
        place: As in `costs`.
        seen: The revisions of the day's routes on the screen.
    """
    raise NotImplementedError


async def pin(by: Actor, stop_id: object, pinned: object, seen: Mapping[str, int]) -> str:
    """Keep a stop on its truck when the day is planned again, or let it go.

    Returns:
        The id of the action, for Undo; that of the other functions, too.
    """
    raise NotImplementedError


async def unassign(by: Actor, stop_id: object, seen: Mapping[str, int]) -> str:
    """Take a stop off its route. On a published day it is booked again."""
    raise NotImplementedError


async def add_refill(by: Actor, shift_id: object, place: object, seen: Mapping[str, int]) -> str:
    """Add a refill at the truck's home at a place of a route."""
    raise NotImplementedError
