"""Signing up: who it is, and a password that is looked at and not kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, TypedDict

from fuel_app.kit import contact
from fuel_app.kit.contact import Cleaner

PHONE_LEAST = 10  # characters, as written
PHONE_MAX = 40
PASSWORD_LEAST = 8
PASSWORD_MAX = 1000  # far above what anybody types, far below what is slow to hash


class ContactForm(TypedDict):
    """What the browser sends of a person."""

    first_name: str
    last_name: str
    email: str
    phone: str


class SignupForm(ContactForm):
    """The same with a password."""

    password: str


def _phone(value: object) -> str:
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


CONTACT_CLEANERS: Mapping[str, Cleaner] = {
    "first_name": contact.name("First name"),
    "last_name": contact.name("Last name"),
    "email": contact.email,
    "phone": _phone,
}
SIGNUP_CLEANERS: Mapping[str, Cleaner] = {**CONTACT_CLEANERS, "password": _password}


@dataclass(frozen=True, slots=True)
class Contact:
    """A valid person to reach: e-mail lower-cased, phone as written."""

    first_name: str
    last_name: str
    email: str
    phone: str

    @classmethod
    def parse(cls, form: object, cleaners: Mapping[str, Cleaner] = CONTACT_CLEANERS) -> Self:
        """Clean and check what was typed; with `SIGNUP_CLEANERS` the password, too.

        Raises:
            InvalidForm: With a message for each field that is not right.
        """
        values = contact.clean_form(form, cleaners)
        return cls(**{field: values[field] for field in CONTACT_CLEANERS})
