"""The wizards' beginning: a customer's vehicles and places, and what booking still needs."""

from dataclasses import dataclass
from datetime import timedelta

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.queries import bookings as queries
from fuel_app.customers.rules.places import OwnPlace
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.customers.service import facts, places, vehicles
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading
from fuel_app.plans.rules.ledger import GUEST
from fuel_app.plans.service import ledger

_AHEAD = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Beginning:
    """A customer's own vehicles that the plan covers, and places."""

    vehicles: tuple[OwnVehicle, ...]
    places: tuple[OwnPlace, ...]
    has_card: bool
    has_guest_fill: bool  # of the plan, for a car that is not registered
    last_car: str  # the id of the one that was booked last


async def beginning(by: Actor) -> Beginning:
    """Return what a customer's wizard begins with."""
    tomorrow = clock.day_of(clock.now() + _AHEAD)
    async with reading() as session:
        known = await facts.facts(session, by.person_id)
        guest = await ledger.allowance(session, by.person_id, tomorrow, GUEST)
        last = await queries.last_booked(session, by.person_id)
        garage = await vehicles.of_person(session, by.person_id)
        return Beginning(
            tuple(each for each in garage if each.is_active),
            await places.of_person(session, by.person_id),
            known.has_card,
            guest is not None and guest.left > 0,
            queries.booking_of(last).car.id if last else "",
        )
