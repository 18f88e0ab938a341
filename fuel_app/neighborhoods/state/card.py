"""A neighborhood group as screens show it."""

import dataclasses
from typing import Self

from fuel_app.neighborhoods.rules.groups import Group, badge_color, neighbors, progress_goal


@dataclasses.dataclass(frozen=True)
class GroupCard:
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
    def of(cls, group: Group) -> Self:
        return cls(
            id=group.id,
            name=group.name,
            zip_code=group.zip_code,
            members=group.members,
            neighbors=neighbors(group.members),
            goal=progress_goal(group.members),
            color=badge_color(group.members),
            tier=group.tier.label,
            next_step=group.next_step,
        )
