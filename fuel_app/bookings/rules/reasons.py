"""Reasons for which a fill fails. The fill goes back to the allowance for each of them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason."""

    label: str  # as technicians and customers read it
    costs_fee: bool = False  # the late fee is charged
    needs_note: bool = False  # the technician has to say more


REASONS: Mapping[str, Reason] = {
    "not_found": Reason("Cannot find the car", costs_fee=True),
    "fuel_door": Reason("Fuel door closed or locked", costs_fee=True),
    "no_access": Reason("No access (gate, dog, person)", costs_fee=True),
    "unsafe": Reason("Unsafe place"),
    "wrong_car": Reason("Wrong fuel or vehicle", costs_fee=True),
    "moved_told": Reason("Car moved, and told us"),
    "moved": Reason("Car moved, and did not tell us", costs_fee=True),
    "out_of_product": Reason("Truck out of product"),
    "truck_trouble": Reason("Truck trouble"),
    "weather": Reason("Weather"),
    "other": Reason("Other", needs_note=True),
}
