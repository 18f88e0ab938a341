"""Vehicles: the catalogue with tank sizes, the form, and a customer's garage."""

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.kit import contact
from fuel_app.kit.contact import one_of
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, line

# Gallons that a model's tank holds, by make and model.
CATALOGUE: Mapping[str, Mapping[str, float]] = {
    "Toyota": {"Camry": 16, "Corolla": 13.2, "RAV4": 14.5, "Highlander": 17.9, "Tacoma": 21.1},
    "Honda": {"Civic": 12.4, "Accord": 14.8, "CR-V": 14, "Pilot": 19.5, "Odyssey": 19.5},
    "Ford": {"F-150": 26, "Explorer": 19.2, "Escape": 15.7, "Mustang": 16, "Edge": 18.5},
    "Chevrolet": {
        "Silverado": 24,
        "Equinox": 15.6,
        "Malibu": 15.8,
        "Tahoe": 24,
        "Traverse": 19.4,
    },
    "BMW": {"3 Series": 15.6, "5 Series": 18, "X3": 17.2, "X5": 21.9, "X7": 21.9},
}
MODEL_MAX = 40
COLOR_MAX = 30
PLATE_MAX = 12  # eight on most plates, and room for how people write them
FUEL_DOORS = ("Unlocked", "Button inside the car", "Key", "Unlocks with the doors")

_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def models(make: object) -> tuple[str, ...]:
    """Return the models of a make; none of an unknown one."""
    return tuple(CATALOGUE.get(make, ())) if isinstance(make, str) else ()


def _make(label: str) -> PlainValidator:
    return PlainValidator(one_of(label, tuple(CATALOGUE)))


def _model(label: str) -> PlainValidator:
    return PlainValidator(lambda value, info: one_of(label, models(info.data.get("make")))(value))


def _year(missing: str) -> PlainValidator:
    def clean(value: object) -> str:
        typed = contact.text(value)
        if not _YEAR.fullmatch(typed):
            raise ValueError("Valid year required" if typed else missing)
        return typed

    return PlainValidator(clean)


def _plate(value: object) -> str:
    return contact.name("License plate", PLATE_MAX)(value).upper()


class Vehicle(Form):
    """The vehicle form: plate in capitals, image as a `data:` address or empty."""

    make: Annotated[str, _make("Make")]
    model: Annotated[str, _model("Model")]
    year: Annotated[str, _year("Year is required")]
    color: Annotated[str, line("Color", COLOR_MAX)]
    license_plate: Annotated[str, PlainValidator(_plate)]
    id: str = ""
    image: str = ""

    @property
    def estimated_tank_size(self) -> float:
        """Return gallons, by make and model."""
        return CATALOGUE[self.make][self.model]


class OneTimeVehicle(Vehicle):
    """The vehicle form of a one-time fill, in the specification's other wording."""

    make: Annotated[str, _make("Vehicle make")]
    model: Annotated[str, _model("Vehicle model")]
    year: Annotated[str, _year("Valid year required")]
    color: Annotated[str, line("Vehicle color", COLOR_MAX)]


MOST = 10  # with their photos they are the largest thing that a session holds

Garage = tuple[Vehicle, ...]


class GarageFull(Refusal):
    message = f"You can register up to {MOST} vehicles."


def find(garage: Garage, vehicle_id: object) -> Vehicle | None:
    return next((vehicle for vehicle in garage if vehicle.id == vehicle_id), None)


def with_vehicle(garage: Garage, vehicle: Vehicle) -> Garage:
    """Replace the vehicle with this id, else append it.

    Raises:
        GarageFull: If there is no room for one more.
    """
    if find(garage, vehicle.id):
        return tuple(vehicle if each.id == vehicle.id else each for each in garage)
    return put_back(garage, vehicle, len(garage))


def without(garage: Garage, vehicle_id: object) -> Garage:
    return tuple(vehicle for vehicle in garage if vehicle.id != vehicle_id)


def put_back(garage: Garage, vehicle: Vehicle, place: int) -> Garage:
    """Insert a vehicle at its former place.

    Raises:
        GarageFull: If there is no room for it any more.
    """
    if len(garage) >= MOST:
        raise GarageFull
    return (*garage[:place], vehicle, *garage[place:])
