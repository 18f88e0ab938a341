"""The technician's safety check: everything on it is ticked before fueling."""

from collections.abc import Collection
from dataclasses import dataclass

from fuel_app.kit.errors import Refusal


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at; `label` is what technicians read."""

    id: str
    label: str


CHECKS = (
    Check("engine_off", "The engine is off"),
    Check("no_ignition", "No cigarette, flame or other ignition source is near"),
    Check("no_roof", "The car is not under a roof"),
    Check("no_drain", "No drain within 25 ft is uncovered"),
    Check("extinguisher", "The extinguisher is out"),
    Check("plate", "The license plate matches"),
)


class Unsafe(Refusal):
    """The safety check is not complete; names what is missing."""

    def __init__(self, missing: Collection[Check]) -> None:
        named = "; ".join(each.label for each in missing)
        super().__init__(f"The safety check is not complete: {named}.")


def check(checked: Collection[str]) -> None:
    """Refuse fueling unless everything is ticked.

    Raises:
        Unsafe
    """
    if missing := [each for each in CHECKS if each.id not in checked]:
        raise Unsafe(missing)
