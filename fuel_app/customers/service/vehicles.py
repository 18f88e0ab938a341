"""A customer's vehicles."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.customers.rules.vehicles import OwnVehicle


async def of_person(session: AsyncSession, person_id: str) -> tuple[OwnVehicle, ...]:
    """Return a person's vehicles, oldest first."""
    raise NotImplementedError


async def find(session: AsyncSession, person_id: str, vehicle_id: object) -> OwnVehicle | None:
    """Return one of a person's vehicles; None for an id that is not theirs."""
    raise NotImplementedError
