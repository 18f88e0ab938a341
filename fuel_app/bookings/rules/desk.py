"""The phone desk: what staff change for a caller, each time with a reason."""

from collections.abc import Mapping
from typing import Annotated, Any

from fuel_app.billing.rules.corrections import REASON_MAX
from fuel_app.customers.rules.locations import LocationForm, OwnLocation
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Email, Form, Phone, line
from fuel_app.kit.words import counted

Reason = Annotated[str, line("Reason", REASON_MAX)]


class DeskPlace(LocationForm):
    """A customer's address, and why staff change it."""

    reason: Reason


class DeskVehicle(OwnVehicle):
    """A customer's vehicle, and why staff change it."""

    reason: Reason


class NewPhone(Form):
    """Another phone of a customer, and why staff change it."""

    phone: Phone
    reason: Reason


class NewCallersEmail(Form):
    """Another e-mail of a customer, which gets a code, and why staff change it."""

    email: Email
    reason: Reason


class DeskLimitReached(Refusal):
    """As many changes as the actor may make in 24 hours; the message says until when."""


class CodesToPhone(Refusal):
    message = (
        "Codes to sign in go to this phone. The customer changes it when signed in, "
        "under Privacy & Security."
    )


FINDS_CAR = ("unit", "gate_code", "notes", "spot")
IDENTIFIES_CAR = ("make", "model", "year", "color", "license_plate", "plate_state", "fuel_door")
FOLLOWS, STAYS = "follows", "stays"


def place_step(booked: Mapping[str, Any], former: OwnLocation, now: OwnLocation) -> str:
    """Return what a change of a saved place does to a booking, by its copy of the place.

    A booking follows what finds the car at the same address. Another address has another price,
    area and route: the booking stays where it is.
    """
    if any(booked[name] != getattr(former, name) for name in ("street", "city", "zip_code")):
        return ""
    if booked["unit"] != former.unit:
        return ""
    if former.postal != now.postal:
        return STAYS
    return FOLLOWS if carried(booked, former, now) else ""


def carried(booked: Mapping[str, Any], former: OwnLocation, now: OwnLocation) -> dict[str, Any]:
    """Return what of a changed place a booking takes on; a note for this visit alone stays."""
    has_own_note = booked["notes"] != former.notes
    return {
        name: getattr(now, name)
        for name in FINDS_CAR
        if booked[name] != getattr(now, name) and not (name == "notes" and has_own_note)
    }


def vehicle_step(booked: Mapping[str, Any], now: OwnVehicle) -> str:
    """Return what a change of a vehicle does to a booking of it, by its copy of the car.

    Grade and tank, which its price is of, stay as they were booked.
    """
    if booked["grade"] != now.grade:
        return STAYS
    return FOLLOWS if any(booked[name] != getattr(now, name) for name in IDENTIFIES_CAR) else ""


def told(steps: list[str], what: str) -> str:
    """Say what became of the bookings: '1 booked fill-up keeps the former address.'."""
    follows, stays = (steps.count(step) for step in (FOLLOWS, STAYS))
    kept = f"{counted(stays, 'booked fill-up')} {'keeps' if stays == 1 else 'keep'} {what}."
    return " ".join(
        filter(
            None,
            (
                f"Saved. Changed in {counted(follows, 'booked fill-up')}, too."
                if follows
                else "Saved.",
                kept if stays else "",
            ),
        )
    )
