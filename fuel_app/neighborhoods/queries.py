"""Queries on neighborhoods and their members: one, those of a ZIP, all.

Members are counted when asked: one GROUP BY over their index.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    String,
    bindparam,
    case,
    exists,
    func,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import (
    is_foreign_key_violation,
    is_unique_violation,
    on_sqlite,
    reading,
)
from fuel_app.kit.errors import NeighborhoodGone, NeighborhoodNameTaken, NotOnTheList
from fuel_app.kit.lists import pages_of
from fuel_app.leads.rules import fold
from fuel_app.leads.tables import Lead
from fuel_app.neighborhoods.rules import (
    PAGE_SIZE,
    PICKER_LIMIT,
    TIERS,
    Member,
    MemberQuery,
    NeighborhoodDetail,
    NeighborhoodQuery,
    NeighborhoodRow,
    NeighborhoodSummary,
    name_key,
)
from fuel_app.neighborhoods.tables import Neighborhood, NeighborhoodRedirect
from fuel_app.waitlist.tables import WaitlistSubmission

_id, _name, _name_key = col(Neighborhood.id), col(Neighborhood.name), col(Neighborhood.name_key)
_zip_code, _created = col(Neighborhood.zip_code), col(Neighborhood.created_at)
_pioneer_id, _search_name = col(Neighborhood.pioneer_id), col(Neighborhood.search_name)
_redirect, _leads_to = col(NeighborhoodRedirect.id), col(NeighborhoodRedirect.neighborhood_id)

_member_of, _member_id = col(WaitlistSubmission.neighborhood_id), col(WaitlistSubmission.id)
_first_name, _last_name = col(WaitlistSubmission.first_name), col(WaitlistSubmission.last_name)
_email, _joined = col(WaitlistSubmission.email), col(WaitlistSubmission.created_at)
_MEMBER_COUNT = (
    select(func.count()).where(_member_of == _id).correlate(Neighborhood).scalar_subquery()
)
_SUMMARIES = select(_id, _name, _zip_code, _MEMBER_COUNT)
_asked = bindparam("neighborhood_id", type_=String())
_surviving = func.coalesce(select(_leads_to).where(_redirect == _asked).scalar_subquery(), _asked)
# A merged neighborhood is found as the surviving one.
_BY_ID = _SUMMARIES.where(_id == select(_surviving).scalar_subquery())

_BY_NAME = (func.lower(_last_name), func.lower(_first_name))
_IS_LISTED = exists().where(col(Lead.id) == _member_id)
_PERSON = select(_member_id, _first_name, _last_name, _email, _joined, _IS_LISTED)
_MEMBER_KEYS: dict[str, tuple[Any, ...]] = {
    "joined": (_joined, _member_id),
    "name": (*_BY_NAME, _member_id),
    "email": (_email,),
}


async def in_zip(
    session: AsyncSession, zip_code: str, search: str = ""
) -> list[NeighborhoodSummary]:
    """Return the first `PICKER_LIMIT` neighborhoods of a ZIP by name, and one more if there is,
    whose name contains `search`."""
    matching = _SUMMARIES.where(_zip_code == zip_code)
    if search:
        matching = matching.where(_name_key.contains(name_key(search), autoescape=True))
    first = matching.order_by(_name_key, _id).limit(PICKER_LIMIT + 1)
    return [NeighborhoodSummary(*row) for row in await session.execute(first)]


async def has_others(session: AsyncSession, zip_code: str, neighborhood_id: str) -> bool:
    """Return whether a ZIP has another neighborhood than this one."""
    others = select(_id).where(_zip_code == zip_code, _id != neighborhood_id)
    return await session.scalar(others.limit(1)) is not None


async def find(session: AsyncSession, neighborhood_id: str) -> NeighborhoodSummary | None:
    row = (await session.execute(_BY_ID, {"neighborhood_id": neighborhood_id})).first()
    return NeighborhoodSummary(*row) if row else None


async def get(session: AsyncSession, neighborhood_id: str) -> NeighborhoodSummary:
    """Return a neighborhood that is known to be there."""
    row = (await session.execute(_BY_ID, {"neighborhood_id": neighborhood_id})).one()
    return NeighborhoodSummary(*row)


async def detail(
    session: AsyncSession, neighborhood_id: str, query: MemberQuery
) -> NeighborhoodDetail | None:
    """Return the neighborhood with a page of its members; beyond the end, the last one."""
    this = _BY_ID.add_columns(_created, _pioneer_id)
    row = (await session.execute(this, {"neighborhood_id": neighborhood_id})).first()
    if row is None:
        return None
    *own, created_at, pioneer_id = row
    neighborhood = NeighborhoodSummary(*own)
    pages = pages_of(neighborhood.members, PAGE_SIZE)
    page = min(query.page, pages)
    keys = [key.desc() if query.descending else key.asc() for key in _MEMBER_KEYS[query.column]]
    rows = await session.execute(
        _PERSON.where(_member_of == neighborhood.id)
        .order_by(*keys)
        .limit(PAGE_SIZE)
        .offset((page - 1) * PAGE_SIZE)
    )
    members = tuple(_member(*each) for each in rows)
    pioneer = (await session.execute(_PERSON.where(_member_id == pioneer_id))).first()
    return NeighborhoodDetail(
        neighborhood, created_at, _member(*pioneer) if pioneer else None, members, page, pages
    )


def _member(*values: Any) -> Member:
    member_id, first_name, last_name, email, joined_at, is_listed = values
    return Member(member_id, f"{first_name} {last_name}", email, joined_at, bool(is_listed))


async def surviving(session: AsyncSession, neighborhood_id: str) -> str:
    """Return the id of the neighborhood that this one has become part of, or its own."""
    asked = {"neighborhood_id": neighborhood_id}
    return await session.scalar(select(_surviving), asked) or neighborhood_id


async def is_pioneer(session: AsyncSession, neighborhood_id: str, submission_id: str) -> bool:
    return await session.scalar(select(_pioneer_id).where(_id == neighborhood_id)) == submission_id


async def dismiss_pioneer(session: AsyncSession, submission_id: str) -> None:
    """Leave the neighborhoods that this member founded without a pioneer."""
    founded = update(Neighborhood).where(_pioneer_id == submission_id)
    await session.execute(founded.values(pioneer_id=None))


async def add(session: AsyncSession, name: str, zip_code: str, pioneer_id: str) -> str:
    """Store a neighborhood and return its id.

    Raises:
        NeighborhoodNameTaken: If the ZIP has one of that name, case and spaces aside.
        NotOnTheList: If the pioneer's submission is not there any more.
    """
    row = Neighborhood(**naming(name), zip_code=zip_code, pioneer_id=pioneer_id)
    session.add(row)
    try:
        await flush_named(session, zip_code)
    except IntegrityError as error:
        if is_foreign_key_violation(error):
            raise NotOnTheList from error
        raise
    return row.id


async def flush_named(session: AsyncSession, zip_code: str) -> None:
    """Flush a neighborhood with its name.

    Raises:
        NeighborhoodNameTaken: If the ZIP has another one of that name.
    """
    try:
        await session.flush()
    except IntegrityError as error:
        if is_unique_violation(error):
            raise NeighborhoodNameTaken(zip_code) from error
        raise


def naming(name: str) -> dict[str, Any]:
    """Return a name's columns: as typed, its unique key, folded for search."""
    return {"name": name, "name_key": name_key(name), "search_name": fold(name)}


