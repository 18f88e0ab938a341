"""Slots and estimates as the screens show them: plain texts."""

import dataclasses
from typing import Self

from fuel_app.areas.rules.prices import age_words
from fuel_app.bookings.rules.estimates import Estimate, Line
from fuel_app.bookings.rules.slots import SlotDay, SlotOffer, short_when
from fuel_app.bookings.rules.states import ALLOWANCE
from fuel_app.customers.rules.places import OwnPlace
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.kit import clock
from fuel_app.plans.rules.plans import PLANS


@dataclasses.dataclass(frozen=True)
class SlotCard:
    """One window; `note` says what is left, or why it cannot be chosen."""

    id: str
    time: str
    when: str  # with its day, short
    note: str
    is_open: bool

    @classmethod
    def of(cls, slot: SlotOffer) -> Self:
        when = short_when(slot.starts_at, slot.ends_at)
        return cls(slot.id, slot.time, when, slot.note, slot.is_open)


@dataclasses.dataclass(frozen=True)
class DayCard:
    """One day with its windows; `id` is its date."""

    id: str
    name: str  # 'Tuesday, November 24, 2026'
    weekday: str  # 'Tue'
    date: str  # 'Nov 24'
    slots: list[SlotCard]
    is_open: bool

    @classmethod
    def of(cls, day: SlotDay) -> Self:
        date, slots = day.slots[0].day, [SlotCard.of(slot) for slot in day.slots]
        return cls(
            date.isoformat(),
            day.name,
            f"{date:%a}",
            f"{date:%b} {date.day}",
            slots,
            any(slot.is_open for slot in slots),
        )


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
