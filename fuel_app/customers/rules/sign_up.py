"""Signing up as a customer: the forms of the open company, and refusals."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.accounts.rules.passwords import well_formed_password
from fuel_app.areas.rules.places import not_yet
from fuel_app.customers.rules.forms import Contact, Signup, phone_as_written
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import ZipCode

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
