"""Queries that add, change and remove shifts."""

from typing import Any

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.dispatch.tables import StoredShift
from fuel_app.kit.db.constraints import is_unique_violation
from fuel_app.kit.errors import InvalidForm

ON_SHIFT = "On another shift that day already"


async def store(session: AsyncSession, row: StoredShift, values: dict[str, Any]) -> None:
    """Write a new or a locked shift; a refusal leaves the transaction as it was.

    Raises:
        InvalidForm: If its truck or technician is on another shift that day.
    """
    try:
        async with session.begin_nested():
            row.sqlmodel_update(values)
            session.add(row)
            await session.flush()
    except IntegrityError as error:
        if not is_unique_violation(error):
            raise
        taken = "technician" if "technician_id" in str(error.orig) else "truck"
        raise InvalidForm({taken: ON_SHIFT}) from None


async def remove(session: AsyncSession, shift_id: str) -> None:
    """Delete a locked shift with its stops."""
    await session.execute(delete(StoredShift).where(col(StoredShift.id) == shift_id))
