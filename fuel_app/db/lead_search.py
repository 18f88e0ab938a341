"""Searches: what few leads match is collected and sorted, what many match is met on a walk.

The indexes of `models/search.py` name leads; each is then compared with the whole term.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
    text,
)
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.db import lead_totals
from fuel_app.db.lead_order import keys, number, of_type, order, type_read
from fuel_app.db.models import Lead
from fuel_app.db.session import on_sqlite
from fuel_app.domain.leads import FEW_MATCHES, LeadQuery

_search = col(Lead.search)
_number_read = literal_column("+leads.number", Integer)  # for SQLite: read, not looked up by
_TRIGRAM = 3
_MOST_TRIGRAMS = 12  # more of them cost time and exclude hardly anything
_LAST_SIGN = "\U0010ffff"
_terms = table("lead_search_terms", column("term"), column("doc", Integer))
_SEEN_BY_PG_TRGM = re.compile(r"[a-z0-9]{3}")  # it passes over all other signs
_SAMPLE = 2_000  # leads
_SURELY = 2.5  # times as many as too many: that the sample is so far off does not happen
_AHEAD = 3_000  # leads on a walk
_SORTABLE = 120_000  # leads that SQLite sorts faster than it finds them along an order


async def matches(session: AsyncSession, query: LeadQuery) -> list[int] | None:
    """The numbers of all leads that the search finds, in order; None if it finds too many."""
    if on_sqlite(session):
        if await _count_named(session, query.term, FEW_MATCHES) > FEW_MATCHES:
            return None
        found = _sorted_named(query)
    elif await _is_surely_common(session, query.term):
        return None
    else:
        # For the limit's sake it would read the table, in the hope of finding enough soon.
        await session.execute(text("SET LOCAL enable_seqscan = off"))
        found = _sorted_indexed(query, FEW_MATCHES + 1)
    numbers = (await session.scalars(found)).all()
    return list(numbers) if len(numbers) <= FEW_MATCHES else None


async def common(
    session: AsyncSession, query: LeadQuery, *, offset: int, limit: int
) -> Sequence[int]:
    """The numbers of leads that a search finds which finds many.

    They are met soon along the order, unless they lie together elsewhere in it, as everybody called
    Mary does in the order of names: then the search's own index is asked.
    """
    sqlite = on_sqlite(session)
    enough = offset + limit
    ahead = of_type(select(number, _search), query, on_sqlite=sqlite).order_by(*order(query))
    near = ahead.limit(_AHEAD + 10 * enough).subquery()
    met = select(near.c.number).where(_contains(query.term, sqlite, near.c.search)).limit(enough)
    numbers = (await session.scalars(met)).all()
    if len(numbers) < enough:
        far = await _far_named(session, query) if sqlite else await _far_indexed(session, query)
        numbers = (await session.scalars(far.limit(enough))).all()
    return numbers[offset:]


async def _far_named(session: AsyncSession, query: LeadQuery) -> Select[Any]:
    many = await _count_named(session, query.term, _SORTABLE) > _SORTABLE
    return _along_named(query) if many else _sorted_named(query)


async def _far_indexed(session: AsyncSession, query: LeadQuery) -> Select[Any]:
    # The one question that reads so many leads that a second process is worth starting.
    await session.execute(text("SET LOCAL max_parallel_workers_per_gather = 2"))
    return _sorted_indexed(query)


def contains(session: AsyncSession, term: str) -> ColumnElement[bool]:
    """Whether a lead is one that a search finds, for a walk: no index answers it."""
    return _contains(term, on_sqlite(session))


def _contains(term: str, sqlite: bool, where: Any = _search) -> ColumnElement[bool]:
    return (func.instr if sqlite else func.strpos)(where, term) > 0


async def _count_named(session: AsyncSession, term: str, enough: int) -> int:
    """How many the index names; more than enough are not counted to the end."""
    some = _named(term).limit(enough + 1).subquery()
    return await session.scalar(select(func.count()).select_from(some)) or 0


def _sorted_named(query: LeadQuery) -> Select[Any]:
    """On SQLite: looks at each that the index names, and sorts those that match."""
    found = select(number).where(number.in_(_named(query.term)), _contains(query.term, True))
    return type_read(found, query, on_sqlite=True).order_by(*order(query))


def _along_named(query: LeadQuery) -> Select[Any]:
    """On SQLite: a walk along the order's index that looks only at what the other one names."""
    found = select(number).where(_number_read.in_(_named(query.term)), _contains(query.term, True))
    return of_type(found, query, on_sqlite=True).order_by(*order(query))


def _sorted_indexed(query: LeadQuery, most: int | None = None) -> Select[Any]:
    """On PostgreSQL: found first, or it would walk along the order's index after all."""
    found = select().add_columns(*keys(query)).where(_indexed(query.term))
    if most:  # for the planner, which else hopes to find so many soon without the search's index
        found = found.where(_contains(query.term, False))
    found = type_read(found, query, on_sqlite=False).limit(most).offset(literal_column("0"))
    first = found.subquery("found")  # its OFFSET keeps the order out of it
    by = [key.desc() if query.descending else key.asc() for key in first.c]
    return select(first.c.number).order_by(*by)


def _named(term: str) -> Select[Any]:
    """On SQLite: the numbers of the leads that the index names."""
    if len(term) < _TRIGRAM:
        begins = _terms.c.term.between(term, term + _LAST_SIGN)
        return select(_terms.c.doc.label("number")).where(begins).distinct()
    trigrams = dict.fromkeys(term[at : at + _TRIGRAM] for at in range(len(term) - _TRIGRAM + 1))
    quoted = ['"' + trigram.replace('"', '""') + '"' for trigram in trigrams]
    named = text("SELECT rowid AS number FROM lead_search WHERE lead_search MATCH :trigrams")
    named = named.bindparams(trigrams=" AND ".join(quoted[:_MOST_TRIGRAMS]))
    return select(named.columns(number).subquery("named").c.number)


def _indexed(term: str, where: Any = _search) -> ColumnElement[bool]:
    """On PostgreSQL: what matches, as one of the indexes answers it."""
    if _SEEN_BY_PG_TRGM.search(term):
        return where.contains(term, autoescape=True)
    signs = [sign.replace("\\", "\\\\").replace("'", "''") for sign in term]
    pairs = dict.fromkeys(f"'{one}{two}'" for one, two in pairwise(signs))
    wanted = " & ".join(pairs) or f"'{signs[0]}':*"
    return func.lead_pairs(where).bool_op("@@")(literal(wanted, TSQUERY)) & _contains(
        term, False, where
    )


async def _is_surely_common(session: AsyncSession, term: str) -> bool:
    """Whether far too many match, by a look at some: spares PostgreSQL the index's whole answer."""
    total = await lead_totals.count(session)
    if total <= _SURELY * FEW_MATCHES:
        return False
    share = min(1, _SAMPLE / total)
    some = Lead.__table__.tablesample(func.system(100 * share))  # type: ignore[attr-defined]
    found = select(func.count()).select_from(some).where(_contains(term, False, some.c.search))
    return (await session.scalar(found) or 0) > _SURELY * FEW_MATCHES * share
