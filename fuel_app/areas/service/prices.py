"""Fuel prices of areas: the price in effect, its history, and setting another one."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.areas.queries import prices as queries
from fuel_app.areas.rules.prices import PriceNow, is_stale
from fuel_app.areas.service.figures import PRICE_DAYS
from fuel_app.kit import figures


async def price_at(
    session: AsyncSession, area_id: str, grade: str, at: datetime
) -> PriceNow | None:
    """Return a grade's price in effect at a moment; None if there is none yet."""
    return (await prices_at(session, area_id, at, grade)).get(grade)


async def prices_at(
    session: AsyncSession, area_id: str, at: datetime, *grades: str
) -> dict[str, PriceNow]:
    """Return the price in effect at a moment by grade, by default of all grades."""
    days = await figures.value(session, PRICE_DAYS)
    newest = await queries.in_effect(session, area_id, at, *grades)
    return {
        row.grade: PriceNow(
            row.mills, row.effective_at, row.source, is_stale(row.effective_at, at, days)
        )
        for row in newest
    }