_BATCH = 1_000
_counted = (
    select(_member_of, func.count().label("members"))
    .where(_member_of.is_not(None))
    .group_by(_member_of)
    .subquery()
)
_member_count = func.coalesce(_counted.c.members, 0)
_missing = case(
    *(
        (_member_count < tier.members_needed, tier.members_needed - _member_count)
        for tier in TIERS[1:]
    )
)
_LIST_KEYS: dict[str, tuple[Any, ...]] = {
    "name": (_search_name,),
    "zip": (_zip_code, _search_name),
    "pioneer": _BY_NAME,
    "members": (_member_count,),
    "missing": (_missing,),
    "created": (_created,),
}
_LIST_ROW = _SUMMARIES.add_columns(_created, _first_name, _last_name).outerjoin(
    WaitlistSubmission, _member_id == _pioneer_id
)


async def ids(session: AsyncSession, query: NeighborhoodQuery) -> Sequence[str]:
    """Return the ids that match, in order; without a pioneer, or at the top tier, they are last."""
    keys = [key.desc() if query.descending else key.asc() for key in _LIST_KEYS[query.column]]
    matching = _matching(select(_id), query).order_by(*(key.nulls_last() for key in keys), _id)
    return (await session.scalars(matching)).all()


async def by_ids(session: AsyncSession, ids: Sequence[str]) -> list[NeighborhoodRow]:
    """Return these rows, in this order; the ones that are gone are left out."""
    rows = {}
    for *own, first, last in await session.execute(_LIST_ROW.where(_id.in_(ids))):
        rows[own[0]] = NeighborhoodRow(*own, pioneer=f"{first} {last}" if last is not None else "")
    return [rows[each] for each in ids if each in rows]


async def in_batches(query: NeighborhoodQuery) -> AsyncIterator[list[NeighborhoodRow]]:
    """Yield every row that matches, in order, some at a time, each batch a short read."""
    async with reading() as session:
        matching = await ids(session, query)
    for start in range(0, len(matching), _BATCH):
        async with reading() as session:
            yield await by_ids(session, matching[start : start + _BATCH])


