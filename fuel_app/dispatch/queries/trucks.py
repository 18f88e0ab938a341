"""Queries on trucks."""

from collections.abc import Collection
from datetime import date

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.dispatch.rules.trucks import NAME_TAKEN, TruckGone
from fuel_app.dispatch.tables import StoredShift, StoredTruck
from fuel_app.kit.db.constraints import is_unique_violation
from fuel_app.kit.errors import InvalidForm

_id, _name = col(StoredTruck.id), col(StoredTruck.name)
_is_active = col(StoredTruck.is_active)


async def listing(session: AsyncSession) -> list[StoredTruck]:
    """Return every truck by name, the retired ones last."""
    return list(await session.scalars(select(StoredTruck).order_by(_is_active.desc(), _name, _id)))


async def locked(session: AsyncSession, truck_ids: Collection[str]) -> dict[str, StoredTruck]:
    """Lock trucks, always in the order of their ids, and return those that there are."""
    theirs = select(StoredTruck).where(_id.in_(truck_ids)).order_by(_id).with_for_update()
    return {row.id: row for row in await session.scalars(theirs)}


async def lock(session: AsyncSession, truck_id: str) -> StoredTruck:
    """Lock a truck.

    Raises:
        TruckGone
    """
    rows = await locked(session, [truck_id])
    if truck_id not in rows:
        raise TruckGone
    return rows[truck_id]


async def store(session: AsyncSession, row: StoredTruck) -> None:
    """Write a new or a locked truck.

    Raises:
        InvalidForm: If another truck has the name.
    """
    session.add(row)
    try:
        await session.flush()
    except IntegrityError as error:
        if is_unique_violation(error):
            raise InvalidForm({"name": NAME_TAKEN}) from None
        raise


async def days_ahead(session: AsyncSession, truck_id: str, today: date) -> list[date]:
    """Return the days from today on, on which a truck is on shift."""
    day = col(StoredShift.day)
    theirs = select(day).where(col(StoredShift.truck_id) == truck_id, day >= today)
    return list(await session.scalars(theirs.order_by(day)))
