"""Neighborhood groups and their discounts: the more neighbors join, the less everyone pays."""

from dataclasses import dataclass
from typing import Literal

from fuel_app.domain import contact

clean_name = contact.name("Neighborhood name", longest=60)

BadgeColor = Literal["green", "yellow", "grey"]


@dataclass(frozen=True, slots=True)
class Tier:
    """What a group has earned: dollars off each member's monthly plan."""

    level: int
    members_needed: int
    monthly_discount: int

    @property
    def yearly_discount(self) -> int:
        return 12 * self.monthly_discount

    @property
    def label(self) -> str:
        return f"Tier {self.level}"


TIERS = (Tier(0, 0, 0), Tier(1, 5, 5), Tier(2, 10, 10), Tier(3, 20, 15))


def tier_for(members: int) -> Tier:
    """The highest tier that the group has reached."""
    return [tier for tier in TIERS if members >= tier.members_needed][-1]


def next_tier(members: int) -> Tier | None:
    """The tier that the group is working towards; None at the top."""
    return next((tier for tier in TIERS if members < tier.members_needed), None)


def progress_goal(members: int) -> int:
    """The member count at which the progress bar is full: 5, 10, then 20."""
    tier = next_tier(members) or TIERS[-1]
    return tier.members_needed


def badge_color(members: int) -> BadgeColor:
    """Green at 10 or more members, yellow at 5 or more, grey below."""
    if members >= 10:
        return "green"
    return "yellow" if members >= 5 else "grey"


def name_key(name: str) -> str:
    """What two names of one ZIP are compared by: case and spaces aside."""
    return "".join(name.split()).casefold()


@dataclass(frozen=True, slots=True)
class Group:
    """A neighborhood group as visitors see it."""

    id: str
    name: str
    zip_code: str
    members: int

    @property
    def tier(self) -> Tier:
        return tier_for(self.members)

    @property
    def neighbors_missing(self) -> int:
        """How many more it takes to the next tier; 0 at the top."""
        tier = next_tier(self.members)
        return tier.members_needed - self.members if tier else 0
