"""Guests as staff look them up: by what a caller says, each by the e-mail of their bookings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fuel_app.bookings.rules.bookings import Booking
from fuel_app.customers.rules.vehicles import bare_plate
from fuel_app.kit.contact import PHONE_DIGITS
from fuel_app.kit.search import searchable

_OF_CONTACT = ("first_name", "last_name", "email")
_OF_PLACE = ("street", "unit", "city", "zip_code")


def search_text(contact: Mapping[str, Any], plates: Iterable[str], place: Mapping[str, Any]) -> str:
    """Return what a guest's booking is found by: name, e-mail, phone, plates and address."""
    found_by = [contact.get(name, "") for name in _OF_CONTACT]
    found_by.append(guest_phone(contact))
    found_by += map(bare_plate, plates)
    found_by += [place.get(name, "") for name in _OF_PLACE]
    return searchable(" ".join(found_by))


def guest_phone(contact: Mapping[str, Any]) -> str:
    """Return the digits of a guest's phone."""
    return "".join(filter(str.isdigit, contact.get("phone", "")))[-PHONE_DIGITS:]


@dataclass(frozen=True, slots=True)
class GuestFound:
    """A guest whom a search has found: the last booking that it finds, and how many they are."""

    booking: Booking
    count: int


@dataclass(frozen=True, slots=True)
class GuestBookings:
    """All bookings of one guest: those to come, the soonest first, then those that have ended."""

    last: Booking  # made last, with the contact that holds
    upcoming: tuple[Booking, ...]
    ended: tuple[Booking, ...]
