"""The address at which a vehicle is parked."""

from typing import Annotated

from pydantic import PlainValidator

from fuel_app.kit import contact
from fuel_app.kit.forms import Form, line

STREET_MAX = 200
STATE_MAX = 40
NOTES_MAX = 1000


def _zip(value: object) -> str:
    return contact.zip_code(contact.name("ZIP code")(value))


class Address(Form):
    """The location form: an address in the US."""

    street: Annotated[str, line("Street", STREET_MAX)]
    city: Annotated[str, line("City")]
    state: Annotated[str, line("State", STATE_MAX)]
    zip: Annotated[str, PlainValidator(_zip)]
