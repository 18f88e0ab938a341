"""The members of a group, and what staff did to it, line by line."""

from dataclasses import dataclass
from typing import Self

from fuel_app import routes
from fuel_app.domain.neighborhood_changes import GroupChange
from fuel_app.domain.neighborhood_detail import Member
from fuel_app.kit import clock


@dataclass(frozen=True)
class PersonLine:
    """Somebody in the group; an empty one is nobody."""

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
    def of(cls, change: GroupChange) -> Self:
        when, who = clock.date_and_time(change.at), f"Session {change.by[-6:]}"
        return cls(change.summary, when, who, change.undone)
