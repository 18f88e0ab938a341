"""The staff's list of leads: writing, pages, and substring search."""

from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import date, datetime
from itertools import pairwise
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    and_,
    case,
    column,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    table,
    tuple_,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit import clock, contact
from fuel_app.kit.db.session import on_sqlite, reading
from fuel_app.kit.lists import Page, pages_of
from fuel_app.leads import rules as leads
from fuel_app.leads.rules import LeadQuery, LeadRow, Search
from fuel_app.leads.tables import Lead, LeadNote

_NAME_KEY_MAX = 200
_TRIGRAM = 3  # characters; the search indexes have no shorter ones
_NEAR = 5_000  # leads at the head of the order, in which a common search looks first
_BATCH = 2_000

_indexed = table("lead_search", column("rowid", Integer))  # on SQLite

_number: Any = col(Lead.number)  # None only until the database has numbered the row
_type, _search, _created_at = col(Lead.type), col(Lead.search), col(Lead.created_at)
_status, _zip_code = col(Lead.status), col(Lead.zip_code)
_owner, _next_on = col(Lead.owner_id), col(Lead.next_step_on)
_is_quote = _type.in_(leads.QUOTES)
_is_open = _status.not_in((leads.WON, leads.LOST))
_note_lead, _note_kind = col(LeadNote.lead_id), col(LeadNote.kind)
_UNANSWERED = and_(
    _is_quote,
    _status.not_in(leads.ANSWERED),
    ~select(_note_lead)
    .where(_note_lead == col(Lead.id), _note_kind.in_((leads.CALL, leads.MAIL)))
    .correlate(Lead)
    .exists(),
)
# Each sort but that by the answer is the head of an index. All end in the number: the order is the
# same every time.
_KEYS: dict[str, tuple[Any, ...]] = {
    "type": (_type, _created_at, _number),
    "status": (col(Lead.shown_status), _created_at, _number),
    "date": (_created_at, _number),
    "name": (col(Lead.name_key), _number),
    "source": (col(Lead.lead_source), _created_at, _number),
    # An answer is due in the order in which quotes came.
    "due": (case((_UNANSWERED, 0), else_=1).label("answered"), _created_at, _number),
}
_COLUMNS = [field.name for field in fields(LeadRow) if field.name != "unanswered"]
_ROW = select(*[col(getattr(Lead, name)) for name in _COLUMNS], _UNANSWERED.label("unanswered"))


def row(
    lead_type: leads.LeadType,
    own: Mapping[str, Any],
    *,
    name: str,
    phone: str,
    company: str = "",
    zip_code: str = "",
) -> dict[str, Any]:
    """Return the values of one lead's row; `own` holds the columns of its own table."""
    shared = {key: own[key] for key in ("id", "status", "lead_source", "created_at", "email")}
    return shared | {
        "type": lead_type,
        "shown_status": leads.shown_status(lead_type, own["status"]),
        "name": name,
        "name_key": leads.fold(name)[:_NAME_KEY_MAX],
        "company": company,
        "phone": phone,
        "zip_code": zip_code,
        "search": leads.search_text(name, company, own["email"], phone, zip_code),
        "revision": 0,
        "import_id": None,
        "owner_id": None,
        "next_step": "",
        "next_step_on": None,
        **leads.NOT_SAID,
    }


async def add(session: AsyncSession, *rows: dict[str, Any]) -> None:
    """Store leads, in the transaction that stores their submissions."""
    await session.execute(insert(Lead), rows)


async def remove(session: AsyncSession, lead_id: str) -> None:
    await session.execute(delete(Lead).where(col(Lead.id) == lead_id))


async def find(session: AsyncSession, lead_id: str) -> LeadRow | None:
    row = (await session.execute(_ROW.where(col(Lead.id) == lead_id))).first()
    return LeadRow(*row) if row else None


async def by_ids(
    session: AsyncSession, lead_ids: Sequence[str], query: LeadQuery | None = None
) -> list[LeadRow]:
    """Return these leads; with a query, those of them that match it."""
    statement: Any = _ROW.where(col(Lead.id).in_(lead_ids)).order_by(_number)
    if query:
        statement = matching(session, statement, query)
    return [LeadRow(*row) for row in await session.execute(statement)]


