"""Queries on neighborhoods and members: one, of a ZIP, all; renaming, merging, handing over.

Changes are logged and undone from the log. Members are counted when asked: one GROUP BY over their
index.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    String,
    bindparam,
    case,
    delete,
    exists,
    func,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit import audit
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.clock import now
from fuel_app.kit.db import constraints
from fuel_app.kit.db.session import on_sqlite, reading, tell
from fuel_app.kit.errors import (
    ChangedSince,
    NeighborhoodGone,
    NeighborhoodNameTaken,
    NotAMember,
    NotOnTheList,
    OtherZip,
)
from fuel_app.kit.lists import pages_of
from fuel_app.kit.signals import MEMBERS
from fuel_app.leads.rules import fold
from fuel_app.leads.tables import Lead
from fuel_app.neighborhoods.rules import (
    PAGE_SIZE,
    PICKER_LIMIT,
    TIERS,
    Member,
    MemberQuery,
    NeighborhoodChange,
    NeighborhoodDetail,
    NeighborhoodQuery,
    NeighborhoodRow,
    NeighborhoodSummary,
    change_summary,
    name_key,
)
from fuel_app.neighborhoods.tables import Neighborhood, NeighborhoodRedirect
from fuel_app.waitlist.tables import WaitlistSubmission

_id = col(Neighborhood.id)
_name = col(Neighborhood.name)
_name_key = col(Neighborhood.name_key)
_zip_code = col(Neighborhood.zip_code)

_member_of, _member_id = col(WaitlistSubmission.neighborhood_id), col(WaitlistSubmission.id)
_first_name, _last_name = col(WaitlistSubmission.first_name), col(WaitlistSubmission.last_name)
_email, _joined = col(WaitlistSubmission.email), col(WaitlistSubmission.created_at)
MEMBER_COUNT = (
    select(func.count()).where(_member_of == _id).correlate(Neighborhood).scalar_subquery()
)
_SUMMARIES = select(_id, _name, _zip_code, MEMBER_COUNT)
_IN_ZIP = (
    _SUMMARIES.where(_zip_code == bindparam("zip_code"))
    .order_by(_name_key, _id)
    .limit(PICKER_LIMIT + 1)  # one more tells that there are more
)
_asked = bindparam("neighborhood_id", type_=String())
_into = select(col(NeighborhoodRedirect.neighborhood_id))
_surviving = func.coalesce(
    _into.where(col(NeighborhoodRedirect.id) == _asked).scalar_subquery(), _asked
)
# A merged neighborhood is found as the surviving one.
_BY_ID = _SUMMARIES.where(_id == select(_surviving).scalar_subquery())

BY_NAME = (func.lower(_last_name), func.lower(_first_name))
_IS_LISTED = exists().where(col(Lead.id) == _member_id)
_PERSON = select(_member_id, _first_name, _last_name, _email, _joined, _IS_LISTED)
_KEYS: dict[str, tuple[Any, ...]] = {
    "joined": (_joined, _member_id),
    "name": (*BY_NAME, _member_id),
    "email": (_email,),
}


async def in_zip(
    session: AsyncSession, zip_code: str, search: str = ""
) -> list[NeighborhoodSummary]:
    """Return the first `PICKER_LIMIT` neighborhoods of a ZIP by name, and one more if there is,
    whose name contains `search`."""
    found = _name_key.contains(name_key(search), autoescape=True)
    rows = await session.execute(
        _IN_ZIP.where(found) if search else _IN_ZIP, {"zip_code": zip_code}
    )
    return [NeighborhoodSummary(*row) for row in rows]


async def find(session: AsyncSession, neighborhood_id: str) -> NeighborhoodSummary | None:
    row = (await session.execute(_BY_ID, {"neighborhood_id": neighborhood_id})).first()
    return NeighborhoodSummary(*row) if row else None


async def get(session: AsyncSession, neighborhood_id: str) -> NeighborhoodSummary:
    """Return a neighborhood that is known to be there."""
    return NeighborhoodSummary(
        *(await session.execute(_BY_ID, {"neighborhood_id": neighborhood_id})).one()
    )


async def detail(
    session: AsyncSession, neighborhood_id: str, query: MemberQuery
) -> NeighborhoodDetail | None:
    """Return the neighborhood with a page of its members; beyond the end, the last one."""
    found = _BY_ID.add_columns(col(Neighborhood.created_at), col(Neighborhood.pioneer_id))
    row = (await session.execute(found, {"neighborhood_id": neighborhood_id})).first()
    if row is None:
        return None
    *own, created_at, pioneer_id = row
    neighborhood = NeighborhoodSummary(*own)
    pages = pages_of(neighborhood.members, PAGE_SIZE)
    page = min(query.page, pages)
    keys = [key.desc() if query.descending else key.asc() for key in _KEYS[query.column]]
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
    pioneer = select(col(Neighborhood.pioneer_id)).where(_id == neighborhood_id)
    return await session.scalar(pioneer) == submission_id


async def dismiss_pioneer(session: AsyncSession, submission_id: str) -> None:
    """Leave the neighborhoods that this member founded without a pioneer."""
    theirs = update(Neighborhood).where(col(Neighborhood.pioneer_id) == submission_id)
    await session.execute(theirs.values(pioneer_id=None))


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
        if constraints.is_foreign_key_violation(error):
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
        if constraints.is_unique_violation(error):
            raise NeighborhoodNameTaken(zip_code) from error
        raise


def naming(name: str) -> dict[str, Any]:
    """Return a name's columns: as typed, its unique key, folded for search."""
    return {"name": name, "name_key": name_key(name), "search_name": fold(name)}


