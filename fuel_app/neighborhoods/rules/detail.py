"""The staff's screen of one neighborhood: its address, and the values shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from fuel_app.kit import contact
from fuel_app.neighborhoods.rules.listing import pages_of, whole_number
from fuel_app.neighborhoods.rules.neighborhoods import NeighborhoodSummary

MEMBERS_SHOWN = 50  # a page of the members
SORTS = ("joined", "name", "email")


@dataclass(frozen=True, slots=True)
class MemberQuery:
    """A page of the members and their order; by default the oldest member first."""

    sort: str = "joined"
    descending: bool = False
    page: int = 1

    @classmethod
    def parse(cls, asked: Mapping[str, object]) -> Self:
        """Read an address; invalid values fall back to the defaults."""
        sort = contact.text(asked.get("sort"))
        known = sort if sort.removeprefix("-") in SORTS else "joined"
        return cls(
            sort=known.removeprefix("-"),
            descending=known.startswith("-"),
            page=whole_number(asked.get("page")) or 1,
        )

    @property
    def order(self) -> str:
        """Return the order as in the address."""
        return f"-{self.sort}" if self.descending else self.sort

    def parameters(self) -> dict[str, str]:
        """Return the address's parameters, without defaults."""
        said = {
            "sort": "" if self.order == "joined" else self.order,
            "page": "" if self.page == 1 else str(self.page),
        }
        return {name: value for name, value in said.items() if value}


FIRST_PAGE = MemberQuery()


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a neighborhood."""

    id: str
    name: str
    email: str
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class NeighborhoodDetail:
    """A neighborhood with its pioneer and a page of its members."""

    neighborhood: NeighborhoodSummary
    created_at: datetime
    pioneer: Member | None
    members: tuple[Member, ...]
    page: int  # from 1

    @property
    def pages(self) -> int:
        return pages_of(self.neighborhood.members, MEMBERS_SHOWN)
