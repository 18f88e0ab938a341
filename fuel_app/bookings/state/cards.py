"""Estimates, vehicles and places as the screens show them: plain texts."""

import dataclasses
from typing import Self

from fuel_app.areas.rules.prices import age_words
from fuel_app.bookings.rules.estimates import Estimate, Line
from fuel_app.bookings.rules.states import ALLOWANCE
from fuel_app.customers.rules.places import OwnPlace
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.kit import clock
from fuel_app.plans.rules.plans import PLANS


@dataclasses.dataclass(frozen=True)
class PriceCard:
    """An estimate: each part of the price, and the total; empty until there is one."""

    lines: list[Line] = dataclasses.field(default_factory=list)
    total: str = ""  # 'about $52.10'
    source: str = ""
    late_fee: str = ""

    @classmethod
    def of(cls, estimate: Estimate) -> Self:
        age = age_words(estimate.effective_at, clock.now())
        source = f", {estimate.source}" if estimate.source else ""
        return cls(
            lines=[_line(line, estimate) for line in estimate.lines],
            total=f"about {estimate.total}",
            source=f"Price set {age}{source}",
            late_fee=str(estimate.late_fee),
        )


def _line(line: Line, estimate: Estimate) -> Line:
    """Return a part of the price; one that the plan includes says what is left."""
    if estimate.pays_by != ALLOWANCE or line.label != "Convenience fee":
        return line
    fills = next((plan.fills for plan in PLANS if plan.name == estimate.plan_name), 0)
    left = estimate.fills_left
    of = f"{left} of {fills}" if left <= fills else str(left)
    return Line(line.label, f"Included in your plan: {of} fills left")


@dataclasses.dataclass(frozen=True)
class Choice:
    """A vehicle or a place as a radio card."""

    id: str
    title: str
    details: str

    @classmethod
    def of_vehicle(cls, vehicle: OwnVehicle) -> Self:
        details = f"{vehicle.license_plate} · {vehicle.grade.capitalize()} · {vehicle.color}"
        return cls(vehicle.id, vehicle.title, details)

    @classmethod
    def of_place(cls, place: OwnPlace) -> Self:
        unit = f", {place.unit}" if place.unit else ""
        city = f"{place.city}, {place.state} {place.zip_code}"
        return cls(place.id, f"{place.street}{unit}", f"{city} · {place.spot}")
