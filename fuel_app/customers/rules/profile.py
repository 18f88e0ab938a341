"""Customers: profile, use of the plan, billing and sign-ins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.customers.rules.us_states import us_state
from fuel_app.customers.rules.vehicles import Vehicle
from fuel_app.kit import contact
from fuel_app.kit.forms import Email, Form, Phone, ZipCode, line
from fuel_app.kit.money import FuelPrice, Money
from fuel_app.messages.rules.kinds import NotificationSettings
from fuel_app.plans.rules.plans import Plan


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
class PastService:
    """One fill: what it took and what the fuel cost."""

    day: date
    vehicle: str
    milligallons: int
    price: Money
    receipt: str = ""  # the id of its invoice
    note: str = ""  # in place of its price while that is not known


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
    """A customer and this month's use of the plan; None is what does not exist (yet)."""

    personal: Personal
    plan: Plan | None
    plan_ends: date | None = None  # where its customer has cancelled it
    fills_remaining: int | None = None
    fills_granted: int | None = None  # in this period; the plan's own number unless said
    fills_rolled: int = 0  # of those granted, from the period before
    fills_booked: int = 0  # taken by a booking to come
    period_starts: date | None = None
    milligallons_used: int | None = None
    cost_per_gallon: FuelPrice | None = None
    price_age: str = ""
    average_cost: FuelPrice | None = None  # per gallon, of the fills of this period
    has_booking: bool = False  # one to come
    past_services: tuple[PastService, ...] = ()  # newest first
    billing: BillingCard = BillingCard()
    has_card: bool = False
    may_start_plan: bool = False
    free_fill: FreeFillOffer | None = None
    free_fill_note: str = ""  # that a promised one was used before
    card_problem: str = ""  # why the card was declined last
    password_changed: date | None = None
    sign_ins: tuple[SignIn, ...] = ()  # newest first
    vehicles: tuple[Vehicle, ...] = ()
    notifications: NotificationSettings = field(default_factory=NotificationSettings)
    email_verified: bool = True
    phone_verified: bool = False
    is_customer: bool = True  # not one of the staff alone, who has neither a plan nor an address

    @property
    def fills_used(self) -> int | None:
        if self.plan is None or self.fills_remaining is None:
            return None
        return self.fills_total - self.fills_remaining - self.fills_booked

    @property
    def fills_total(self) -> int:
        if self.fills_granted is not None:
            return self.fills_granted
        return self.plan.fills if self.plan else 1

    @property
    def last_fill(self) -> date | None:
        return self.past_services[0].day if self.past_services else None


def days_since(day: date, today: date) -> int:
    """Return whole days since a day, at least 0."""
    return max(0, (today - day).days)


def days(count: int) -> str:
    """Return a number of days in words, such as '1 day' or '30 days'."""
    return f"{count} {'day' if count == 1 else 'days'}"


ENDS_TOO = "Booked fill-ups are cancelled, and a plan ends without a refund."


def closing_words(wait: int) -> str:
    """Say what closing an account does, and when its data goes."""
    return (
        f"Your account is closed and you are signed out everywhere at once. {ENDS_TOO} "
        f"{days(wait)} later we remove your name, e-mail, phone, address and settings. "
        "Until then you can call or write to us to restore the account."
    )
