"""Neighborhoods and their discounts: the more neighbors join, the less everyone pays."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import PlainValidator

from fuel_app.kit import contact
from fuel_app.kit.forms import Form
from fuel_app.kit.lists import Question
from fuel_app.kit.money import Money, dollars
from fuel_app.kit.words import counted

NAME_MAX = 60  # characters
clean_name = contact.name("Neighborhood name", NAME_MAX)


class NeighborhoodForm(Form):
    """The form that creates a neighborhood."""

    name: Annotated[str, PlainValidator(clean_name)]


BadgeColor = Literal["green", "yellow", "grey"]


@dataclass(frozen=True, slots=True)
class Tier:
    """A discount on each member's monthly plan."""

    level: int
    members_needed: int
    monthly_discount: Money

    @property
    def yearly_discount(self) -> Money:
        return self.monthly_discount * 12

    @property
    def label(self) -> str:
        return f"Tier {self.level}"

    @property
    def saving(self) -> str:
        return f"{self.monthly_discount.short} a month, {self.yearly_discount.short} a year"


TIERS = (
    Tier(0, 0, dollars(0)),
    Tier(1, 5, dollars(5)),
    Tier(2, 10, dollars(10)),
    Tier(3, 20, dollars(15)),
)


def members_range(tier: Tier) -> str:
    """Return the members that a tier spans: '5-9', '10-19', '20+'."""
    following = next_tier(tier.members_needed)
    if following is None:
        return f"{tier.members_needed}+"
    return f"{tier.members_needed}-{following.members_needed - 1}"


def tier_for(members: int) -> Tier:
    """Return the highest tier that so many members have reached."""
    return [tier for tier in TIERS if members >= tier.members_needed][-1]


def next_tier(members: int) -> Tier | None:
    """Return the next tier; None at the top."""
    return next((tier for tier in TIERS if members < tier.members_needed), None)


def progress_goal(members: int) -> int:
    """Return the member count at which the progress bar is full: 5, 10, then 20."""
    tier = next_tier(members) or TIERS[-1]
    return tier.members_needed


def badge_color(members: int) -> BadgeColor:
    """Return green at 10 or more members, yellow at 5 or more, grey below."""
    if members >= 10:
        return "green"
    return "yellow" if members >= 5 else "grey"


def name_key(name: str) -> str:
    """Return a name without case, spaces and invisible characters, for comparison in a ZIP."""
    return "".join(name.split()).replace(contact.JOINER, "").casefold()


@dataclass(frozen=True, slots=True)
class NeighborhoodSummary:
    """A neighborhood as visitors see it."""

    id: str
    name: str
    zip_code: str
    members: int

    @property
    def tier(self) -> Tier:
        return tier_for(self.members)

    @property
    def next_step(self) -> str:
        """Word the saving that the next tier brings each member, or the top tier's."""
        tier = next_tier(self.members)
        if tier is None:
            return f"Everyone saves {self.tier.saving}"
        missing = neighbors(tier.members_needed - self.members, more=True)
        return f"{missing} and everyone saves {tier.saving}"


def neighbors(count: int, *, more: bool = False) -> str:
    """'1 neighbor', '3 neighbors', '2 more neighbors'."""
    return f"{count} {'more ' if more else ''}{'neighbor' if count == 1 else 'neighbors'}"


def members_count(count: int) -> str:
    """'1 member', '1,234 members'."""
    return counted(count, "member")


def members_confirmed(count: int) -> str:
    """'3 confirmed': the members who are customers with a verified e-mail."""
    return f"{count:,} confirmed"


def missing_to_next(members: int) -> str:
    """Word the distance to the next tier: '2 short of Tier 1'; empty at the top."""
    tier = next_tier(members)
    return f"{tier.members_needed - members} short of {tier.label}" if tier else ""


PICKER_LIMIT = 100  # neighborhoods of a ZIP
PAGE_SIZE = 50  # of the table, and of a neighborhood's members
MISSING_MOST = 10  # no neighborhood is further from its next tier
NOT_A_NUMBER = "Enter a whole number"
MIN_OVER_MAX = "This is more than the maximum"


@dataclass(frozen=True)
class NeighborhoodQuery(Question):
    """The filters of the staff's table, as typed; an invalid number filters nothing."""

    sort: str = "name"
    q: str = ""
    zip: str = ""
    min: str = ""
    max: str = ""
    pioneer: str = ""
    missing: str = ""

    COLUMNS = ("name", "zip", "pioneer", "members", "missing", "created")
    TYPED = ("q", "zip", "min", "max", "pioneer", "missing")

    @property
    def least(self) -> int | None:
        return _whole_number(self.min)

    @property
    def most(self) -> int | None:
        return _whole_number(self.max)

    @property
    def short_of(self) -> int | None:
        """Return the members that a neighborhood may at most lack for its next tier."""
        missing = _whole_number(self.missing)
        return missing if missing and missing <= MISSING_MOST else None

    @property
    def problems(self) -> dict[str, str]:
        """Return the messages beside the number filters, by name."""
        messages = {
            name: NOT_A_NUMBER if typed and _whole_number(typed) is None else ""
            for name, typed in (("min", self.min), ("max", self.max))
        }
        if self.least is not None and self.most is not None and self.least > self.most:
            messages["min"] = MIN_OVER_MAX
        return messages


def _whole_number(typed: str) -> int | None:
    """Return a whole number that is not negative, or None."""
    return int(typed) if re.fullmatch("[0-9]{1,9}", typed) else None


@dataclass(frozen=True, slots=True)
class NeighborhoodRow(NeighborhoodSummary):
    """A row of the table."""

    created_at: datetime
    pioneer: str  # empty: none


@dataclass(frozen=True, slots=True)
class ZipArea:
    """The neighborhoods of one ZIP together, and its place."""

    zip_code: str
    neighborhoods: int
    members: int
    largest: int  # members of its largest neighborhood
    lat: float
    lng: float


@dataclass(frozen=True)
class MemberQuery(Question):
    """A page of a neighborhood's members and their order; by default the oldest member first."""

    sort: str = "joined"

    COLUMNS = ("joined", "name", "email")


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a neighborhood."""

    id: str
    name: str
    email: str
    joined_at: datetime
    is_listed: bool = True  # among the leads; staff may have deleted a customer's


@dataclass(frozen=True, slots=True)
class NeighborhoodDetail:
    """A neighborhood with its pioneer and a page of its members."""

    neighborhood: NeighborhoodSummary
    created_at: datetime
    pioneer: Member | None
    members: tuple[Member, ...]
    page: int  # from 1
    pages: int
    confirmed: int = 0  # the members who count for money
    can_merge: bool = False  # its ZIP has another neighborhood


@dataclass(frozen=True, slots=True)
class NeighborhoodChange:
    """A change by staff; its id is the one to undo."""

    id: str
    at: datetime
    actor: str
    summary: str
    undone: bool = False


def change_summary(kind: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return a change in one line."""
    if kind == "rename":
        return f"Renamed from {before['name']} to {after['name']}"
    if kind == "merge":
        moved = members_count(after["moved"])
        return f"{before['name']} was merged into {after['name']}: {moved} moved"
    return f"Pioneer's role handed from {before.get('pioneer') or 'nobody'} to {after['pioneer']}"
