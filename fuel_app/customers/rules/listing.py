"""The staff's list of customers: what it asks, its rows, and one customer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.customers.rules.profile import Customer
from fuel_app.kit import contact
from fuel_app.kit.contact import PHONE_DIGITS
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form
from fuel_app.kit.lists import Question
from fuel_app.plans.rules import plans

PAGE_SIZE = 50
NOTE_MAX = 2000
_PHONE_PART = 3  # digits, so that a search for a name with a number stays one
ACTIVE, DEACTIVATED, CLOSING = "active", "deactivated", "closing"
STATES: Mapping[str, str] = {ACTIVE: "Active", DEACTIVATED: "Deactivated", CLOSING: "To be deleted"}
PLAN_STATES: Mapping[str, str] = {
    plans.ACTIVE: "Active",
    plans.INCOMPLETE: "Not started",
    plans.PAST_DUE: "Past due",
    plans.CANCELLED: "Cancelled",
}
OWES = "owes"


@dataclass(frozen=True)
class CustomerQuery(Question):
    """The question that the screen's address asks."""

    sort: str = "-since"
    q: str = ""
    plan: str = ""
    plan_state: str = ""
    area: str = ""  # its id
    neighborhood: str = ""  # a part of its name
    state: str = ""  # of the account
    debt: str = ""
    customer: str = ""  # the id of the chosen one
    tab: str = ""

    COLUMNS = ("name", "plan", "since")
    TYPED = ("q", "plan", "plan_state", "area", "neighborhood", "state", "debt")

    @property
    def phone_part(self) -> str:
        """Return the digits of what may be a phone number or its end; else nothing."""
        digits = "".join(each for each in self.q if each.isascii() and each.isdigit())
        is_number = not set(self.q) - set("0123456789 ()+-.")
        return digits[-PHONE_DIGITS:] if is_number and len(digits) >= _PHONE_PART else ""


@dataclass(frozen=True, slots=True)
class CustomerRow:
    """A customer as the list names them."""

    id: str
    name: str
    email: str
    plan_id: str
    plan_state: str
    zip_code: str
    since: datetime
    is_active: bool
    is_closing: bool = False  # its owner has deleted it, and some days are left


@dataclass(frozen=True, slots=True)
class Resident:
    """A customer who has an address in some ZIP codes."""

    id: str
    name: str
    is_stranded: bool  # no address of theirs is in a ZIP code that is served
    plan_state: str

    @property
    def loses_plan(self) -> bool:
        """Return whether a plan of theirs would renew with nothing to book."""
        return self.is_stranded and self.plan_state == plans.ACTIVE


@dataclass(frozen=True, slots=True)
class Profile:
    """The values of one customer on the first tab."""

    id: str
    name: str
    email: str
    email_verified: bool
    phone: str
    address: str
    zip_code: str
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


def _note(value: object) -> str:
    text = contact.lines("Note", NOTE_MAX)(value)
    if not text:
        raise ValueError("Note is required")
    return text


class NewNote(Form):
    """The form of a note."""

    text: Annotated[str, PlainValidator(_note)]


@dataclass(frozen=True)
class Note:
    """A note of the staff about a customer."""

    id: str
    text: str
    author: str
    when: str


class CustomerGone(Refusal):
    message = "This customer is no longer there."
