"""One row by its id, as it is stored now: whatever the session has read of it before."""

from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import SQLModel

Row = TypeVar("Row", bound=SQLModel)


async def find_row(
    session: AsyncSession, table: type[Row], row_id: str | None, *, lock: bool = False
) -> Row | None:
    """Return a row, if it is there; `lock` it to change it."""
    if row_id is None:
        return None
    return await session.get(table, row_id, with_for_update=lock, populate_existing=True)


async def get_row(
    session: AsyncSession, table: type[Row], row_id: str, *, lock: bool = False
) -> Row:
    """Return a row that another one of ours names; `lock` it to change it."""
    return await session.get_one(table, row_id, with_for_update=lock, populate_existing=True)
