"""Queries that empty or delete what is kept for a time only."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.dispatch.tables import FillPhoto, StoredShift

_UNSYNCED = {"synchronize_session": False}


async def empty_positions(session: AsyncSession, before: datetime) -> None:
    """Empty the positions of technicians that are older."""
    old = update(StoredShift).where(col(StoredShift.position_at) < before)
    emptied = old.values(lat=None, lng=None, position_at=None)
    await session.execute(emptied, execution_options=_UNSYNCED)


async def remove_photos(session: AsyncSession, before: datetime, most: int) -> int:
    """Delete some photos that are older, with their files. Return how many."""
    photo = col(FillPhoto.id)
    old = select(photo).where(col(FillPhoto.taken_at) < before).limit(most)
    removed = delete(FillPhoto).where(photo.in_(old))
    done: Any = await session.execute(removed, execution_options=_UNSYNCED)
    return done.rowcount
