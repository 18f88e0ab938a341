"""Where a vehicle stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, TypedDict

from fuel_app.kit import contact
from fuel_app.kit.contact import Cleaner

STREET_MAX = 200
STATE_MAX = 40
NOTES_MAX = 1000


class AddressForm(TypedDict):
    """What the browser sends. `notes` are optional and stay in the browser."""

    street: str
    city: str
    state: str
    zip: str
    notes: str


def _zip(value: object) -> str:
    return contact.zip_code(contact.name("ZIP code")(value))


CLEANERS: Mapping[str, Cleaner] = {
    "street": contact.name("Street", STREET_MAX),
    "city": contact.name("City"),
    "state": contact.name("State", STATE_MAX),
    "zip": _zip,
}


@dataclass(frozen=True, slots=True)
class Address:
    """A valid address in the US."""

    street: str
    city: str
    state: str
    zip: str

    @classmethod
    def parse(cls, form: object) -> Self:
        """Clean and check what was typed.

        Raises:
            InvalidForm: With a message for each field that is not right.
        """
        return cls(**contact.clean_form(form, CLEANERS))