_BATCH = 1_000

_listed_id, _pioneer_id = col(Neighborhood.id), col(Neighborhood.pioneer_id)
_search_name, _listed_zip = col(Neighborhood.search_name), col(Neighborhood.zip_code)
_listed_member_of = col(WaitlistSubmission.neighborhood_id)
_counted = (
    select(_listed_member_of, func.count().label("members"))
    .where(_listed_member_of.is_not(None))
    .group_by(_listed_member_of)
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
    "zip": (_listed_zip, _search_name),
    "pioneer": BY_NAME,
    "members": (_member_count,),
    "missing": (_missing,),
    "created": (col(Neighborhood.created_at),),
}
_LIST_ROW = select(
    _listed_id,
    col(Neighborhood.name),
    _listed_zip,
    MEMBER_COUNT,
    col(Neighborhood.created_at),
    col(WaitlistSubmission.first_name),
    col(WaitlistSubmission.last_name),
).outerjoin(WaitlistSubmission, col(WaitlistSubmission.id) == _pioneer_id)


async def ids(session: AsyncSession, query: NeighborhoodQuery) -> Sequence[str]:
    """Return the ids that match, in order; without a pioneer, or at the top tier, they are last."""
    keys = [key.desc() if query.descending else key.asc() for key in _LIST_KEYS[query.column]]
    found = _matching(select(_listed_id), query)
    return (
        await session.scalars(found.order_by(*(key.nulls_last() for key in keys), _listed_id))
    ).all()


async def by_ids(session: AsyncSession, ids: Sequence[str]) -> list[NeighborhoodRow]:
    """Return these rows, in this order; the ones that are gone are left out."""
    rows = await session.execute(_LIST_ROW.where(_listed_id.in_(ids)))
    known = {row[0]: _list_row(*row) for row in rows}
    return [known[each] for each in ids if each in known]


async def in_batches(
    query: NeighborhoodQuery, *, batch: int = _BATCH
) -> AsyncIterator[list[NeighborhoodRow]]:
    """Yield every row that matches, in order, some at a time, each batch a short read."""
    async with reading() as session:
        matching = await ids(session, query)
    for start in range(0, len(matching), batch):
        async with reading() as session:
            yield await by_ids(session, matching[start : start + batch])


async def by_zip(
    session: AsyncSession, query: NeighborhoodQuery, *, most: int
) -> list[tuple[str, int, int, int]]:
    """Return the ZIPs with the most members: their neighborhoods, members and largest one."""
    members = func.sum(_member_count)
    counts = select(_listed_zip, func.count(), members, func.max(_member_count)).group_by(
        _listed_zip
    )
    found = _matching(counts, query, counted=True).order_by(members.desc(), _listed_zip).limit(most)
    rows: Any = await session.execute(found)
    return [(row[0], row[1], int(row[2]), row[3]) for row in rows]


def _matching(found: Any, query: NeighborhoodQuery, *, counted: bool = False) -> Any:
    """Filter a select, joined with what it needs of the members' counts and the pioneers."""

    counts: list[ColumnElement[bool]] = []
    if query.least is not None:
        counts.append(_member_count >= query.least)
    if query.most is not None:
        counts.append(_member_count <= query.most)
    if query.short_of is not None:
        counts.append(_missing <= query.short_of)
    found = found.where(*counts).select_from(Neighborhood)
    if counted or counts or query.column in {"members", "missing"}:
        found = found.outerjoin(_counted, _counted.c[0] == _listed_id)
    if query.column == "pioneer":
        found = found.outerjoin(WaitlistSubmission, col(WaitlistSubmission.id) == _pioneer_id)
    if query.q:
        found = found.where(_search_name.contains(fold(query.q), autoescape=True))
    if query.zip:
        found = found.where(_listed_zip.contains(query.zip, autoescape=True))
    if query.pioneer:
        found = found.join(Lead, col(Lead.id) == _pioneer_id)
        found = found.where(col(Lead.name_key).contains(fold(query.pioneer), autoescape=True))
    return found


