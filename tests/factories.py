"""Valid forms, rows and values; a test names only what differs."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from fuel_app.customers.rules.customers import Customer
from fuel_app.customers.rules.locations import LocationForm
from fuel_app.customers.rules.vehicles import OwnVehicle, Vehicle
from fuel_app.kit.clock import NEW_YORK
from fuel_app.preview import samples as customer_sample
from fuel_app.preview.rules import Stop, TimeWindow
from fuel_app.quotes.rules import BusinessQuote, FleetQuote
from fuel_app.waitlist.rules import WaitlistEntry

UNKNOWN_ID = "0f8fad5b-d9cb-469f-a165-70867728950e"  # of no row
_numbers = count(1)


def waitlist_form(**differs: Any) -> dict[str, Any]:
    """Return a waitlist form with an email of its own."""
    form = {
        "first_name": "Ada",
        "last_name": "Lovelace",
        "email": f"ada.{next(_numbers)}@example.com",
        "phone_number": "(941) 555-0123",
        "zip_code": "34236",
    }
    return form | differs


def waitlist_entry(**differs: Any) -> WaitlistEntry:
    return WaitlistEntry.parse(waitlist_form(**differs))


_CONTACT = {
    "first_name": "Ada",
    "last_name": "Lovelace",
    "email": "ada@example.com",
    "phone": "(941) 555-0123",
}
_ADDRESS = {"city": "Sarasota", "state": "FL"}
_LEAD = {"status": "Not Contacted", "lead_source": "Inbound"}
_QUOTE = _LEAD | {
    "company_name": "Analytical Engines",
    "contact_name": "Ada Lovelace",
    "email": "ada@example.com",
    "phone": "9415550123",
    "service_location": "1 Main Street, Sarasota",
    "notes": "",
}
_ROWS: dict[str, dict[str, Any]] = {
    "waitlist_submissions": _LEAD
    | {
        "first_name": "Ada",
        "last_name": "Lovelace",
        "phone_number": "9415550123",
        "zip_code": "34236",
        "neighborhood_id": None,
        "referred_by_id": None,
    },
    "neighborhoods": {"name": "Palm Court", "zip_code": "34236", "pioneer_id": None},
    "fleet_quotes": _QUOTE
    | {
        "vehicle_count": 3,
        "fuel_types": ["Diesel"],
        "fill_frequency": "weekly",
        "estimated_fuel_amount": 40.0,
    },
    "business_quotes": _QUOTE | {"employee_count": 12, "industry": "Construction"},
}


def row(table: str, **differs: Any) -> dict[str, Any]:
    """Return a database row, for tests that bypass the rules."""
    number = next(_numbers)
    own: dict[str, Any] = {"id": str(uuid.uuid4()), "created_at": datetime.now(UTC)}
    if table == "waitlist_submissions":
        own["email"] = f"ada.{number}@example.com"
    if table == "neighborhoods":
        own |= {"name_key": f"palmcourt{number}", "search_name": "palm court"}
    return _ROWS[table] | own | differs


_QUOTE_FORM = {
    "company_name": "Analytical Engines",
    "contact_name": "Ada Lovelace",
    "email": "ada@example.com",
    "phone": "(941) 555-0123",
    "service_location": "1 Main Street, Sarasota",
    "notes": "",
}


def fleet_quote_form(**differs: Any) -> Any:
    own = {
        "vehicle_count": "3",
        "fuel_types": ["diesel"],
        "fill_frequency": "weekly",
        "estimated_fuel_amount": "40.5",
    }
    return _QUOTE_FORM | own | differs


def fleet_quote(**differs: Any) -> FleetQuote:
    return FleetQuote.parse(fleet_quote_form(**differs))


def business_quote_form(**differs: Any) -> dict[str, Any]:
    return _QUOTE_FORM | {"employee_count": "12", "industry": "Construction"} | differs


def business_quote(**differs: Any) -> BusinessQuote:
    return BusinessQuote.parse(business_quote_form(**differs))


def contact_form(**differs: Any) -> dict[str, Any]:
    return _CONTACT | differs


def signup_form(**differs: Any) -> dict[str, Any]:
    return _CONTACT | {"password": "engine-1843"} | differs


def personal_form(**differs: Any) -> dict[str, Any]:
    return _CONTACT | {"address": "1 Main Street"} | _ADDRESS | {"zip_code": "34236"} | differs


def address_form(**differs: Any) -> dict[str, Any]:
    return {"street": "1 Main Street"} | _ADDRESS | {"zip": "34236", "notes": ""} | differs


def vehicle_form(**differs: Any) -> dict[str, Any]:
    form = {
        "make": "Toyota",
        "model": "Camry",
        "year": "2022",
        "color": "Silver",
        "license_plate": "ABC 123",
    }
    return form | differs


def own_vehicle_form(**differs: Any) -> dict[str, Any]:
    own = {"other_make": "", "other_model": "", "tank_tenths": "", "plate_state": "FL"}
    return vehicle_form() | own | {"grade": "regular", "fuel_door": "Unlocked"} | differs


def own_vehicle(*, id: str = "", image: str = "", **differs: Any) -> OwnVehicle:
    return OwnVehicle.parse(own_vehicle_form(**differs), id=id, image=image)


def place_form(**differs: Any) -> dict[str, Any]:
    own = {"unit": "", "zip_code": "34236", "spot": "Driveway", "gate_code": "", "notes": ""}
    return {"street": "1 Main Street"} | _ADDRESS | own | differs


def place(**differs: Any) -> LocationForm:
    return LocationForm.parse(place_form(**differs))


def vehicle(*, id: str = "", image: str = "", **differs: Any) -> Vehicle:
    return Vehicle.parse(vehicle_form(**differs), id=id, image=image)


def customer(**differs: Any) -> Customer:
    """Return the sample customer on 9 March 2026."""
    return replace(customer_sample.customer(datetime(2026, 3, 9, 12, tzinfo=UTC)), **differs)


def stop(**differs: Any) -> Stop:
    """Return a fill-up in Sarasota on a summer's day, at any time from ten o'clock on."""
    number, ten = next(_numbers), datetime(2026, 7, 1, 10, tzinfo=NEW_YORK)
    own: dict[str, Any] = {
        "id": f"stop-{number}",
        "customer": f"Customer {number}",
        "vehicle": "2022 Toyota Camry",
        "address": "1 Main Street, Sarasota",
        "time": ten,
        "window": TimeWindow(ten, ten + timedelta(days=9)),
        "lat": 27.33,
        "lng": -82.5,
    }
    return Stop(**(own | differs))
