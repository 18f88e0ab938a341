"""A group as a line of the staff's table, and a ZIP as a circle on their map."""

import math
from dataclasses import dataclass
from typing import Self

from fuel_app import routes
from fuel_app.domain.neighborhood_list import GroupRow, ZipArea
from fuel_app.domain.neighborhoods import (
    badge_color,
    members_count,
    missing_to_next,
    progress_goal,
    tier_for,
)

_SMALLEST, _LARGEST = 24, 52  # pixels across; the smallest can be hit with a finger


@dataclass(frozen=True)
class GroupLine:
    """Plain values, worded and coloured by the rules."""

    id: str
    name: str
    zip_code: str
    pioneer: str  # empty: none
    members: int
    members_text: str
    goal: int
    color: str
    tier: str
    missing: str  # empty at the highest tier
    address: str
    join_link: str

    @classmethod
    def of(cls, row: GroupRow, *, site: str) -> Self:
        return cls(
            id=row.id,
            name=row.name,
            zip_code=row.zip_code,
            pioneer=row.pioneer,
            members=row.members,
            members_text=f"{row.members:,}",
            goal=progress_goal(row.members),
            color=badge_color(row.members),
            tier=tier_for(row.members).label,
            missing=missing_to_next(row.members),
            address=routes.neighborhood(row.id),
            join_link=site + routes.join_neighborhood(row.id),
        )


@dataclass(frozen=True)
class Circle:
    """The groups of one ZIP."""

    zip_code: str
    lat: float
    lng: float
    size: int  # pixels across: the area grows with the members
    tier: int  # of the largest group
    label: str

    @classmethod
    def of(cls, area: ZipArea, *, most: int) -> Self:
        """Args: `most` is the number of members that the largest circle stands for."""
        share = math.sqrt(area.members / most) if most else 0
        tier = tier_for(area.largest)
        groups = f"{area.groups:,} {'group' if area.groups == 1 else 'groups'}"
        return cls(
            zip_code=area.zip_code,
            lat=area.lat,
            lng=area.lng,
            size=round(_SMALLEST + (_LARGEST - _SMALLEST) * share),
            tier=tier.level,
            label=f"{area.zip_code}: {groups}, {members_count(area.members)}, "
            f"the largest at {tier.label}",
        )