async def page(session: AsyncSession, query: LeadQuery) -> Page[LeadRow]:
    """Return one page of the list; a page beyond the end is the last one."""
    if query.search.words:
        return await _search_page(session, query, query.page)
    counted = select(func.count()).select_from(Lead).where(*_narrowed(query))
    if query.type:
        counted = counted.where(_type == query.type)
    total = await session.scalar(counted) or 0
    shown = min(query.page, pages_of(total, leads.PAGE_SIZE))
    if total <= leads.FEW_MATCHES:
        few = _matching(session, query).subquery()
        statement = select(few.c.number).order_by(*_order(query, few.c))
    else:
        statement = _filtered(session, select(_number), query).order_by(*_order(query))
    statement = statement.limit(leads.PAGE_SIZE).offset((shown - 1) * leads.PAGE_SIZE)
    rows = await _by_numbers(session, (await session.scalars(statement)).all())
    return Page(rows, shown, pages_of(total, leads.PAGE_SIZE), total)


async def _search_page(session: AsyncSession, query: LeadQuery, page_number: int) -> Page[LeadRow]:
    some = _matching(session, query, leads.FEW_MATCHES + 1).subquery()
    matches = select(some.c.number, func.count().over()).order_by(*_order(query, some.c))
    start = (page_number - 1) * leads.PAGE_SIZE
    rows = (await session.execute(matches.limit(leads.PAGE_SIZE).offset(start))).all()
    if not rows and page_number > 1:
        total = await session.scalar(select(func.count()).select_from(some)) or 0
        return await _search_page(session, query, pages_of(total, leads.PAGE_SIZE))
    total = rows[0][1] if rows else 0
    if total <= leads.FEW_MATCHES:
        shown = await _by_numbers(session, [number for number, _ in rows])
        return Page(shown, page_number, pages_of(total, leads.PAGE_SIZE), total)
    pages = pages_of(leads.COMMON_REACH, leads.PAGE_SIZE)
    page_number = min(page_number, pages)
    numbers = await _first_matches(session, query, page_number * leads.PAGE_SIZE)
    shown = await _by_numbers(session, numbers[(page_number - 1) * leads.PAGE_SIZE :])
    return Page(shown, page_number, pages, leads.FEW_MATCHES, counted=False)


async def _first_matches(session: AsyncSession, query: LeadQuery, limit: int) -> Sequence[int]:
    """Return the numbers of the first leads that a common search finds.

    Most often they are near the head of the order. If not, all matches are fetched and sorted.
    """
    near = _filtered(session, select().add_columns(*_KEYS[query.column], _search), query)
    near = near.order_by(*_order(query)).limit(_NEAR).subquery()
    met = select(near.c.number).where(_contains(query, near.c.search))
    numbers = (await session.scalars(met.order_by(*_order(query, near.c)).limit(limit))).all()
    if len(numbers) == limit:
        return numbers
    all_ = _matching(session, query).subquery()
    statement = select(all_.c.number).order_by(*_order(query, all_.c)).limit(limit)
    return (await session.scalars(statement)).all()


def _matching(session: AsyncSession, query: LeadQuery, limit: int | None = None) -> Select[Any]:
    """Select the sort keys of matching leads, in no order; by the search index where possible."""
    statement = _filtered(session, select().add_columns(*_KEYS[query.column]), query)
    wanted = _indexed_terms(query.search) if on_sqlite(session) else ""
    if wanted:
        match = literal_column("lead_search").bool_op("MATCH")(wanted)
        statement = statement.join(_indexed, _indexed.c.rowid == _number).where(match)
    if query.search.words and not (wanted and all(map(_is_indexed, query.search.words))):
        statement = statement.where(_contains(query, _search))
    # The offset keeps the planner from following the sort's index, row by row, instead.
    return statement.limit(limit).offset(0)


def _is_indexed(word: tuple[str, ...]) -> bool:
    return all(len(spelling) >= _TRIGRAM for spelling in word)


def _indexed_terms(search: Search) -> str:
    """Return what SQLite's search index can look for, which leads that match all have; or none."""
    words = [word for word in search.words if _is_indexed(word)]
    if not words or (search.digits and len(words) < len(search.words)):
        return ""
    terms = " AND ".join(f"({' OR '.join(map(_quoted, word))})" for word in words)
    return f"({terms}) OR {_quoted(search.digits)}" if search.digits else terms


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def matching(session: AsyncSession, statement: Select[Any], query: LeadQuery) -> Select[Any]:
    """Filter a select of leads by a query, in no order and without a search index."""
    statement = _filtered(session, statement, query)
    return statement.where(_contains(query, _search)) if query.search.words else statement


def _contains(query: LeadQuery, text: Any) -> ColumnElement[bool]:
    def has(term: str) -> ColumnElement[bool]:
        return text.contains(term, autoescape=True)

    search = query.search
    words = and_(*(or_(*map(has, word)) for word in search.words))
    return or_(words, has(search.digits)) if search.digits else words


