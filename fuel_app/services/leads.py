"""Staff look through the leads."""

from cachetools import TTLCache
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.db import leads
from fuel_app.db.session import reading
from fuel_app.domain.leads import (
    COMMON_REACH,
    FEW_MATCHES,
    PAGE_SIZE,
    LeadPage,
    LeadQuery,
    LeadRow,
    pages_of,
)

# Only what takes a while to count is remembered, for a moment.
_COUNTED_AT_ONCE = 20_000
_totals: TTLCache[str, int] = TTLCache(maxsize=8, ttl=5)


async def page(query: LeadQuery, number: int) -> LeadPage:
    """One page of the list; a page beyond the end is the last one.

    Args:
        number: From 1.
    """
    async with reading() as session:
        if not query.term:
            return await _plain(session, query, number)
        matches = await leads.matches(session, query)
        if matches is None:
            return await _common(session, query, number)
        number = min(number, pages_of(len(matches)))
        start = (number - 1) * PAGE_SIZE
        rows = await leads.by_numbers(session, matches[start : start + PAGE_SIZE])
        return LeadPage(tuple(rows), number, pages_of(len(matches)), len(matches), counted=True)


async def find(lead_id: str) -> LeadRow | None:
    async with reading() as session:
        return await leads.find(session, lead_id)


async def _plain(session: AsyncSession, query: LeadQuery, number: int) -> LeadPage:
    total = await _total(session, query)
    number = min(number, pages_of(total))
    start = (number - 1) * PAGE_SIZE
    rows = await leads.page(session, query, offset=start, limit=PAGE_SIZE, total=total)
    return LeadPage(tuple(rows), number, pages_of(total), total, counted=True)


async def _common(session: AsyncSession, query: LeadQuery, number: int) -> LeadPage:
    """A search that finds a great many shows the first of them."""
    number = min(number, pages_of(COMMON_REACH))
    start = (number - 1) * PAGE_SIZE
    rows = await leads.common(session, query, offset=start, limit=PAGE_SIZE)
    return LeadPage(tuple(rows), number, pages_of(COMMON_REACH), FEW_MATCHES, counted=False)


async def _total(session: AsyncSession, query: LeadQuery) -> int:
    total = _totals.get(query.type)
    if total is None:
        total = await leads.count(session, query)
        if total > _COUNTED_AT_ONCE:
            _totals[query.type] = total
    return total
