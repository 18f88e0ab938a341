"""A neighborhood as screens show it."""

import dataclasses
from typing import Self

from fuel_app.neighborhoods.rules import NeighborhoodSummary, badge_color, neighbors, progress_goal


@dataclasses.dataclass(frozen=True)
class NeighborhoodCard:
    """Plain values, worded and coloured by the rules; an empty one means 'none'."""

    id: str = ""
    name: str = ""
    zip_code: str = ""
    members: int = 0
    neighbors: str = ""
    goal: int = 5
    color: str = "grey"
    tier: str = ""
    next_step: str = ""

    @classmethod
    def of(cls, neighborhood: NeighborhoodSummary) -> Self:
        return cls(
            id=neighborhood.id,
            name=neighborhood.name,
            zip_code=neighborhood.zip_code,
            members=neighborhood.members,
            neighbors=neighbors(neighborhood.members),
            goal=progress_goal(neighborhood.members),
            color=badge_color(neighborhood.members),
            tier=neighborhood.tier.label,
            next_step=neighborhood.next_step,
        )
