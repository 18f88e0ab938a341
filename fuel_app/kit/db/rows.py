"""Rows by their ids."""

from collections.abc import Collection
from typing import TypeVar

from sqlalchemy import inspect, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import SQLModel

Row = TypeVar("Row", bound=SQLModel)


async def find_row(
    session: AsyncSession, table: type[Row], row_id: str | None, *, lock: bool = False
) -> Row | None:
    """Return a row as it is stored now, if it is there; `lock` it to change it."""
    if row_id is None:
        return None
    return await session.get(table, row_id, with_for_update=lock, populate_existing=True)


async def get_row(
    session: AsyncSession, table: type[Row], row_id: str, *, lock: bool = False
) -> Row:
    """Return a row that another one of ours names, as `find_row` does."""
    return await session.get_one(table, row_id, with_for_update=lock, populate_existing=True)


async def get_rows(
    session: AsyncSession, table: type[Row], ids: Collection[str], *, lock: bool = False
) -> dict[str, Row]:
    """Return rows by their ids, in that order; `lock` them to change them."""
    (key,) = inspect(table).primary_key
    found = select(table).where(key.in_(ids)).order_by(key)
    rows = await session.scalars(found.with_for_update() if lock else found)
    return {getattr(row, key.name): row for row in rows}
