"""Searches: what few leads match is collected and sorted, what many match is met on a walk.

The indexes of `models/search.py` name leads; each is then compared with the whole term.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import on_sqlite
from fuel_app.leads.queries import postgresql as postgresql_search
from fuel_app.leads.queries import sqlite as sqlite_search
from fuel_app.leads.queries.order import number, of_type, order
from fuel_app.leads.rules import FEW_MATCHES, LeadQuery
from fuel_app.leads.tables import Lead

_search = col(Lead.search)
_AHEAD = 3_000  # leads on a walk


async def matches(session: AsyncSession, query: LeadQuery) -> list[int] | None:
    """The numbers of all leads that the search finds, in order; None if it finds too many."""
    found = await _of(session).few(session, query, FEW_MATCHES)
    if found is None:
        return None
    numbers = (await session.scalars(found)).all()
    return list(numbers) if len(numbers) <= FEW_MATCHES else None


async def common(
    session: AsyncSession, query: LeadQuery, *, offset: int, limit: int
) -> Sequence[int]:
    """The numbers of leads that a search finds which finds many.

    They are met soon along the order, unless they lie together elsewhere in it, as everybody called
    Mary does in the order of names: then the search's own index is asked.
    """
    search, enough = _of(session), offset + limit
    ahead = of_type(select(number, _search), query, on_sqlite=on_sqlite(session))
    near = ahead.order_by(*order(query)).limit(_AHEAD + 10 * enough).subquery()
    met = select(near.c.number).where(search.contains(query.term, near.c.search)).limit(enough)
    numbers = (await session.scalars(met)).all()
    if len(numbers) < enough:
        numbers = await search.far(session, query, enough)
    return numbers[offset:]


def contains(session: AsyncSession, term: str) -> ColumnElement[bool]:
    """Whether a lead is one that a search finds, for a walk: no index answers it."""
    return _of(session).contains(term)


def _of(session: AsyncSession) -> Any:
    return sqlite_search if on_sqlite(session) else postgresql_search