def _list_row(*values: Any) -> NeighborhoodRow:
    *own, first, last = values
    return NeighborhoodRow(*own, pioneer=f"{first} {last}" if last is not None else "")


NOUN = "neighborhood"
_LOCK_MEMBERS = text("LOCK TABLE waitlist_submissions IN SHARE ROW EXCLUSIVE MODE")
_MANY = 10_000  # ids in one statement
_SHOWN = 10  # changes of one neighborhood
_FORMER = "a former member"  # a person whose lead is deleted

_moved_id, _moved_of = col(WaitlistSubmission.id), col(WaitlistSubmission.neighborhood_id)
_moved_email = col(WaitlistSubmission.email)
_redirect, _leads_to = col(NeighborhoodRedirect.id), col(NeighborhoodRedirect.neighborhood_id)


async def _lock_rows(session: AsyncSession, *ids: str) -> list[Neighborhood]:
    """Lock these neighborhoods and everyone's membership until the transaction ends.

    Locking members row by row would deadlock with visitors who join. SQLite has one writer anyway.

    Raises:
        NeighborhoodGone: If one of them is not there (any more).
    """
    if not on_sqlite(session):
        await session.execute(_LOCK_MEMBERS)
    found = select(Neighborhood).where(col(Neighborhood.id).in_(ids)).order_by(col(Neighborhood.id))
    rows = {row.id: row for row in await session.scalars(found.with_for_update())}
    if len(rows) < len(set(ids)):
        raise NeighborhoodGone
    return [rows[neighborhood_id] for neighborhood_id in ids]


async def rename(
    session: AsyncSession, neighborhood_id: str, name: str, by: str
) -> NeighborhoodChange | None:
    """Give a neighborhood another name; None if it has that name already."""
    (neighborhood,) = await _lock_rows(session, neighborhood_id)
    before = {"name": neighborhood.name}
    if neighborhood.name == name:
        return None
    _set_values(neighborhood, naming(name))
    await flush_named(session, neighborhood.zip_code)
    return await _log(session, neighborhood_id, "rename", by, before, {"name": name})


