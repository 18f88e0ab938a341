"""What staff can book for a customer."""

from fuel_app.accounts.rules import Actor, Role
from fuel_app.customers.rules.places import OwnPlace
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.customers.service import places, vehicles
from fuel_app.kit.db.session import reading


async def choices(
    actor: Actor, customer_id: str
) -> tuple[tuple[OwnVehicle, ...], tuple[OwnPlace, ...]]:
    """Return a customer's vehicles and saved places.

    Raises:
        NotAllowed
    """
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        cars = await vehicles.of_person(session, customer_id)
        return cars, await places.of_person(session, customer_id)
