"""The members of a neighborhood, and what staff did to it, line by line."""

from dataclasses import asdict, dataclass
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
    members_count,
    missing_to_next,
    tier_for,
)
from fuel_app.neighborhoods.state.card import NeighborhoodCard


@dataclass(frozen=True)
class PersonLine:
    """A member; an empty one means 'none'."""

    id: str = ""
    name: str = ""
    email: str = ""
    joined: str = ""
    moment: str = ""  # for machines
    lead: str = ""  # the address of all that is known about them; empty: no lead any more

    @classmethod
    def of(cls, member: Member) -> Self:
        return cls(
            id=member.id,
            name=member.name,
            email=member.email,
            joined=clock.short_date(clock.day_of(member.joined_at)),
            moment=member.joined_at.isoformat(),
            lead=routes.lead(member.id) if member.is_listed else "",
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
class NeighborhoodLine(NeighborhoodCard):
    """A neighborhood in the staff's table."""

    pioneer: str = ""
    members_text: str = ""
    missing: str = ""  # empty at the highest tier
    address: str = ""
    join_link: str = ""

    @classmethod
    def of_row(cls, row: NeighborhoodRow, *, site: str) -> Self:
        return cls(
            **asdict(NeighborhoodCard.of(row)),
            pioneer=row.pioneer,
            members_text=f"{row.members:,}",
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
            label=f"{area.zip_code}: {counted(area.neighborhoods, 'neighborhood')}, "
            f"{members_count(area.members)}, the largest at {tier.label}",
        )
