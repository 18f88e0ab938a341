"""Counts of leads and neighborhoods, each by one index-only scan."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.dashboard.rules import Counts
from fuel_app.leads.rules import TYPES
from fuel_app.leads.tables import Lead
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.tables import WaitlistSubmission

_type, _status, _created_at = col(Lead.type), col(Lead.shown_status), col(Lead.created_at)
# A column for each type, not a GROUP BY: the count then follows the index.
_EACH_TYPE = [func.count().filter(_type == type_).label(type_) for type_ in TYPES]


async def by_status(session: AsyncSession) -> list[tuple[str, Counts]]:
    """Count the leads of each type for each shown status."""
    rows = await session.execute(select(_status, *_EACH_TYPE).group_by(_status))
    return [(status, dict(zip(TYPES, counts, strict=True))) for status, *counts in rows]


async def since(session: AsyncSession, starts: Sequence[datetime]) -> dict[int, Counts]:
    """Count the leads of each type in the spans that begin at these times.

    Returns:
        Counts by the span's index; spans without leads are left out.
    """
    spans = enumerate(reversed(starts), start=1)
    span = case(*((_created_at >= start, len(starts) - back) for back, start in spans))
    recent = select(span.label("span"), _type).where(_created_at >= starts[0]).subquery()
    counted = select(recent.c.span, recent.c.type, func.count())
    found: defaultdict[int, Counts] = defaultdict(dict)
    for index, type_, leads in await session.execute(
        counted.group_by(recent.c.span, recent.c.type)
    ):
        found[index][type_] = leads
    return dict(found)


async def neighborhoods(session: AsyncSession) -> tuple[int, int]:
    """Count the neighborhoods and their members."""
    member_of = col(WaitlistSubmission.neighborhood_id)
    count = await session.scalar(select(func.count()).select_from(Neighborhood))
    people = await session.scalar(select(func.count()).where(member_of.is_not(None)))
    return count or 0, people or 0
