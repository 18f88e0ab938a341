"""ZIP codes that leave an open area: the bookings and customers that stand in their way."""

from collections.abc import Mapping
from dataclasses import dataclass

from fuel_app.bookings.rules.bookings import Booking
from fuel_app.customers.rules.listing import Resident
from fuel_app.kit.errors import Refusal


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The bookings and customers in ZIP codes that no open or paused area has any more."""

    bookings: tuple[Booking, ...] = ()
    customers: tuple[Resident, ...] = ()

    @property
    def losing_plans(self) -> tuple[Resident, ...]:
        """Return the customers whose plan ends with its period."""
        return tuple(each for each in self.customers if each.loses_plan)

    @property
    def key(self) -> tuple[str, ...]:
        """Return what an answer refers to."""
        plans = (f"ends:{each.id}" for each in self.losing_plans)
        return (*(each.id for each in (*self.bookings, *self.customers)), *plans)


class ZipsNeedAnswer(Refusal):
    """A change of an area that takes ZIP codes with bookings or customers out of service."""

    def __init__(self, left_out: LeftOut, names: Mapping[str, str]) -> None:
        super().__init__("Customers live in ZIP codes that leave. Say what becomes of bookings.")
        self.left_out, self.names = left_out, names  # by the id of the person


class StillServed(Refusal):
    message = (
        "Undo would take ZIP codes out of service in which customers live. Edit the area instead."
    )
