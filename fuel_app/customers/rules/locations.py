"""Locations where a customer's car may stand, as they are typed and saved."""

from typing import Annotated

from pydantic import PlainValidator

from fuel_app.areas.rules.places import Located
from fuel_app.customers.rules.sign_up import NOTES_MAX, STREET_MAX
from fuel_app.customers.rules.vehicles import us_state
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, ZipCode, line

UNIT_MAX = 30
GATE_CODE_MAX = 30
DRIVEWAY, LOT, STREET, COVERED = ALL_SPOTS = (
    "Driveway",
    "Open parking lot",
    "Street",
    "Garage or covered",
)
SPOTS = (DRIVEWAY, LOT, STREET)  # that can be stored; a covered one is refused
MOST_PLACES = 20
NOT_INSIDE = "We cannot fuel inside buildings or covered garages."
NOT_IN_STREETS = "We cannot fuel in the street here. Choose a driveway or an open parking lot."


def _optional(label: str, longest: int) -> PlainValidator:
    return PlainValidator(
        lambda value: contact.name(label, longest)(value) if contact.text(value) else ""
    )


def _spot(value: object) -> str:
    spot = contact.one_of("Where the car is parked", ALL_SPOTS)(value)
    if spot == COVERED:
        raise ValueError(NOT_INSIDE)
    return spot


class LocationForm(Form):
    """An address with all that a technician needs to find the car."""

    street: Annotated[str, line("Street", STREET_MAX)]
    unit: Annotated[str, _optional("Unit", UNIT_MAX)]
    city: Annotated[str, line("City")]
    state: Annotated[str, PlainValidator(us_state)]
    zip_code: ZipCode
    spot: Annotated[str, PlainValidator(_spot)]
    gate_code: Annotated[str, _optional("Gate code", GATE_CODE_MAX)]
    notes: Annotated[str, PlainValidator(contact.lines("Notes", NOTES_MAX))]

    @property
    def postal(self) -> str:
        """Return what finds the building on a map."""
        return f"{self.street}, {self.city}, {self.state} {self.zip_code}"

    @property
    def label(self) -> str:
        """Return the address with its unit, in one line."""
        unit = f", {self.unit}" if self.unit else ""
        return f"{self.street}{unit}, {self.city}, {self.state} {self.zip_code}"


NEW_LOCATION = LocationForm.blank() | {"state": "FL"}  # what an empty form starts with


class OwnLocation(LocationForm):
    """A saved address of a customer."""

    id: str = ""
    lat: float = 0.0
    lng: float = 0.0
    is_approximate: bool = True  # cannot be booked before the pin is set
    is_default: bool = False

    @property
    def located(self) -> Located:
        return Located(self.lat, self.lng, self.is_approximate)


class NotDelivered(Refusal):
    """A ZIP outside every open area."""

    def __init__(self, zip_code: str) -> None:
        super().__init__(f"We do not deliver to {zip_code} yet.")
        self.zip_code = zip_code


class UnknownZip(Refusal):
    message = "We cannot place this ZIP code on the map just now. Please try again later."


class PinTooFar(Refusal):
    message = "The pin is too far from this ZIP code. Put it where the car is parked."


class AddressGone(Refusal):
    message = "This address is not there any more."


class TooManyLocations(Refusal):
    message = f"You can save up to {MOST_PLACES} addresses."
