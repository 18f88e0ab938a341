"""A customer's vehicles."""

from collections.abc import Collection
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.customers.queries import accounts, garage
from fuel_app.customers.rules.vehicles import OwnVehicle, VehicleGone, check_room
from fuel_app.customers.tables import StoredVehicle
from fuel_app.kit.db.session import transaction
from fuel_app.plans.service import subscriptions

_COLUMNS = {*OwnVehicle.model_fields} & {*StoredVehicle.model_fields}


async def of_person(session: AsyncSession, person_id: str) -> tuple[OwnVehicle, ...]:
    """Return a person's vehicles, oldest first."""
    rows = await garage.of_person(session, StoredVehicle, person_id)
    return tuple(_vehicle(row) for row in rows)


async def find_all(
    session: AsyncSession, wanted: Collection[tuple[str, object]]
) -> dict[tuple[str, object], OwnVehicle]:
    """Return vehicles by person and id; ids that are not that person's are left out."""
    rows = await garage.find_all(session, StoredVehicle, wanted)
    return {pair: _vehicle(row) for pair, row in rows.items()}


async def save(person_id: str, vehicle: OwnVehicle) -> str:
    """Save a vehicle: a new one, or in place of the one with its id. Return the id.

    Raises:
        PlanIsFull: If the plan covers no more vehicles.
        VehicleGone: If the person has none with its id (any more).
        AccountGone
    """
    async with transaction() as session:
        await accounts.locked(session, person_id)
        if not vehicle.id:
            return await _add(session, person_id, vehicle)
        row = await garage.find(session, StoredVehicle, person_id, vehicle.id)
        if row is None:
            raise VehicleGone
        row.sqlmodel_update(_values(vehicle))
        return row.id


async def remove(person_id: str, vehicle_id: object) -> None:
    """Remove one of a person's vehicles; ignore an id that is not theirs."""
    async with transaction() as session:
        if row := await garage.find(session, StoredVehicle, person_id, vehicle_id):
            await session.delete(row)


async def restore(person_id: str, vehicle: OwnVehicle) -> None:
    """Undo a removal; its id keeps its place among the others.

    Raises:
        PlanIsFull: If its room has been taken meanwhile.
        AccountGone
    """
    async with transaction() as session:
        await accounts.locked(session, person_id)
        if not await garage.find(session, StoredVehicle, person_id, vehicle.id):
            await _add(session, person_id, vehicle)


async def _add(session: AsyncSession, person_id: str, vehicle: OwnVehicle) -> str:
    rows = await garage.of_person(session, StoredVehicle, person_id)
    subscription = await subscriptions.of(session, person_id)
    check_room(len(rows), subscription.plan if subscription else None)
    row = StoredVehicle(person_id=person_id, **_values(vehicle))
    session.add(row)
    await session.flush()
    return row.id


def _vehicle(row: StoredVehicle) -> OwnVehicle:
    values: dict[str, Any] = {"other_make": "", "other_model": ""}
    return OwnVehicle.model_construct(None, **values | row.model_dump(include=_COLUMNS))


def _values(vehicle: OwnVehicle) -> dict[str, Any]:
    return vehicle.model_dump(include=_COLUMNS if vehicle.id else _COLUMNS - {"id"})
