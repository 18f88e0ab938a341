"""What the search's indexes on PostgreSQL say of a search (`lead_search.py`)."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, Select, func, literal, literal_column, select, text
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.leads.queries import totals as lead_totals
from fuel_app.leads.queries.names import beginning, by_name
from fuel_app.leads.queries.order import keys, name, type_read
from fuel_app.leads.rules import LeadQuery
from fuel_app.leads.tables import Lead

_search = col(Lead.search)
_SEEN_BY_PG_TRGM = re.compile(r"[a-z0-9]{3}")  # it passes over all other signs
# For a limit's sake it would read the table, in the hope of finding enough soon.
_BY_THE_INDEX = text("SET LOCAL enable_seqscan = off")
_SAMPLE = 2_000  # leads
_SURELY = 2.5  # times as many as too many: that the sample is so far off does not happen


async def few(session: AsyncSession, query: LeadQuery, most: int) -> Select[Any] | None:
    """What is found, in order; one more if it is more than so many, None if it surely is."""
    if await _is_surely_common(session, query.term, most):
        return None
    await session.execute(_BY_THE_INDEX)
    return _sorted(query, most + 1)


async def far(session: AsyncSession, query: LeadQuery, most: int) -> Sequence[int]:
    """So many of what is found, in order, and is not met soon along it."""
    if begins := beginning(query):
        await session.execute(_BY_THE_INDEX)
        other = _lexemes(query.term, begins)
        found = await by_name(session, query, other=other, contains=contains, most=most)
        if found is not None:
            return found
    # The one question that reads so many leads that a second process is worth starting.
    await session.execute(text("SET LOCAL max_parallel_workers_per_gather = 2"))
    return (await session.scalars(_sorted(query).limit(most))).all()


def contains(term: str, where: Any = _search) -> ColumnElement[bool]:
    return func.strpos(where, term) > 0


def _sorted(query: LeadQuery, most: int | None = None) -> Select[Any]:
    """Found first, or it would walk along the order's index after all."""
    found = select().add_columns(*keys(query)).where(_indexed(query.term))
    if most:  # for the planner, which else hopes to find so many soon without the search's index
        found = found.where(contains(query.term))
    first = _apart(type_read(found, query, on_sqlite=False).limit(most))
    by = [key.desc() if query.descending else key.asc() for key in first.c]
    return select(first.c.number).order_by(*by)


def _apart(found: Select[Any]) -> Any:
    """Its OFFSET keeps the order of what is around it out of it."""
    return found.offset(literal_column("0")).subquery("found")


def _indexed(term: str) -> ColumnElement[bool]:
    """What matches, as one of the indexes answers it."""
    if _SEEN_BY_PG_TRGM.search(term):
        return _search.contains(term, autoescape=True)
    return _lexemes(term) & contains(term)


def _lexemes(
    term: str, begins: str = "", where: tuple[Any, Any] = (_search, name)
) -> ColumnElement[bool]:
    """Whether a text may hold the term, and the name does not begin so (`models/search.py`)."""
    pairs = dict.fromkeys(f"'{_quoted(one)}{_quoted(two)}'" for one, two in pairwise(term))
    wanted = " & ".join(pairs) or f"'{_quoted(term)}':*"
    if begins:
        wanted += f" & !'\1{''.join(map(_quoted, begins))}'"
    return func.lead_lexemes(*where).bool_op("@@")(literal(wanted, TSQUERY))


def _quoted(sign: str) -> str:
    return sign.replace("\\", "\\\\").replace("'", "''")


async def _is_surely_common(session: AsyncSession, term: str, most: int) -> bool:
    """Whether far too many match, by a look at some: spares PostgreSQL the index's whole answer."""
    total = await lead_totals.count(session)
    if total <= _SURELY * most:
        return False
    share = min(1, _SAMPLE / total)
    some = Lead.__table__.tablesample(func.system(100 * share))  # type: ignore[attr-defined]
    found = select(func.count()).select_from(some).where(contains(term, some.c.search))
    return (await session.scalar(found) or 0) > _SURELY * most * share
