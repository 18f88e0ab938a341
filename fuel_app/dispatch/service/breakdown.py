"""A truck that fails: its stops go to the others in one step."""

from collections.abc import Mapping
from dataclasses import dataclass

from fuel_app.accounts.rules import Actor
from fuel_app.dispatch.rules.day import RouteStop, Unassigned


@dataclass(frozen=True, slots=True)
class Breakdown:
    """What becomes of the stops of a truck that has failed."""

    moved: tuple[tuple[RouteStop, str], ...]  # with the name of the other truck
    unserved: tuple[Unassigned, ...]  # they fit nowhere, with the reason
    action_id: str = ""  # for Undo, once it is confirmed


async def preview(by: Actor, shift_id: object, seen: Mapping[str, int]) -> Breakdown:
    """Return what `confirm` would do, and change nothing."""
    raise NotImplementedError


async def confirm(by: Actor, shift_id: object, seen: Mapping[str, int], told: object) -> Breakdown:
    """Move the stops of a broken truck to the others; hold and tell those that fit nowhere.

    Args:
        told: The ids of the bookings that the dispatcher was shown as fitting nowhere. Any other
            one is left unassigned, and its customer is not told.
    """
    raise NotImplementedError


async def repaired(by: Actor, shift_id: object, seen: Mapping[str, int]) -> None:
    """Let a truck take stops again."""
    raise NotImplementedError