def _filtered(session: AsyncSession, statement: Select[Any], query: LeadQuery) -> Select[Any]:
    statement = statement.where(*_narrowed(query))
    if not query.type:
        return statement
    # Without the plus SQLite would use the index on the type and then sort nearly all leads.
    type_ = literal_column("+leads.type") if on_sqlite(session) else _type
    return statement.where(type_ == query.type)


def _narrowed(query: LeadQuery) -> Iterator[ColumnElement[bool]]:
    """Yield what the filters ask, the type aside."""
    if query.status == leads.OTHER:  # the spans between the others: each is one of the index
        known = sorted(leads.STATUSES)
        between = (and_(_status > a, _status < b) for a, b in pairwise(known))
        yield or_(_status < known[0], *between, _status > known[-1])
    elif query.status:
        yield _status == query.status
    if query.source:
        yield col(Lead.lead_source) == query.source
    if len(query.zip) == contact.ZIP_DIGITS:
        yield _zip_code == query.zip
    elif query.zip:
        yield _zip_code.startswith(query.zip, autoescape=True)
    begins, ends = query.period
    if begins:
        yield _created_at >= begins
    if ends:
        yield _created_at < ends
    if query.owner or query.answer or query.next:
        yield _is_quote
    if query.owner:
        yield _owner == (None if query.owner == leads.NOBODY else query.owner)
    if query.answer:
        yield _UNANSWERED
    if query.answer == leads.OVERDUE:
        yield _created_at < leads.overdue_before(clock.now())
    if query.next:
        yield _is_open
    if query.next == leads.DUE:
        yield _next_on <= clock.day_of(clock.now())
    elif query.next:
        yield _next_on.is_(None) if query.next == leads.NOBODY else _next_on.is_not(None)


async def unanswered(
    session: AsyncSession, before: datetime, limit: int
) -> tuple[list[LeadRow], int]:
    """Return the quotes without an answer that came before a moment, the oldest first, and how
    many there are."""
    return await _oldest(session, limit, _created_at, _UNANSWERED, _created_at < before)


async def steps_due(session: AsyncSession, by: date, limit: int) -> tuple[list[LeadRow], int]:
    """Return the open quotes whose next step is due by a day, the oldest first, and how many."""
    return await _oldest(session, limit, _next_on, _is_quote, _is_open, _next_on <= by)


async def _oldest(
    session: AsyncSession, limit: int, key: Any, *which: ColumnElement[bool]
) -> tuple[list[LeadRow], int]:
    total = await session.scalar(select(func.count()).select_from(Lead).where(*which))
    rows = await session.execute(_ROW.where(*which).order_by(key, _number).limit(limit))
    return [LeadRow(*row) for row in rows], total or 0


async def notes(session: AsyncSession, lead_ids: Sequence[str]) -> list[LeadNote]:
    """Return the notes about some leads, newest first."""
    about = select(LeadNote).where(_note_lead.in_(lead_ids))
    return list(await session.scalars(about.order_by(col(LeadNote.id).desc())))


async def remove_notes(session: AsyncSession, note_ids: Collection[str]) -> set[str]:
    """Delete some notes. Return the ids of those that were there."""
    gone = delete(LeadNote).where(col(LeadNote.id).in_(note_ids))
    return set(await session.scalars(gone.returning(col(LeadNote.id))))


def _order(query: LeadQuery, columns: Any = None) -> list[ColumnElement[Any]]:
    keys = [key if columns is None else columns[key.key] for key in _KEYS[query.column]]
    return [key.desc() if query.descending else key.asc() for key in keys]


async def _by_numbers(session: AsyncSession, numbers: Sequence[int]) -> tuple[LeadRow, ...]:
    rows = await session.execute(_ROW.where(_number.in_(numbers)))
    by_number = {row.number: LeadRow(*row) for row in rows}
    return tuple(by_number[each] for each in numbers if each in by_number)


async def in_batches(query: LeadQuery, *, batch: int = _BATCH) -> AsyncIterator[list[LeadRow]]:
    """Yield all matching leads in order, each batch read by a transaction of its own."""
    keys, last = _KEYS[query.column], None
    while True:
        async with reading() as session:
            more = [key for key in keys if key.key not in _ROW.selected_columns]
            statement = matching(session, _ROW.add_columns(*more), query).order_by(*_order(query))
            if last is not None:
                here = tuple_(*keys)
                statement = statement.where(here < last if query.descending else here > last)
            rows = (await session.execute(statement.limit(batch))).all()
        if not rows:
            return
        yield [LeadRow(*row[: len(_ROW.selected_columns)]) for row in rows]
        last = tuple(getattr(rows[-1], key.key) for key in keys)
