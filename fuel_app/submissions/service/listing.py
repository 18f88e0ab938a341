"""Staff look through the leads."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit.db.session import reading
from fuel_app.leads.queries import listing as leads
from fuel_app.leads.queries import search as lead_search
from fuel_app.leads.queries import totals as lead_totals
from fuel_app.leads.rules import COMMON_REACH, FEW_MATCHES, PAGE_SIZE, LeadPage, LeadQuery, pages_of
from fuel_app.submissions.queries import details as lead_details
from fuel_app.submissions.rules.details import LeadDetails
from fuel_app.waitlist.rules import well_formed_id


async def page(query: LeadQuery, number: int) -> LeadPage:
    """One page of the list; a page beyond the end is the last one.

    Args:
        number: From 1.
    """
    async with reading() as session:
        if not query.term:
            return await _plain(session, query, number)
        matches = await lead_search.matches(session, query)
        if matches is None:
            return await _common(session, query, number)
        number = min(number, pages_of(len(matches)))
        start = (number - 1) * PAGE_SIZE
        rows = await leads.by_numbers(session, matches[start : start + PAGE_SIZE])
        return LeadPage(tuple(rows), number, pages_of(len(matches)), len(matches), counted=True)


async def details(lead_id: object) -> LeadDetails | None:
    """All about one lead; None if there is none with that id."""
    known = well_formed_id(lead_id)
    if known is None:
        return None
    async with reading() as session:
        return await lead_details.find(session, known)


async def _plain(session: AsyncSession, query: LeadQuery, number: int) -> LeadPage:
    total = await lead_totals.count(session, query.type)
    number = min(number, pages_of(total))
    start = (number - 1) * PAGE_SIZE
    rows = await leads.page(session, query, offset=start, limit=PAGE_SIZE, total=total)
    return LeadPage(tuple(rows), number, pages_of(total), total, counted=True)


async def _common(session: AsyncSession, query: LeadQuery, number: int) -> LeadPage:
    """A search that finds a great many shows the first of them."""
    number = min(number, pages_of(COMMON_REACH))
    start = (number - 1) * PAGE_SIZE
    numbers = await lead_search.common(session, query, offset=start, limit=PAGE_SIZE)
    rows = await leads.by_numbers(session, numbers)
    return LeadPage(tuple(rows), number, pages_of(COMMON_REACH), FEW_MATCHES, counted=False)