async def by_zip(
    session: AsyncSession, query: NeighborhoodQuery, *, most: int
) -> list[tuple[str, int, int, int]]:
    """Return the ZIPs with the most members: their neighborhoods, members and largest one."""
    members = func.sum(_member_count)
    counts = select(_zip_code, func.count(), members, func.max(_member_count)).group_by(_zip_code)
    largest = _matching(counts, query, counted=True).order_by(members.desc(), _zip_code).limit(most)
    rows: Any = await session.execute(largest)
    return [(row[0], row[1], int(row[2]), row[3]) for row in rows]


def _matching(matching: Any, query: NeighborhoodQuery, *, counted: bool = False) -> Any:
    """Filter a select, joined with what it needs of the members' counts and the pioneers."""
    counts: list[ColumnElement[bool]] = []
    if query.least is not None:
        counts.append(_member_count >= query.least)
    if query.most is not None:
        counts.append(_member_count <= query.most)
    if query.short_of is not None:
        counts.append(_missing <= query.short_of)
    matching = matching.where(*counts).select_from(Neighborhood)
    if counted or counts or query.column in {"members", "missing"}:
        matching = matching.outerjoin(_counted, _counted.c[0] == _id)
    if query.column == "pioneer":
        matching = matching.outerjoin(WaitlistSubmission, _member_id == _pioneer_id)
    if query.q:
        matching = matching.where(_search_name.contains(fold(query.q), autoescape=True))
    if query.zip:
        matching = matching.where(_zip_code.contains(query.zip, autoescape=True))
    if query.pioneer:
        matching = matching.join(Lead, col(Lead.id) == _pioneer_id)
        name = col(Lead.name_key).contains(fold(query.pioneer), autoescape=True)
        matching = matching.where(name)
    return matching


_LOCK_MEMBERS = text("LOCK TABLE waitlist_submissions IN SHARE ROW EXCLUSIVE MODE")
_MANY = 10_000  # ids in one statement


async def lock_rows(session: AsyncSession, *ids: str) -> list[Neighborhood]:
    """Lock these neighborhoods and everyone's membership until the transaction ends.

    Locking members row by row would deadlock with visitors who join. SQLite has one writer anyway.

    Raises:
        NeighborhoodGone: If one of them is not there (any more).
    """
    if not on_sqlite(session):
        await session.execute(_LOCK_MEMBERS)
    locked = select(Neighborhood).where(_id.in_(ids)).order_by(_id).with_for_update()
    rows = {row.id: row for row in await session.scalars(locked)}
    if len(rows) < len(set(ids)):
        raise NeighborhoodGone
    return [rows[neighborhood_id] for neighborhood_id in ids]


async def set_name(session: AsyncSession, neighborhood: Neighborhood, name: str) -> None:
    """Give a locked neighborhood another name. Raises NeighborhoodNameTaken."""
    for column, value in naming(name).items():
        setattr(neighborhood, column, value)
    await flush_named(session, neighborhood.zip_code)


async def member_with(session: AsyncSession, neighborhood_id: str, email: str) -> str | None:
    """Return the id of the member with an address."""
    member = select(_member_id).where(_email == email, _member_of == neighborhood_id)
    return await session.scalar(member)


async def members_of(session: AsyncSession, neighborhood_id: str) -> list[str]:
    members = await session.scalars(select(_member_id).where(_member_of == neighborhood_id))
    return list(members)


async def redirects_to(session: AsyncSession, neighborhood_id: str) -> list[str]:
    redirects = await session.scalars(select(_redirect).where(_leads_to == neighborhood_id))
    return list(redirects)


async def redirect(session: AsyncSession, redirects: Sequence[str], neighborhood_id: str) -> None:
    """Have these redirects lead to another neighborhood."""
    these = update(NeighborhoodRedirect).where(_redirect.in_(redirects))
    await session.execute(these.values(neighborhood_id=neighborhood_id))


async def move(session: AsyncSession, ids: Sequence[str], source_id: str, target_id: str) -> None:
    """Move those of these members that are in the source."""
    for start in range(0, len(ids), _MANY):
        some = ids[start : start + _MANY]
        moving = update(WaitlistSubmission).where(_member_id.in_(some), _member_of == source_id)
        await session.execute(
            moving.values(neighborhood_id=target_id),
            execution_options={"synchronize_session": False},
        )


async def names(session: AsyncSession, ids: set[str | None]) -> dict[str, str]:
    """Return the names of submissions by id; those that are gone are left out."""
    people = select(_member_id, _first_name, _last_name).where(_member_id.in_(ids - {None}))
    return {row[0]: f"{row[1]} {row[2]}" for row in await session.execute(people)}
