"""Changes of neighborhoods by staff, as their history words them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fuel_app.neighborhoods.rules.neighborhoods import members_count

HISTORY_SHOWN = 10  # changes of one neighborhood
FORMER = "a former member"  # a person whose lead is deleted


@dataclass(frozen=True, slots=True)
class NeighborhoodChange:
    """One change; its id is the one to undo."""

    id: str
    at: datetime
    actor: str
    summary: str
    undone: bool = False


def summary(kind: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return a change in one line."""
    if kind == "rename":
        return f"Renamed from {before['name']} to {after['name']}"
    if kind == "merge":
        moved = members_count(after["moved"])
        return f"{before['name']} was merged into {after['name']}: {moved} moved"
    return f"Pioneer's role handed from {before.get('pioneer') or 'nobody'} to {after['pioneer']}"
