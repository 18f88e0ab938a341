"""Customers: the profile, the account that screens change, and the staff's list with notes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.customers.rules.vehicles import Vehicle, us_state
from fuel_app.kit import contact
from fuel_app.kit.contact import PHONE_DIGITS
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Email, Form, Phone, ZipCode, line
from fuel_app.kit.lists import Question
from fuel_app.kit.money import Money
from fuel_app.kit.search import words_of
from fuel_app.messages.rules.kinds import NotificationSettings
from fuel_app.plans.rules import plans
from fuel_app.plans.rules.plans import Plan, SubscriptionInfo


class Personal(Form):
    """The Personal Information form; phone as 10 digits."""

    first_name: Annotated[str, line("First name")]
    last_name: Annotated[str, line("Last name")]
    email: Email
    phone: Phone
    address: Annotated[str, line("Address")]
    city: Annotated[str, line("City")]
    state: Annotated[str, line("State")]
    zip_code: ZipCode

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}"

    @property
    def initials(self) -> str:
        return "".join(name[:1].upper()[:1] for name in (self.first_name, self.last_name))


_ADDRESS = ("address", "city", "state")


class OwnPersonal(Personal):
    """Personal Information of a real account: a state of the US."""

    state: Annotated[str, PlainValidator(us_state)]

    @staticmethod
    def rules(form: Mapping[str, str]) -> type[Personal]:
        """Return the rules of what was typed: the address is whole or left out."""
        has_address = any(form[name].strip() for name in _ADDRESS)
        return OwnPersonal if has_address else WithoutAddress


def _left_out(_value: object) -> str:
    return ""


def _zip_code(value: object) -> str:
    return contact.zip_code(value) if contact.text(value) else ""


class WithoutAddress(Personal):
    """Without a postal address; the ZIP alone, which sign-up asks for, may stand."""

    address: Annotated[str, PlainValidator(_left_out)]
    city: Annotated[str, PlainValidator(_left_out)]
    state: Annotated[str, PlainValidator(_left_out)]
    zip_code: Annotated[str, PlainValidator(_zip_code)]


@dataclass(frozen=True, slots=True)
class FreeFillOffer:
    """A free first fill: no convenience fee, and fuel up to a cap; None is the whole fill."""

    cap: Money | None

    def __str__(self) -> str:
        fuel = f"fuel up to {self.cap.short}" if self.cap else "all of its fuel"
        return f"Free for you, with or without a plan: no fee, and {fuel}."


@dataclass(frozen=True)
class InvoiceRow:
    """One line of the sample's Billing History."""

    day: str
    description: str
    amount: str


@dataclass(frozen=True)
class BillingCard:
    """The sample's plan and how it is paid; empty until it is loaded, and for a person."""

    plan_id: str = ""
    plan: str = ""
    price: str = ""
    fills: str = ""
    next_billing: str = ""
    card: str = ""
    expiry: str = ""
    invoices: tuple[InvoiceRow, ...] = ()  # newest first


