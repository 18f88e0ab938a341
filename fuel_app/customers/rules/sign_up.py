"""Signing up: the links that lead there, the forms of contact, password and address, refusals."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.accounts.rules.passwords import well_formed_password
from fuel_app.areas.rules.places import not_yet
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Email, Form, ZipCode, line
from fuel_app.neighborhoods.rules import NeighborhoodSummary, Tier, tier_for

STREET_MAX = 200
STATE_MAX = 40
NOTES_MAX = 1000
PHONE_LEAST = 10  # characters, as written
PHONE_MAX = 40
PASSWORD_LEAST = 8
PASSWORD_MAX = 1000  # far above what people type, far below what is slow to hash


def phone_as_written(value: object) -> str:
    typed = contact.text(value)
    if len(typed) < PHONE_LEAST:
        raise ValueError(f"Phone number must be at least {PHONE_LEAST} digits")
    if len(typed) > PHONE_MAX:
        raise ValueError(f"Phone number must be {PHONE_MAX} characters or fewer")
    return typed


def _preview_password(value: object) -> None:
    typed = value if isinstance(value, str) else ""
    if len(typed) < PASSWORD_LEAST:
        raise ValueError(f"Password must be at least {PASSWORD_LEAST} characters")
    if len(typed) > PASSWORD_MAX:
        raise ValueError(f"Password must be {PASSWORD_MAX} characters or fewer")


class Contact(Form):
    """The contact form of a one-time fill: e-mail lower-cased, phone as written."""

    first_name: Annotated[str, line("First name")]
    last_name: Annotated[str, line("Last name")]
    email: Email
    phone: Annotated[str, PlainValidator(phone_as_written)]


class Signup(Contact):
    """The contact form of sign-up; the parsed value has no password."""

    password: Annotated[None, PlainValidator(_preview_password)]


def _zip(value: object) -> str:
    return contact.zip_code(contact.name("ZIP code")(value))


class Address(Form):
    """The location form: an address in the US."""

    street: Annotated[str, line("Street", STREET_MAX)]
    city: Annotated[str, line("City")]
    state: Annotated[str, line("State", STATE_MAX)]
    zip: Annotated[str, PlainValidator(_zip)]


VERIFY_FORM = "verify"
PASSWORD_AGAIN = "Please type your password again"  # noqa: S105 (a message)


def _phone(value: object) -> str:
    return contact.phone(phone_as_written(value))


def _password(value: object) -> None:
    well_formed_password(value)


class NewContact(Contact):
    """The contact form of an account: phone as 10 digits, ZIP as 5."""

    phone: Annotated[str, PlainValidator(_phone)]
    zip_code: ZipCode


class NewAccount(NewContact):
    """With a password, of which the parsed value holds nothing."""

    password: Annotated[None, PlainValidator(_password)]


@dataclass(frozen=True, slots=True)
class Beginning:
    """The start of a sign-up. In a preview it opens no account, and asks for no ZIP."""

    contact: Mapping[str, str]
    password: str
    opens_account: bool

    def rules(self, *, password: bool) -> type[Contact]:
        """Return the rules of the contact step, with or without a password."""
        if self.opens_account:
            return NewAccount if password else NewContact
        return Signup if password else Contact


PREVIEW = Beginning({}, "", opens_account=False)


class NotServed(Refusal):
    """A ZIP outside the open areas."""

    def __init__(self, zip_code: str) -> None:
        super().__init__(not_yet(zip_code))


class UnknownPlan(Refusal):
    """A forged value that no card offers."""

    message = "Please choose a plan."


# The parameters of a link to the sign-up, and the names under which ids are kept.
INVITED, REFERRER, NEIGHBORHOOD = PARAMETERS = ("invited", "ref", "neighborhood")


@dataclass(frozen=True, slots=True)
class Arrival:
    """The checked parts of a link: ids by parameter, and values for the contact step.

    Args:
        promises: What comes along from the waitlist, a sentence each.
        is_used: The invitation belongs to an account already.
    """

    comes_from: Mapping[str, str] = field(default_factory=dict)
    contact: Mapping[str, str] = field(default_factory=dict)
    promises: tuple[str, ...] = ()
    is_used: bool = False


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
