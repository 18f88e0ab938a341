"""The staff's list of customers: what it asks, its rows, and one customer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fuel_app.customers.rules.profile import Customer
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.lists import Question
from fuel_app.plans.rules.plans import PLANS

PAGE_SIZE = 50
NOTE_MAX = 2000
ACTIVE, DEACTIVATED, CLOSING = "active", "deactivated", "closing"
STATES: Mapping[str, str] = {ACTIVE: "Active", DEACTIVATED: "Deactivated", CLOSING: "To be deleted"}


@dataclass(frozen=True)
class CustomerQuery(Question):
    """The question that the screen's address asks."""

    sort: str = "-since"
    q: str = ""
    plan: str = ""
    area: str = ""  # its id
    state: str = ""
    customer: str = ""  # the id of the chosen one
    tab: str = ""

    COLUMNS = ("name", "plan", "since")
    TYPED = ("q", "plan", "area", "state")

    @property
    def of_plan(self) -> str:
        """Return the plan to filter by; one that does not exist filters nothing."""
        return self.plan if self.plan in {plan.id for plan in PLANS} else ""

    @property
    def of_state(self) -> str:
        """Return the state to filter by, likewise."""
        return self.state if self.state in STATES else ""


@dataclass(frozen=True, slots=True)
class CustomerRow:
    """A customer as the list names them."""

    id: str
    name: str
    email: str
    plan_id: str
    zip_code: str
    since: datetime
    is_active: bool
    is_closing: bool = False  # its owner has deleted it, and some days are left


@dataclass(frozen=True, slots=True)
class CustomerPage:
    """One page of the list."""

    rows: tuple[CustomerRow, ...]
    page: int
    pages: int
    total: int


@dataclass(frozen=True, slots=True)
class Profile:
    """The values of one customer on the first tab."""

    id: str
    name: str
    email: str
    email_verified: bool
    phone: str
    address: str
    plan_id: str
    plan_state: str
    since: datetime
    last_sign_in: datetime | None
    is_active: bool
    is_closing: bool  # its owner has asked for its deletion


@dataclass(frozen=True, slots=True)
class Sample:
    """The preview's customers, while the company is not open."""

    found: tuple[CustomerRow, ...]
    chosen: Customer | None


class NewNote(Form):
    """The form of a note."""

    text: Annotated[str, line("Note", NOTE_MAX)]


@dataclass(frozen=True, slots=True)
class Note:
    """A note of the staff about a customer."""

    id: str
    text: str
    author: str
    at: datetime


class CustomerGone(Refusal):
    message = "This customer is no longer there."