@audit.undoes(NOUN, "rename", topics=(MEMBERS,))
async def undo_rename(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    entry, before, after = _values(entries)
    (neighborhood,) = await _lock_rows(session, entry.subject_id)
    if neighborhood.name != after["name"]:
        raise ChangedSince
    _set_values(neighborhood, naming(before["name"]))
    await flush_named(session, neighborhood.zip_code)
    return {entry.subject_id}


async def hand_over(
    session: AsyncSession, neighborhood_id: str, email: str, by: str
) -> NeighborhoodChange:
    """Make the member with this address the pioneer."""
    (neighborhood,) = await _lock_rows(session, neighborhood_id)
    found = select(_moved_id).where(_moved_email == email, _moved_of == neighborhood_id)
    member_id = await session.scalar(found)
    if member_id is None:
        raise NotAMember
    before = {"pioneer_id": neighborhood.pioneer_id}
    neighborhood.pioneer_id = member_id
    after = {"pioneer_id": member_id}
    return await _log(session, neighborhood_id, "pioneer", by, before, after)


@audit.undoes(NOUN, "pioneer", topics=(MEMBERS,))
async def undo_hand_over(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    """Restore the former pioneer, or none if they have left since."""
    entry, before, after = _values(entries)
    (neighborhood,) = await _lock_rows(session, entry.subject_id)
    if neighborhood.pioneer_id != after["pioneer_id"]:
        raise ChangedSince
    neighborhood.pioneer_id = await _still_there(session, before["pioneer_id"])
    return {entry.subject_id}


async def merge(
    session: AsyncSession, survivor_id: str, gone_id: str, by: str
) -> NeighborhoodChange:
    """Move all members to the surviving neighborhood and redirect the other's links to it.

    The surviving one's pioneer stays; without one it takes the other's.
    """
    if survivor_id == gone_id:
        raise NeighborhoodGone
    survivor, gone = await _lock_rows(session, survivor_id, gone_id)
    if survivor.zip_code != gone.zip_code:
        raise OtherZip
    members = await session.scalars(select(_moved_id).where(_moved_of == gone_id))
    redirects = await session.scalars(select(_redirect).where(_leads_to == gone_id))
    before = {
        "id": gone.id,
        "name": gone.name,
        "pioneer_id": gone.pioneer_id,
        "created_at": gone.created_at.isoformat(),
        "survivor_had_pioneer": survivor.pioneer_id is not None,
        "members": list(members),
        "redirects": list(redirects),
    }
    await _move(session, before["members"], gone_id, survivor_id)
    survivor.pioneer_id = survivor.pioneer_id or gone.pioneer_id
    theirs = update(NeighborhoodRedirect).where(_leads_to == gone_id)
    await session.execute(theirs.values(neighborhood_id=survivor_id))
    await session.delete(gone)
    session.add(NeighborhoodRedirect(id=gone_id, neighborhood_id=survivor_id))
    await session.flush()
    after = {"name": survivor.name, "moved": len(before["members"])}
    return await _log(session, survivor.id, "merge", by, before, after)


@audit.undoes(NOUN, "merge", topics=(MEMBERS,))
async def unmerge(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    """Make the merged neighborhood again, with the members that have not moved on since.

    Raises:
        ChangedSince: If the surviving one has itself become part of another.
        NeighborhoodNameTaken: If the ZIP has another neighborhood of that name by now.
    """
    entry, before, _ = _values(entries)
    try:
        (survivor,) = await _lock_rows(session, entry.subject_id)
    except NeighborhoodGone as error:
        raise ChangedSince from error
    again = Neighborhood(
        **naming(before["name"]),
        id=before["id"],
        zip_code=survivor.zip_code,
        pioneer_id=await _still_there(session, before["pioneer_id"]),
        created_at=datetime.fromisoformat(before["created_at"]),
    )
    session.add(again)
    if not before["survivor_had_pioneer"] and survivor.pioneer_id == before["pioneer_id"]:
        survivor.pioneer_id = None
    await flush_named(session, survivor.zip_code)
    await _move(session, before["members"], survivor.id, again.id)
    await session.execute(delete(NeighborhoodRedirect).where(_redirect == again.id))
    theirs = update(NeighborhoodRedirect).where(_redirect.in_(before["redirects"]))
    await session.execute(theirs.values(neighborhood_id=again.id))
    return {entry.subject_id}


async def list_changes(session: AsyncSession, neighborhood_id: str) -> list[NeighborhoodChange]:
    """Return a neighborhood's latest changes, newest first."""
    entries = await audit.history(session, NOUN, neighborhood_id, limit=_SHOWN)
    values = [each or {} for entry in entries for each in (entry.before, entry.after)]
    names = await _names(session, {each["pioneer_id"] for each in values if "pioneer_id" in each})
    return [
        NeighborhoodChange(
            entry.action_id,
            entry.at,
            entry.actor,
            change_summary(entry.kind, _named(entry.before, names), _named(entry.after, names)),
            undone=entry.undone_at is not None,
        )
        for entry in entries
    ]


async def _log(
    session: AsyncSession,
    neighborhood_id: str,
    kind: str,
    by: str,
    before: dict[str, Any],
    after: dict[str, Any],
) -> NeighborhoodChange:
    tell(session, MEMBERS)
    action = audit.Action(NOUN, kind, by)
    await audit.record(session, action, [audit.Change(neighborhood_id, before, after)])
    names = await _names(session, {before.get("pioneer_id"), after.get("pioneer_id")})
    done = change_summary(kind, _named(before, names), _named(after, names))
    return NeighborhoodChange(action.id, now(), by, done)


async def _names(session: AsyncSession, ids: set[str | None]) -> dict[str, str]:
    """Return the names by id. The log keeps none: a deleted person leaves no name there."""
    people = select(
        _moved_id, col(WaitlistSubmission.first_name), col(WaitlistSubmission.last_name)
    ).where(_moved_id.in_(ids - {None}))
    return {row[0]: f"{row[1]} {row[2]}" for row in await session.execute(people)}


def _named(values: Mapping[str, Any] | None, names: Mapping[str, str]) -> dict[str, Any]:
    named = dict(values or {})
    if pioneer_id := named.get("pioneer_id"):
        named["pioneer"] = names.get(pioneer_id, _FORMER)
    return named


async def _still_there(session: AsyncSession, submission_id: str | None) -> str | None:
    """Return the id, or None if the submission is gone."""
    return await session.scalar(select(_moved_id).where(_moved_id == submission_id))


async def _move(session: AsyncSession, ids: Sequence[str], source_id: str, target_id: str) -> None:
    """Move those of these members that are in the source."""
    for start in range(0, len(ids), _MANY):
        some = ids[start : start + _MANY]
        moving = update(WaitlistSubmission).where(_moved_id.in_(some), _moved_of == source_id)
        await session.execute(
            moving.values(neighborhood_id=target_id),
            execution_options={"synchronize_session": False},
        )


def _values(entries: Sequence[AuditEntry]) -> tuple[AuditEntry, dict[str, Any], dict[str, Any]]:
    """Return an action's one entry with its values."""
    (entry,) = entries
    return entry, entry.before or {}, entry.after or {}


def _set_values(neighborhood: Neighborhood, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(neighborhood, name, value)