@dataclass(frozen=True, slots=True)
class SignIn:
    """One line of the sample's Login History."""

    device: str
    place: str
    moment: str
    current: bool


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer and the fills of their plan; None is what does not exist (yet)."""

    personal: Personal
    plan: Plan | None
    subscription: SubscriptionInfo | None = None
    plan_ends: date | None = None  # where its customer has cancelled it
    fills_remaining: int | None = None
    fills_granted: int | None = None  # in this period; the plan's own number unless said
    fills_rolled: int = 0  # of those granted, from the period before
    period_starts: date | None = None
    billing: BillingCard = BillingCard()
    has_card: bool = False
    may_start_plan: bool = False
    password_changed: date | None = None
    sign_ins: tuple[SignIn, ...] = ()  # newest first
    vehicles: tuple[Vehicle, ...] = ()
    notifications: NotificationSettings = field(default_factory=NotificationSettings)
    email_verified: bool = True
    phone_verified: bool = False
    is_customer: bool = True  # not one of the staff alone, who has neither a plan nor an address

    @property
    def fills_total(self) -> int:
        if self.fills_granted is not None:
            return self.fills_granted
        return self.plan.fills if self.plan else 1


def days_since(day: date, today: date) -> int:
    """Return whole days since a day, at least 0."""
    return max(0, (today - day).days)


def format_days(count: int) -> str:
    """Return a number of days in words, such as '1 day' or '30 days'."""
    return f"{count} {'day' if count == 1 else 'days'}"


ENDS_TOO = "Booked fill-ups are cancelled, and a plan ends without a refund."


def describe_closing(wait: int) -> str:
    """Say what closing an account does, and when its data goes."""
    return (
        f"Your account is closed and you are signed out everywhere at once. {ENDS_TOO} "
        f"{format_days(wait)} later we remove your name, e-mail, phone, address and settings. "
        "Until then you can call or write to us to restore the account."
    )


class NotVerified(Refusal):
    """A sign-up, or an account whose e-mail is not verified."""

    message = "Please verify your email first."


class Account(ABC):
    """The preview's sample in one tab, or a signed-in person's own account.

    Each change returns the changed customer. A sign-up refuses all of them.
    """

    is_sample = False
    is_verified = True  # False for a sign-up, which reaches the dashboard alone
    saved = "Saved"  # confirms a change

    @abstractmethod
    async def read(self, *, brief: bool = False) -> Customer:
        """Return the customer; `brief` leaves fills, vehicles and notification settings out."""

    async def closing(self) -> str:
        """Return what closing the account does, and when; empty in a preview."""
        return ""

    def rules(self, form: Mapping[str, str]) -> type[Personal]:
        """Return the rules of the personal information, as it was typed."""
        return Personal

    async def save_personal(self, personal: Personal) -> Customer:
        """Save the personal information; a changed e-mail has a way of its own.

        Raises:
            InvalidForm: If a field cannot be changed just now.
        """
        raise NotVerified

    async def toggle_notification(self, name: object) -> Customer:
        """Turn one message or channel on or off; an unknown name changes nothing.

        Raises:
            Refusal: If it needs another step before.
        """
        raise NotVerified

    async def agree_to_texts(self) -> Customer:
        """Store the consent to text messages to the verified phone, and turn them on.

        Raises:
            Refusal: If it has sent STOP.
        """
        raise NotVerified

    async def save_vehicle(self, vehicle: Vehicle) -> Customer:
        """Register a vehicle, or replace the registered one that has its id.

        Raises:
            GarageFull, PlanIsFull: If the customer has as many as one can register.
            VehicleGone: If none with its id is registered (any more).
        """
        raise NotVerified

    async def use_vehicle(self, vehicle_id: object) -> Customer:
        """Take a vehicle into the plan, in place of another one if need be.

        Raises:
            VehicleGone: If none with its id is registered (any more).
        """
        raise NotVerified

    async def remove_vehicle(self, vehicle_id: object) -> Customer:
        """Remove a vehicle; ignore an unknown id."""
        raise NotVerified

    async def restore_vehicle(self, vehicle: Vehicle, place: int) -> Customer:
        """Undo a removal.

        Raises:
            GarageFull, PlanIsFull: If its room has been taken meanwhile.
        """
        raise NotVerified


@dataclass(frozen=True, slots=True)
class CustomerFacts:
    """A customer's contact, and what a booking needs."""

    name: str
    email: str
    phone: str
    zip_code: str
    email_verified: bool
    has_card: bool
    submission_id: str | None


PAGE_SIZE = 50
STAFF_NOTE_MAX = 2000
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
    guest: str = ""  # or of a booking, whose guest is chosen
    tab: str = ""

    COLUMNS = ("name", "plan", "since")
    TYPED = ("q", "plan", "plan_state", "area", "neighborhood", "state", "debt")

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words of the search; each is found in any field."""
        return words_of(self.q)

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


def _note(value: object) -> str:
    text = contact.lines("Note", STAFF_NOTE_MAX)(value)
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
