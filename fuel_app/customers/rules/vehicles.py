"""Vehicles that we fill: the catalogue, their tanks, and what makes a vehicle's form right."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypedDict

from fuel_app.kit import contact
from fuel_app.kit.contact import Cleaner
from fuel_app.kit.errors import Refusal

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
COLOR_MAX = 30
PLATE_MAX = 12  # eight on most plates, and room for how people write them

_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


class VehicleForm(TypedDict):
    """What the browser sends."""

    make: str
    model: str
    year: str
    color: str
    license_plate: str


FIELDS = tuple(VehicleForm.__annotations__)


@dataclass(frozen=True, slots=True)
class Wording:
    """What a form says of a field that is left empty, and of a year that is none."""

    missing: Mapping[str, str]
    bad_year: str = "Valid year required"


ACCOUNT = Wording(
    {
        "make": "Make is required",
        "model": "Model is required",
        "year": "Year is required",
        "color": "Color is required",
        "license_plate": "License plate is required",
    }
)
ONE_TIME = Wording(
    {
        "make": "Vehicle make is required",
        "model": "Vehicle model is required",
        "year": "Valid year required",
        "color": "Vehicle color is required",
        "license_plate": "License plate is required",
    }
)


def models(make: object) -> tuple[str, ...]:
    """The models of a make; none of a make that we do not know."""
    return tuple(CATALOGUE.get(make, ())) if isinstance(make, str) else ()


def cleaners(form: object, wording: Wording = ACCOUNT) -> Mapping[str, Cleaner]:
    """The rules of one form as it is filled in: which models there are depends on the make."""
    make = form.get("make") if isinstance(form, Mapping) else None

    def listed(name: str, options: tuple[str, ...]) -> Cleaner:
        def clean(value: object) -> str:
            if value not in options:
                raise ValueError(wording.missing[name])
            return str(value)

        return clean

    def line(name: str, longest: int) -> Cleaner:
        named = contact.name(wording.missing[name].removesuffix(" is required"), longest)
        return lambda value: named(value)

    def year(value: object) -> str:
        typed = contact.text(value)
        if not typed:
            raise ValueError(wording.missing["year"])
        if not _YEAR.fullmatch(typed):
            raise ValueError(wording.bad_year)
        return typed

    plate = line("license_plate", PLATE_MAX)
    return {
        "make": listed("make", tuple(CATALOGUE)),
        "model": listed("model", models(make)),
        "year": year,
        "color": line("color", COLOR_MAX),
        "license_plate": lambda value: plate(value).upper(),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Vehicle:
    """A valid vehicle: plate in capitals, tank in gallons, image as a `data:` address or empty."""

    id: str = ""
    make: str
    model: str
    year: str
    color: str
    license_plate: str
    image: str = ""
    estimated_tank_size: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimated_tank_size", CATALOGUE[self.make][self.model])

    @classmethod
    def parse(
        cls, form: object, *, wording: Wording = ACCOUNT, id: str = "", image: str = ""
    ) -> Self:
        """Clean and check what was typed.

        Raises:
            InvalidForm: With a message for each field that is not right.
        """
        values: dict[str, Any] = contact.clean_form(form, cleaners(form, wording))
        return cls(**values, id=id, image=image)


MOST = 10  # with their photos they are the largest thing that a session holds

Garage = tuple[Vehicle, ...]


class GarageFull(Refusal):
    def __init__(self) -> None:
        super().__init__(f"You can register up to {MOST} vehicles.")


def find(garage: Garage, vehicle_id: object) -> Vehicle | None:
    return next((vehicle for vehicle in garage if vehicle.id == vehicle_id), None)


def with_vehicle(garage: Garage, vehicle: Vehicle) -> Garage:
    """With this vehicle in the place of the one with its id, else at the end.

    Raises:
        GarageFull: If there is no room for one more.
    """
    if find(garage, vehicle.id):
        return tuple(vehicle if each.id == vehicle.id else each for each in garage)
    return put_back(garage, vehicle, len(garage))


def without(garage: Garage, vehicle_id: object) -> Garage:
    return tuple(vehicle for vehicle in garage if vehicle.id != vehicle_id)


def put_back(garage: Garage, vehicle: Vehicle, place: int) -> Garage:
    """With a vehicle where it was before it was deleted.

    Raises:
        GarageFull: If there is no room for it any more.
    """
    if len(garage) >= MOST:
        raise GarageFull
    return (*garage[:place], vehicle, *garage[place:])
