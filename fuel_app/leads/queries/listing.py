"""Questions about the staff's list, each a walk along one index of `leads`."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from sqlalchemy import Select, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import on_sqlite, reading
from fuel_app.leads.queries import places as lead_places
from fuel_app.leads.queries.order import keys, number, of_type, order
from fuel_app.leads.queries.search import contains, matches
from fuel_app.leads.rules import LeadQuery, LeadRow
from fuel_app.leads.tables import Lead

_ROW = select(
    number,
    col(Lead.id),
    col(Lead.type),
    col(Lead.status),
    col(Lead.shown_status),
    col(Lead.lead_source),
    col(Lead.created_at),
    col(Lead.name),
    col(Lead.company),
    col(Lead.email),
    col(Lead.phone),
    col(Lead.revision),
)
_BATCH = 2_000
_FAR = 20_000  # leads to walk over


async def page(
    session: AsyncSession, query: LeadQuery, *, offset: int, limit: int, total: int
) -> list[LeadRow]:
    """Lines of the list without a search.

    Walks there from the nearer end: O(total / 2) index entries at worst on SQLite. PostgreSQL takes
    several times as long for each, and walks within a part of the order only: a month or initials.

    Args:
        total: How many there are of the query's type.
    """
    limit = min(limit, total - offset)
    if limit <= 0:
        return []
    beyond = total - offset - limit
    backwards = beyond < offset
    walk = of_type(select(number), query, on_sqlite=on_sqlite(session))
    passed = min(offset, beyond)
    if passed > _FAR and not on_sqlite(session):
        backwards = query.descending
        start, passed = await lead_places.part(session, query, beyond if backwards else offset)
        walk = walk.where(start)
    walk = walk.order_by(*order(query, backwards=backwards)).limit(limit).offset(passed)
    rows = await by_numbers(session, (await session.scalars(walk)).all())
    return rows[::-1] if backwards else rows


async def by_numbers(session: AsyncSession, numbers: Sequence[int]) -> list[LeadRow]:
    """These lines, in this order; the ones that are gone are left out."""
    rows = await session.execute(_ROW.where(number.in_(numbers)))
    known = {row.number: LeadRow(*row) for row in rows}
    return [known[each] for each in numbers if each in known]


async def find(session: AsyncSession, lead_id: str) -> LeadRow | None:
    row = (await session.execute(_ROW.where(col(Lead.id) == lead_id))).first()
    return LeadRow(*row) if row else None


async def by_ids(session: AsyncSession, lead_ids: Sequence[str]) -> list[LeadRow]:
    rows = await session.execute(_ROW.where(col(Lead.id).in_(lead_ids)).order_by(number))
    return [LeadRow(*row) for row in rows]


async def walk(query: LeadQuery, *, batch: int = _BATCH) -> AsyncIterator[list[LeadRow]]:
    """Every line that matches, in order, some at a time, each batch a short look of its own."""
    async with reading() as session:
        numbers = await matches(session, query) if query.term else None
    if numbers is not None:
        for start in range(0, len(numbers), batch):
            async with reading() as session:
                yield await by_numbers(session, numbers[start : start + batch])
        return
    last: tuple[Any, ...] | None = None
    while True:
        async with reading() as session:
            rows = (await session.execute(_after(session, query, last).limit(batch))).all()
        if not rows:
            return
        yield [LeadRow(*row[: len(_ROW.selected_columns)]) for row in rows]
        last = tuple(getattr(rows[-1], key.key) for key in keys(query))


def _after(session: AsyncSession, query: LeadQuery, last: tuple[Any, ...] | None) -> Select[Any]:
    """What comes after the line with these keys."""
    by = keys(query)
    more = [key for key in by if key.key not in _ROW.selected_columns]  # no cell is read twice
    found = of_type(_ROW.add_columns(*more), query, on_sqlite=on_sqlite(session))
    if query.term:
        found = found.where(contains(session, query.term))
    found = found.order_by(*order(query))
    if last is None:
        return found
    here = tuple_(*by)
    return found.where(here < last if query.descending else here > last)
