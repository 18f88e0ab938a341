"""Trucks as admins type them, and why one cannot be saved or retired."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Self

from pydantic import PlainValidator

from fuel_app.areas.rules.hours import clean_day
from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
from fuel_app.dispatch.rules.day import Truck
from fuel_app.dispatch.rules.geography import fault
from fuel_app.kit import clock, contact
from fuel_app.kit.contact import ZIP_DIGITS
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form, line

NAME_MAX, PLATE_MAX, METER_MAX, HOME_MAX = 40, 12, 40, 200
MOST_GALLONS = 9_999
DAYS_NAMED = 5
NAME_TAKEN = "There is a truck with this name already"
_GALLONS = re.compile(r"([0-9]{1,4})(?:\.([0-9]))?")


class TruckGone(Refusal):
    message = "This truck is not there any more."


class TruckChanged(Refusal):
    """A concurrent change, which must not be overwritten unseen."""

    message = "Another admin has changed this truck meanwhile. You now see it as it is."


class OnShift(Refusal):
    """A truck with shifts ahead cannot be retired."""

    def __init__(self, days: Sequence[date]) -> None:
        named = [f"{day:%a, %b} {day.day}" for day in days[:DAYS_NAMED]]
        if more := len(days) - len(named):
            named.append(f"{more} more {'day' if more == 1 else 'days'}")
        super().__init__(
            f"This truck is on shift on {'; '.join(named)}. "
            "Remove it from these days on the dispatch board first."
        )


def clean_gallons(value: object) -> int | None:
    """Return the thousandths of a gallon that a tank holds; None for an empty text."""
    typed = contact.text(value).replace(",", "")
    if not typed:
        return None
    found = _GALLONS.fullmatch(typed)
    if not found or not int(found[1]):
        raise ValueError(f"Enter gallons from 1 to {MOST_GALLONS:,}, such as 150")
    return int(found[1]) * 1000 + int(found[2] or 0) * 100


def clean_home(value: object) -> str:
    """Return an address that ends with its ZIP."""
    home = contact.name("Home address", HOME_MAX)(value)
    if not contact.is_zip_code(home[-ZIP_DIGITS:]):
        raise ValueError("End the address with its ZIP, such as 100 Depot Rd, Sarasota, FL 34236")
    return home


class TruckForm(Form):
    """A truck; the tanks are thousandths of a gallon by grade, None for one not on board."""

    name: Annotated[str, line("Name", NAME_MAX)]
    license_plate: Annotated[str, line("License plate", PLATE_MAX)]
    regular: Annotated[int | None, PlainValidator(clean_gallons)]
    plus: Annotated[int | None, PlainValidator(clean_gallons)]
    premium: Annotated[int | None, PlainValidator(clean_gallons)]
    diesel: Annotated[int | None, PlainValidator(clean_gallons)]
    meter_number: Annotated[str, line("Meter number", METER_MAX)]
    meter_sealed_on: Annotated[date, PlainValidator(clean_day)]
    home: Annotated[str, PlainValidator(clean_home)]

    @classmethod
    def parse(cls, sent: object, **known: object) -> Self:
        """Check the fields, and that there is a tank."""
        form = super().parse(sent, **known)
        if not form.tanks:
            raise InvalidForm({GRADES[0]: "Enter the gallons of at least one tank"})
        return form

    @property
    def tanks(self) -> dict[str, int]:
        """Return what the tanks hold, of the grades on board."""
        held = {grade: getattr(self, grade) for grade in GRADES}
        return {grade: milligallons for grade, milligallons in held.items() if milligallons}

    @property
    def zip_code(self) -> str:
        return self.home[-ZIP_DIGITS:]


def check_home(point: Point) -> None:
    """Refuse a home that no route can begin at.

    Raises:
        InvalidForm
    """
    if wrong := fault(point):
        raise InvalidForm({"home": wrong})


def check_seal(form: TruckForm, today: date) -> None:
    """Refuse a seal of a later day.

    Raises:
        InvalidForm
    """
    if form.meter_sealed_on > today:
        raise InvalidForm({"meter_sealed_on": "Enter today or an earlier day"})


def typed(truck: Truck) -> dict[str, str]:
    """Return a truck as it stands in the form's fields."""
    return {
        "name": truck.name,
        "license_plate": truck.license_plate,
        **{grade: gallons(truck.tanks.get(grade, 0)) for grade in GRADES},
        "meter_number": truck.meter_number,
        "meter_sealed_on": truck.meter_sealed_on.isoformat(),
        "home": truck.home,
    }


def gallons(milligallons: int) -> str:
    """Return what a tank holds, such as '150' or '150.5'; '' for no tank."""
    whole, tenths = milligallons // 1000, milligallons // 100 % 10
    shown = f"{whole:,}.{tenths}" if tenths else f"{whole:,}"
    return shown if milligallons else ""


def tanks_text(truck: Truck) -> str:
    """Return what a truck carries, such as 'Regular 300, Diesel 100 gallons'."""
    held = (
        f"{GRADE_LABELS[grade]} {gallons(truck.tanks[grade])}"
        for grade in GRADES
        if grade in truck.tanks
    )
    return f"{', '.join(held)} gallons"


def meter_text(truck: Truck) -> str:
    return f"{truck.meter_number}, sealed {clock.short_date(truck.meter_sealed_on)}"
