"""Queries on customers' vehicles and addresses."""

from collections.abc import Collection
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


async def find_all(
    session: AsyncSession, table: type[Stored], wanted: Collection[tuple[str, object]]
) -> dict[tuple[str, object], Stored]:
    """Return rows by person and id; ids that are not that person's are left out."""
    ids = {pair: well_formed_id(pair[1]) or "" for pair in wanted}
    found = select(table).where(col(table.id).in_({*ids.values()}))
    rows = {row.id: row for row in await session.scalars(found)} if ids else {}
    known = ((pair, rows.get(row_id)) for pair, row_id in ids.items())
    return {pair: row for pair, row in known if row and row.person_id == pair[0]}


async def clear_default(session: AsyncSession, person_id: str) -> None:
    theirs = update(StoredAddress).where(col(StoredAddress.person_id) == person_id)
    await session.execute(theirs.values(is_default=False))


async def empty(session: AsyncSession, person_id: str) -> None:
    """Remove a person's vehicles and addresses."""
    for table in (StoredVehicle, StoredAddress):
        await session.execute(delete(table).where(col(table.person_id) == person_id))
