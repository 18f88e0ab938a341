"""The audit log of one person, in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fuel_app.accounts.rules import ROLES, Role
from fuel_app.accounts.rules.staff import role_names

_KINDS: Mapping[str, str] = {  # those whose name does not say it
    "sign_in_failed": "Sign-in failed",
    "factor_added": "Second factor added",
    "factor_removed": "Second factor removed",
    "recovery_codes": "New recovery codes",
    "created": "Account created",
    "personal_changed": "Personal information changed",
    "deactivated": "Account deactivated",
    "reactivated": "Account reactivated",
    "deletion_asked": "Account deletion requested",
    "booking_book": "Booked by staff",
    "booking_move": "Booking moved by staff",
    "booking_cancel": "Booking cancelled by staff",
    "booking_complete": "Fill recorded",
    "booking_correct": "Fill corrected",
    "booking_fail": "Could not be filled",
    "booking_charge": "Fuel pumped beside the booking charged",
    "booking_waive": "Fuel pumped beside the booking waived",
    "booking_confirm": "Gallons confirmed",
    "booking_ticket": "Repeated ticket number seen",
}


@dataclass(frozen=True)
class PersonChange:
    """One entry of the audit log about a person, in words."""

    what: str
    before: str
    after: str
    who: str
    when: str


def worded_kind(kind: str) -> str:
    """Return the kind of an entry in words, for the person and the staff alike."""
    return _KINDS.get(kind, kind.replace("_", " ").capitalize())


def worded(values: Mapping[str, Any] | None) -> str:
    """Return stored values in words; ids, which tell a reader nothing, are left out."""
    given = values or {}
    known = {Role(name) for name in given.get("roles", ()) if name in ROLES}
    parts = [
        role_names(known) if known else "No roles" if "roles" in given else "",
        str(given.get("what", "")),
        ", ".join(str(field).replace("_", " ") for field in given.get("fields", ())),
        str(given.get("device", "")),
        str(given.get("network", "")),
    ]
    return ", ".join(filter(None, parts))
