"""Searches in the order of names: who has the term at the beginning of the name lies together.

They are often all that a search finds, a tenth of all leads. The order's index knows where they
begin, the search's index knows the others; so nobody collects and sorts them all.
"""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import on_sqlite
from fuel_app.leads.queries.order import name, number, of_type, order, type_read
from fuel_app.leads.rules import LeadQuery
from fuel_app.leads.tables import Lead

BEGINNING = 4  # letters of a name that the search's indexes know as its beginning
LAST_SIGN = "\U0010ffff"
_MANY = 10_000  # leads

_search = col(Lead.search)


def beginning(query: LeadQuery) -> str:
    """How names begin that a search in their order finds together; '' in another order."""
    return query.term[:BEGINNING] if query.sort == "name" and query.term[BEGINNING - 1 :] else ""


async def by_name(
    session: AsyncSession,
    query: LeadQuery,
    *,
    other: ColumnElement[bool],
    contains: Callable[[str, Any], ColumnElement[bool]],
    most: int,
) -> Sequence[int] | None:
    """The first of what a search in the order of names finds.

    Args:
        other: Whether the search's index names a lead whose name does not begin so.
        contains: Whether a text contains the term.

    Returns:
        None if that is better collected: few names begin so, or many but the first of them do not
        match ('james s'), or many others match.
    """
    sqlite = on_sqlite(session)
    begins = name.between(beginning(query), beginning(query) + LAST_SIGN)
    if not await _are_many(session, select(number).where(begins)):
        return None
    those = of_type(select().add_columns(name, number, _search), query, on_sqlite=sqlite)
    walk = those.where(begins).order_by(*order(query)).limit(_MANY).subquery()
    met = select(walk.c.name_key, walk.c.number).where(contains(query.term, walk.c.search))
    first = (await session.execute(met.limit(most))).all()
    if len(first) < most and await _are_many(
        session, those.with_only_columns(number).where(begins)
    ):
        return None
    others = type_read(select().add_columns(name, number), query, on_sqlite=sqlite)
    others = others.where(other, contains(query.term, _search)).limit(_MANY)
    rows = (await session.execute(others)).all()
    if len(rows) == _MANY:
        return None
    both = sorted((tuple(row) for row in (*first, *rows)), reverse=query.descending)
    return [found for _, found in both[:most]]


async def _are_many(session: AsyncSession, leads: Select[Any]) -> bool:
    some = leads.limit(_MANY).subquery()
    return await session.scalar(select(func.count()).select_from(some)) == _MANY
