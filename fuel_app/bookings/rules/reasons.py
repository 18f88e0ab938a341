"""Reasons for which a fill fails. The fill goes back to the allowance for each of them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason."""

    label: str  # as technicians and staff read it
    told: str  # as customers do: 'We could not fill your car: ...'
    costs_fee: bool = False  # the late fee is charged
    needs_note: bool = False  # the technician has to say more


REASONS: Mapping[str, Reason] = {
    "not_found": Reason(
        "Cannot find the car",
        "our technician could not find it",
        costs_fee=True,
    ),
    "fuel_door": Reason(
        "Fuel door closed or locked",
        "the fuel door was closed or locked",
        costs_fee=True,
    ),
    "no_access": Reason(
        "No access (gate, dog, person)",
        "our technician could not get to it, for example past a gate or a dog",
        costs_fee=True,
    ),
    "unsafe": Reason(
        "Unsafe place",
        "it was not safe to fuel it where it stood",
    ),
    "wrong_car": Reason(
        "Wrong fuel or vehicle",
        "the vehicle or its fuel was not the one that was booked",
        costs_fee=True,
    ),
    "moved_told": Reason(
        "Car moved, and told us",
        "it had been moved, as you told us",
    ),
    "moved": Reason(
        "Car moved, and did not tell us",
        "it was not where it was booked, and we were not told",
        costs_fee=True,
    ),
    "out_of_product": Reason(
        "Truck out of product",
        "our truck had run out of fuel",
    ),
    "truck_trouble": Reason(
        "Truck trouble",
        "our truck had a problem",
    ),
    "weather": Reason(
        "Weather",
        "the weather did not allow it",
    ),
    "other": Reason(
        "Other",
        "our technician could not do it this time; please call us to learn more",
        needs_note=True,
    ),
}
_TOLD = {reason.label: reason.told for reason in REASONS.values()}


def told_of(stored: str) -> str:
    """Return a booking's stored reason as customers read it; what staff wrote stays."""
    return _TOLD.get(stored, stored)
