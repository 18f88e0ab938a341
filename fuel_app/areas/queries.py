"""Queries on service areas."""

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.areas.rules import OPEN, WAITLIST
from fuel_app.areas.tables import Area, AreaZip


async def has_opened(session: AsyncSession) -> bool:
    """Return whether an area has been opened; a paused one counts."""
    return bool(await session.scalar(select(exists().where(col(Area.status) != WAITLIST))))


async def open_area(session: AsyncSession, zip_code: str) -> Area | None:
    """Return the open area of a ZIP."""
    in_it = select(Area).join(AreaZip, col(AreaZip.area_id) == col(Area.id))
    return await session.scalar(
        in_it.where(col(AreaZip.zip_code) == zip_code, col(Area.status) == OPEN)
    )
