"""A customer's vehicles."""

from collections.abc import Collection
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.customers.queries import accounts, garage
from fuel_app.customers.rules.vehicles import OwnVehicle, VehicleGone, check_room, room_of
from fuel_app.customers.tables import StoredVehicle
from fuel_app.kit.db.session import transaction
from fuel_app.plans.rules.plans import Plan
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


async def use_instead(person_id: str, vehicle_id: object) -> None:
    """Take a vehicle into the plan; where that is full, the next one after it in the list leaves.

    Raises:
        VehicleGone: If the person has none with its id (any more).
    """
    async with transaction() as session:
        await accounts.locked(session, person_id)
        rows = await garage.of_person(session, StoredVehicle, person_id)
        place = next((n for n, row in enumerate(rows) if row.id == vehicle_id), None)
        if place is None:
            raise VehicleGone
        rows = rows[place:] + rows[:place]  # the last in the list is followed by the first
        active = [row for row in rows[1:] if row.is_active]
        room = room_of(await _plan(session, person_id))
        for other in active[: len(active) + 1 - room]:
            other.is_active = False
        rows[0].is_active = True


async def fit_plan(session: AsyncSession, person_id: str, booked: Collection[str | None]) -> None:
    """Keep as many vehicles active as a plan that has changed covers.

    Args:
        session: Of the transaction that has changed the plan.
        booked: The vehicles with open bookings, which stay first, then those active, the oldest.
    """
    rows = await garage.of_person(session, StoredVehicle, person_id)
    rows.sort(key=lambda row: (row.id not in booked, not row.is_active))
    room = room_of(await _plan(session, person_id))
    for number, row in enumerate(rows):
        row.is_active = number < room


async def _plan(session: AsyncSession, person_id: str) -> Plan | None:
    """Return the plan that was chosen, and keep it until the commit."""
    subscription = await subscriptions.subscription_of(session, person_id, shared=True)
    return subscription.plan if subscription else None


async def _add(session: AsyncSession, person_id: str, vehicle: OwnVehicle) -> str:
    rows = await garage.of_person(session, StoredVehicle, person_id)
    check_room(sum(row.is_active for row in rows), await _plan(session, person_id))
    row = StoredVehicle(person_id=person_id, **_values(vehicle))
    session.add(row)
    await session.flush()
    return row.id


def _vehicle(row: StoredVehicle) -> OwnVehicle:
    values: dict[str, Any] = {"other_make": "", "other_model": ""}
    return OwnVehicle.model_construct(None, **values | row.model_dump(include=_COLUMNS))


def _values(vehicle: OwnVehicle) -> dict[str, Any]:
    given = _COLUMNS - {"is_active"}
    return vehicle.model_dump(include=given if vehicle.id else given - {"id"})
