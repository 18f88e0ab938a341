"""The forms of sign-up and booking: contact, password, address."""

from typing import Annotated

from pydantic import PlainValidator

from fuel_app.kit import contact
from fuel_app.kit.forms import Email, Form, line

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


def _password(value: object) -> None:
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

    password: Annotated[None, PlainValidator(_password)]


def _zip(value: object) -> str:
    return contact.zip_code(contact.name("ZIP code")(value))


class Address(Form):
    """The location form: an address in the US."""

    street: Annotated[str, line("Street", STREET_MAX)]
    city: Annotated[str, line("City")]
    state: Annotated[str, line("State", STATE_MAX)]
    zip: Annotated[str, PlainValidator(_zip)]
