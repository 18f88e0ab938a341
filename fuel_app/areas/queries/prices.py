"""Queries on fuel prices."""

from datetime import datetime

from sqlalchemy import select, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.areas.rules.grades import GRADES
from fuel_app.areas.rules.prices import PriceRow
from fuel_app.areas.tables import StoredPrice

_id, _area, _grade = col(StoredPrice.id), col(StoredPrice.area_id), col(StoredPrice.grade)
_effective, _created = col(StoredPrice.effective_at), col(StoredPrice.created_at)
_ROW = (
    _grade,
    col(StoredPrice.mills),
    _effective,
    col(StoredPrice.source),
    col(StoredPrice.set_by),
)
_NEWEST = (_effective.desc(), _created.desc(), _id.desc())


async def in_effect(
    session: AsyncSession, area_id: str, at: datetime, *grades: str
) -> list[PriceRow]:
    """Return the price in effect at a moment of each grade that has one."""
    of_area = select(*_ROW).where(_area == area_id, _effective <= at).order_by(*_NEWEST).limit(1)
    each = (of_area.where(_grade == grade).subquery() for grade in grades or GRADES)
    found = await session.execute(union_all(*(select(one) for one in each)))
    return [PriceRow(*row) for row in found]
