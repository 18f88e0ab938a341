"""Queries on customers' vehicles and addresses."""

from typing import TypeVar

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.customers.tables import StoredAddress, StoredVehicle
from fuel_app.kit.ids import well_formed_id

Stored = TypeVar("Stored", StoredVehicle, StoredAddress)


async def of_person(session: AsyncSession, table: type[Stored], person_id: str) -> list[Stored]:
    """Return a person's rows, oldest first."""
    theirs = select(table).where(col(table.person_id) == person_id)
    return list(await session.scalars(theirs.order_by(col(table.id))))


async def find(
    session: AsyncSession, table: type[Stored], person_id: str, row_id: object
) -> Stored | None:
    """Return one of a person's rows; None for an id that is not theirs."""
    theirs = select(table).where(col(table.person_id) == person_id)
    return await session.scalar(theirs.where(col(table.id) == (well_formed_id(row_id) or "")))


async def clear_default(session: AsyncSession, person_id: str) -> None:
    theirs = update(StoredAddress).where(col(StoredAddress.person_id) == person_id)
    await session.execute(theirs.values(is_default=False))


async def empty(session: AsyncSession, person_id: str) -> None:
    """Remove a person's vehicles and addresses."""
    for table in (StoredVehicle, StoredAddress):
        await session.execute(delete(table).where(col(table.person_id) == person_id))
