"""Questions about the staff's list, each a walk along one index of `leads`."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, func, literal_column, select, text, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.db.models import Lead
from fuel_app.db.session import on_sqlite, reading
from fuel_app.domain.leads import FEW_MATCHES, LeadQuery, LeadRow

_number: Any = col(Lead.number)  # None only until the database has numbered the row
_type, _search = col(Lead.type), col(Lead.search)
_ROW = select(
    _number,
    col(Lead.id),
    _type,
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
# Each is the head of one index, and ends in the number: the order is the same every time.
_KEYS: dict[str, tuple[Any, ...]] = {
    "type": (_type, col(Lead.created_at), _number),
    "status": (col(Lead.shown_status), col(Lead.created_at), _number),
    "date": (col(Lead.created_at), _number),
    "name": (col(Lead.name_key), _number),
    "source": (col(Lead.lead_source), col(Lead.created_at), _number),
}
# For SQLite: the type to read from what another index has found, not to look up in its own.
_type_read = literal_column("+leads.type")
_TRIGRAM = 3
_MOST_TRIGRAMS = 12  # more of them cost time and exclude hardly anything
_BATCH = 2_000


async def count(session: AsyncSession, query: LeadQuery) -> int:
    """How many leads there are of the query's type; one walk along the smallest index."""
    return await session.scalar(_of_type(select(func.count()).select_from(Lead), query)) or 0


async def page(
    session: AsyncSession, query: LeadQuery, *, offset: int, limit: int, total: int
) -> list[LeadRow]:
    """Lines of the list without a search.

    Walks over at most half of it, from the nearer end: O(total / 2) index entries at worst.

    Args:
        total: How many there are of the query's type.
    """
    limit = min(limit, total - offset)
    if limit <= 0:
        return []
    from_end = offset > total // 2
    start = total - offset - limit if from_end else offset
    keys = _order(query, backwards=from_end)
    numbers = _of_type(select(_number), query, ordered=on_sqlite(session))
    found = await session.scalars(numbers.order_by(*keys).limit(limit).offset(start))
    rows = await by_numbers(session, found.all())
    return rows[::-1] if from_end else rows


async def matches(session: AsyncSession, query: LeadQuery) -> list[int] | None:
    """The numbers of all leads that the search finds, in order; None if it finds too many.

    The trigram index names the candidates; each is then compared with the whole term.
    """
    candidates = _candidates(session, query.term)
    if candidates is None:
        return None
    some = select(func.count()).select_from(candidates.limit(FEW_MATCHES + 1).subquery())
    if (await session.scalar(some) or 0) > FEW_MATCHES:
        return None
    # Materialised, or PostgreSQL may walk the sorted index after all.
    few = candidates.cte("few").prefix_with("MATERIALIZED", dialect="postgresql")
    found = select(_number).where(_number.in_(select(few)), _contains(session, query.term))
    if query.type:
        found = found.where((_type_read if on_sqlite(session) else _type) == query.type)
    return list((await session.scalars(found.order_by(*_order(query)))).all())


async def common(
    session: AsyncSession, query: LeadQuery, *, offset: int, limit: int
) -> list[LeadRow]:
    """Lines that a search finds which finds many: walks along the order until it has enough."""
    found = _of_type(select(_number), query, ordered=on_sqlite(session))
    found = found.where(_contains(session, query.term)).order_by(*_order(query))
    numbers = await session.scalars(found.limit(limit).offset(offset))
    return await by_numbers(session, numbers.all())


async def by_numbers(session: AsyncSession, numbers: Sequence[int]) -> list[LeadRow]:
    """These lines, in this order; the ones that are gone are left out."""
    rows = await session.execute(_ROW.where(_number.in_(numbers)))
    known = {row.number: LeadRow(*row) for row in rows}
    return [known[number] for number in numbers if number in known]


async def find(session: AsyncSession, lead_id: str) -> LeadRow | None:
    row = (await session.execute(_ROW.where(col(Lead.id) == lead_id))).first()
    return LeadRow(*row) if row else None


async def by_ids(session: AsyncSession, lead_ids: Sequence[str]) -> list[LeadRow]:
    rows = await session.execute(_ROW.where(col(Lead.id).in_(lead_ids)).order_by(_number))
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
            found = _after(query, last, ordered=on_sqlite(session))
            if query.term:
                found = found.where(_contains(session, query.term))
            rows = (await session.execute(found.limit(batch))).all()
        if not rows:
            return
        yield [LeadRow(*row[: len(_ROW.selected_columns)]) for row in rows]
        last = tuple(rows[-1][len(_ROW.selected_columns) :])


def _after(query: LeadQuery, last: tuple[Any, ...] | None, *, ordered: bool) -> Select[Any]:
    """What comes after the line with these keys."""
    keys = _KEYS[query.sort]
    found = _of_type(_ROW.add_columns(*keys), query, ordered=ordered).order_by(*_order(query))
    if last is None:
        return found
    here = tuple_(*keys)
    return found.where(here < last if query.descending else here > last)


def _order(query: LeadQuery, *, backwards: bool = False) -> list[ColumnElement[Any]]:
    descending = query.descending is not backwards
    return [key.desc() if descending else key.asc() for key in _KEYS[query.sort]]


def _of_type(found: Select[Any], query: LeadQuery, *, ordered: bool = False) -> Select[Any]:
    """Only the query's type.

    Args:
        ordered: Whether SQLite is to walk along the order's own index, which holds the type too;
            it would rather find the type first and then sort hundreds of thousands.
    """
    if not query.type:
        return found
    if ordered and query.sort in {"status", "name", "source"}:
        return found.where(_type_read == query.type)
    return found.where(_type == query.type)


def _contains(session: AsyncSession, term: str) -> ColumnElement[bool]:
    if on_sqlite(session):
        return func.instr(_search, term) > 0
    return _search.contains(term, autoescape=True)


def _candidates(session: AsyncSession, term: str) -> Select[Any] | None:
    """The numbers of the leads that the trigram index names; None if it cannot help."""
    if len(term) < _TRIGRAM:
        return None
    if not on_sqlite(session):
        return select(_number).where(_contains(session, term))
    trigrams = dict.fromkeys(term[at : at + _TRIGRAM] for at in range(len(term) - _TRIGRAM + 1))
    quoted = ['"' + trigram.replace('"', '""') + '"' for trigram in trigrams]
    named = text("SELECT rowid AS number FROM lead_search WHERE lead_search MATCH :trigrams")
    named = named.bindparams(trigrams=" AND ".join(quoted[:_MOST_TRIGRAMS]))
    return select(named.columns(_number).subquery("named").c.number)
