"""Queries on one neighborhood and its members, or on the neighborhoods of one ZIP."""

from typing import Any

from sqlalchemy import String, bindparam, exists, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db import constraints
from fuel_app.kit.errors import NeighborhoodNameTaken, NotOnTheList
from fuel_app.kit.lists import pages_of
from fuel_app.leads.rules import fold
from fuel_app.leads.tables import Lead
from fuel_app.neighborhoods.rules import (
    PAGE_SIZE,
    PICKER_LIMIT,
    Member,
    MemberQuery,
    NeighborhoodDetail,
    NeighborhoodSummary,
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
MEMBERS = select(func.count()).where(_member_of == _id).correlate(Neighborhood).scalar_subquery()
_SUMMARIES = select(_id, _name, _zip_code, MEMBERS)
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
