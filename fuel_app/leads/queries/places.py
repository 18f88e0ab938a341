"""Where in an order of the staff's list a page lies, by what is kept of it (`models/places.py`)."""

from sqlalchemy import ColumnElement, Integer, String, column, func, select, table, true, tuple_
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.leads.queries.order import keys
from fuel_app.leads.rules import LeadQuery
from fuel_app.leads.tables import Lead

_places = table(
    "lead_places",
    column("type", String),
    column("shown_status", String),
    column("lead_source", String),
    column("month", TIMESTAMP(timezone=True)),
    column("initials", String),
    column("leads", Integer),
)
_PART_OF = {"created_at": "month", "name_key": "initials"}  # of all else each value is one


async def part(
    session: AsyncSession, query: LeadQuery, offset: int
) -> tuple[ColumnElement[bool], int]:
    """On PostgreSQL: the part of the order in which a page begins.

    Args:
        offset: How many leads come before the page in ascending order.

    Returns:
        Where a walk in ascending order starts, and how many leads it passes over from there.
    """
    by = [getattr(Lead, key.key) for key in keys(query)[:-1]]
    parts = [_places.columns[_PART_OF.get(str(key.key), str(key.key))] for key in by]
    found = select(*parts, func.sum(_places.c.leads)).group_by(*parts).order_by(*parts)
    found = found.where(parts[-1].is_not(None))
    if query.type:
        found = found.where(_places.c.type == query.type)
    passed = 0
    for *begins, leads in await session.execute(found):
        if passed + leads > offset:
            return tuple_(*(col(key) for key in by)) >= tuple_(*begins), offset - passed
        passed += int(leads)
    return true(), offset
