"""Arriving at the sign-up: by an invitation, a friend's link, or a neighborhood's."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fuel_app.kit.errors import Refusal
from fuel_app.neighborhoods.rules import NeighborhoodSummary, Tier, tier_for

# The parameters of a link to the sign-up, and the names under which ids are kept.
INVITED, REFERRER, NEIGHBORHOOD = PARAMETERS = ("invited", "ref", "neighborhood")


@dataclass(frozen=True, slots=True)
class Arrival:
    """The checked parts of a link: ids by parameter, and values for the contact step."""

    comes_from: Mapping[str, str] = field(default_factory=dict)
    contact: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Membership:
    """A customer's neighborhood; in none they may choose one of their ZIP."""

    zip_code: str
    neighborhood: NeighborhoodSummary | None
    is_pioneer: bool = False
    confirmed: int = 0  # the members who count for the discount

    @property
    def tier(self) -> Tier:
        """Return the tier that counts for the customer's plan."""
        return tier_for(self.confirmed)


class EntryTaken(Refusal):
    """A waitlist entry with this e-mail that another customer's invitation has claimed."""

    message = "Your place in a neighborhood belongs to another account. Please call or write to us."


class NoZip(Refusal):
    message = "Add your ZIP code under Personal Information first."
