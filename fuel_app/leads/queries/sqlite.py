"""What the search's index on SQLite, FTS5, says of a search (`lead_search.py`)."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    column,
    func,
    literal_column,
    select,
    table,
    text,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.leads.queries.names import LAST_SIGN, beginning, by_name
from fuel_app.leads.queries.order import number, of_type, order, type_read
from fuel_app.leads.rules import LeadQuery
from fuel_app.leads.tables import Lead

_search = col(Lead.search)
_number_read = literal_column("+leads.number", Integer)  # read, not looked up by
_TRIGRAM = 3
_MOST_TRIGRAMS = 12  # more of them cost time and exclude hardly anything
_terms = table("lead_search_terms", column("term"), column("doc", Integer))
_BETWEEN = "\2"
_SORTABLE = 120_000  # leads that are sorted faster than they are found along an order


async def few(session: AsyncSession, query: LeadQuery, most: int) -> Select[Any] | None:
    """All that are found, in order; None if the index names more than so many."""
    if await _count(session, _named(query.term), most) > most:
        return None
    return _sorted(query)


async def far(session: AsyncSession, query: LeadQuery, most: int) -> Sequence[int]:
    """So many of what is found, in order, and is not met soon along it."""
    if begins := beginning(query):
        other = number.in_(_named(query.term, begins))
        found = await by_name(session, query, other=other, contains=contains, most=most)
        if found is not None:
            return found
    many = await _count(session, _named(query.term), _SORTABLE) > _SORTABLE
    return (await session.scalars((_along if many else _sorted)(query).limit(most))).all()


def contains(term: str, where: Any = _search) -> ColumnElement[bool]:
    return func.instr(where, term) > 0


async def _count(session: AsyncSession, named: Select[Any], enough: int) -> int:
    """How many the index names; more than enough are not counted to the end."""
    some = named.limit(enough + 1).subquery()
    return await session.scalar(select(func.count()).select_from(some)) or 0


def _sorted(query: LeadQuery) -> Select[Any]:
    """Looks at each that the index names, and sorts those that match."""
    found = select(number).where(number.in_(_named(query.term)), contains(query.term))
    return type_read(found, query, on_sqlite=True).order_by(*order(query))


def _along(query: LeadQuery) -> Select[Any]:
    """A walk along the order's index that looks only at what the search's index names."""
    found = select(number).where(_number_read.in_(_named(query.term)), contains(query.term))
    return of_type(found, query, on_sqlite=True).order_by(*order(query))


def _named(term: str, begins: str = "") -> Select[Any]:
    """The numbers of the leads that the index names, but for those whose names begin so."""
    if len(term) < _TRIGRAM:
        short = _terms.c.term.between(term, term + LAST_SIGN)
        return select(_terms.c.doc.label("number")).where(short).distinct()
    trigrams = dict.fromkeys(term[at : at + _TRIGRAM] for at in range(len(term) - _TRIGRAM + 1))
    wanted = _all(*list(trigrams)[:_MOST_TRIGRAMS])
    if begins:  # as `models/search.py` writes it
        wanted += f" NOT ({_all(begins[:2] + _BETWEEN, _BETWEEN + begins[2:])})"
    named = text("SELECT rowid AS number FROM lead_search WHERE lead_search MATCH :wanted")
    return select(named.bindparams(wanted=wanted).columns(number).subquery("named").c.number)


def _all(*trigrams: str) -> str:
    return " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in trigrams)
