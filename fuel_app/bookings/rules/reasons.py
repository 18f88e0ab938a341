"""Reasons for which a fill fails, and their consequences."""

from collections.abc import Mapping
from dataclasses import dataclass

CUSTOMERS, OURS, NOBODYS = FAULTS = ("customer", "company", "nobody")


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason with its consequences.

    Args:
        label: As technicians and customers read it.
        fault: One of `FAULTS`.
        costs_fee: The late fee is charged.
        returns_fill: The fill goes back to the allowance.
        offers_slot: A new slot is offered.
        needs_note: The technician has to say more.
    """

    label: str
    fault: str
    costs_fee: bool
    returns_fill: bool
    offers_slot: bool
    needs_note: bool = False


def _customers(label: str, *, costs_fee: bool = True) -> Reason:
    return Reason(label, CUSTOMERS, costs_fee, returns_fill=True, offers_slot=True)


def _not_theirs(label: str, fault: str, *, needs_note: bool = False) -> Reason:
    return Reason(label, fault, False, True, True, needs_note)


REASONS: Mapping[str, Reason] = {
    "not_found": _customers("Cannot find the car"),
    "fuel_door": _customers("Fuel door closed or locked"),
    "no_access": _customers("No access (gate, dog, person)"),
    "unsafe": _not_theirs("Unsafe place", NOBODYS),
    "wrong_car": _customers("Wrong fuel or vehicle"),
    "moved_told": _customers("Car moved, and told us", costs_fee=False),
    "moved": _customers("Car moved, and did not tell us"),
    "out_of_product": _not_theirs("Truck out of product", OURS),
    "truck_trouble": _not_theirs("Truck trouble", OURS),
    "weather": _not_theirs("Weather", NOBODYS),
    "other": _not_theirs("Other", NOBODYS, needs_note=True),
}
