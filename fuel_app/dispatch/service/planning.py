"""Planning a day: all that has not started, onto all trucks, by the solver."""

from collections.abc import Mapping
from dataclasses import dataclass

from fuel_app.accounts.rules import Actor


@dataclass(frozen=True, slots=True)
class Planned:
    """The outcome of planning a day; `action_id` is for Undo, '' if no route has changed."""

    action_id: str
    served: int
    unserved: int
    estimated: bool  # without live traffic


async def plan(by: Actor, day: object, seen: Mapping[str, int], *, keep: bool = False) -> Planned:
    """Plan a day, or plan it again: only what no technician has begun moves.

    Args:
        day: A date, or its text.
        seen: The revisions of the day's routes on the screen.
        keep: Leave what is on a truck on it, as if it were pinned.
    """
    raise NotImplementedError
