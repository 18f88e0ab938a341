"""What staff can do to a group, and how its history tells it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fuel_app.neighborhoods.rules.groups import members_count

KINDS = ("rename", "merge", "pioneer")
HISTORY_SHOWN = 10  # changes of one group


@dataclass(frozen=True, slots=True)
class GroupChange:
    """One change, with what was before and after it."""

    id: str
    neighborhood_id: str
    kind: str
    at: datetime
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    moved: int
    undone: bool
    by: str  # the staff session

    @property
    def summary(self) -> str:
        """What was done, in one line."""
        if self.kind == "rename":
            return f"Renamed from {self.before['name']} to {self.after['name']}"
        if self.kind == "merge":
            moved = members_count(self.moved)
            return f"{self.before['name']} was merged into {self.after['name']}: {moved} moved"
        return (
            f"Pioneer's role handed from {self.before['pioneer'] or 'nobody'} to "
            + (self.after["pioneer"])
        )
