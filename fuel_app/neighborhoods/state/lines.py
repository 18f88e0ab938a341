"""The members of a neighborhood, and what staff did to it, line by line."""

from dataclasses import dataclass
from typing import Self

from fuel_app import routes
from fuel_app.kit import clock
from fuel_app.kit.ui.map import circle_size, short_count
from fuel_app.kit.words import counted
from fuel_app.neighborhoods.rules import (
    Member,
    NeighborhoodChange,
    NeighborhoodRow,
    ZipArea,
    badge_color,
    members_count,
    missing_to_next,
    progress_goal,
    tier_for,
)


@dataclass(frozen=True)
class PersonLine:
    """A member; an empty one means 'none'."""

    id: str = ""
    name: str = ""
    email: str = ""
    joined: str = ""
    moment: str = ""  # for machines
    lead: str = ""  # the address of all that is known about them

    @classmethod
    def of(cls, member: Member) -> Self:
        return cls(
            id=member.id,
            name=member.name,
            email=member.email,
            joined=clock.short_date(clock.day_of(member.joined_at)),
            moment=member.joined_at.isoformat(),
            lead=routes.lead(member.id),
        )


@dataclass(frozen=True)
class ChangeLine:
    """One change by staff."""

    what: str
    when: str
    who: str
    undone: bool

    @classmethod
    def of(cls, change: NeighborhoodChange) -> Self:
        when = clock.date_and_time(change.at)
        return cls(change.summary, when, f"by {change.actor}", change.undone)


@dataclass(frozen=True)
class NeighborhoodLine:
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
    def of(cls, row: NeighborhoodRow, *, site: str) -> Self:
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
    """The neighborhoods of one ZIP."""

    zip_code: str
    lat: float
    lng: float
    size: int  # pixels across: the area grows with the members
    tier: int  # of the largest neighborhood
    members: str
    label: str

    @classmethod
    def of(cls, area: ZipArea, *, most: int) -> Self:
        """Args: `most` is the number of members that the largest circle stands for."""
        tier = tier_for(area.largest)
        return cls(
            zip_code=area.zip_code,
            lat=area.lat,
            lng=area.lng,
            size=circle_size(area.members, most),
            tier=tier.level,
            members=short_count(area.members),
            label=f"{area.zip_code}: {counted(area.neighborhoods, 'group')}, "
            f"{members_count(area.members)}, the largest at {tier.label}",
        )
