"""The phone desk: what staff change for a caller, each time with a reason."""

from collections.abc import Mapping
from typing import Annotated, Any

from fuel_app.billing.rules.corrections import REASON_MAX
from fuel_app.bookings.rules.estimates import expected_milligallons
from fuel_app.bookings.rules.states import BOOKED, DISPATCHED, WEATHER_HOLD
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
# Nobody is on the way yet: a moved pin leads there.
NOT_BEGUN = (BOOKED, DISPATCHED, WEATHER_HOLD)


def place_step(booked: Mapping[str, Any], former: OwnLocation, now: OwnLocation) -> str:
    """Return what a change of a saved place does to a booking, by its copy of the place.

    A booking follows what finds the car at the same address. Another address has another price,
    area and route: the booking stays where it is.
    """
    if not is_at(booked, former):
        return ""
    if former.postal != now.postal:
        return STAYS
    return FOLLOWS if carried(booked, former, now) else ""


def is_at(booked: Mapping[str, Any], place: OwnLocation) -> bool:
    """Return whether a booking, by its copy of the place, is at a saved address."""
    return all(
        booked[name] == getattr(place, name) for name in ("street", "city", "zip_code", "unit")
    )


def moved_pin(booked: Mapping[str, Any], place: OwnLocation) -> dict[str, Any]:
    """Return what a booking takes on of a saved address whose pin has moved; nothing elsewhere."""
    pin = place.located._asdict()
    is_other = any(booked.get(name) != value for name, value in pin.items())
    return pin if is_at(booked, place) and is_other else {}


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

    Another grade has another price and perhaps another truck: car and grade stay as they were
    booked. A tank of another size follows: its price is by the gallon, and the technician is asked
    about more than it holds.
    """
    if booked["grade"] != now.grade:
        return STAYS
    names = (*IDENTIFIES_CAR, "tank_tenths")
    return FOLLOWS if any(booked[name] != getattr(now, name) for name in names) else ""


def car_values(
    booked: Mapping[str, Any], estimated_milligallons: int, now: OwnVehicle
) -> dict[str, Any]:
    """Return the columns of a booking that follows a change of its vehicle.

    What is expected of a tank that was never filled follows, the average of former fills stays.
    """
    car = {**booked, **{name: getattr(now, name) for name in (*IDENTIFIES_CAR, "tank_tenths")}}
    if estimated_milligallons != expected_milligallons(None, booked["tank_tenths"]):
        return {"vehicle": car}
    return {
        "vehicle": car,
        "estimated_milligallons": expected_milligallons(None, now.tank_tenths),
    }


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
