"""Queries on one neighborhood's pioneer and pages of its members."""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.neighborhoods.queries.neighborhoods import find
from fuel_app.neighborhoods.rules.detail import (
    MEMBERS_SHOWN,
    Member,
    MemberQuery,
    NeighborhoodDetail,
)
from fuel_app.neighborhoods.rules.listing import pages_of
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.tables import WaitlistSubmission

_id = col(WaitlistSubmission.id)
_first_name, _last_name = col(WaitlistSubmission.first_name), col(WaitlistSubmission.last_name)
_email = col(WaitlistSubmission.email)
_joined = col(WaitlistSubmission.created_at)
_neighborhood_id = col(WaitlistSubmission.neighborhood_id)
BY_NAME = (func.lower(_last_name), func.lower(_first_name))
_PERSON = select(_id, _first_name, _last_name, _email, _joined)
_KEYS: dict[str, tuple[Any, ...]] = {
    "joined": (_joined, _id),
    "name": (*BY_NAME, _id),
    "email": (_email,),
}


async def detail(
    session: AsyncSession, neighborhood_id: str, query: MemberQuery
) -> NeighborhoodDetail | None:
    """Return the neighborhood with a page of its members; beyond the end, the last one."""
    neighborhood = await find(session, neighborhood_id)
    if neighborhood is None:
        return None
    more = select(col(Neighborhood.created_at), col(Neighborhood.pioneer_id))
    row = (await session.execute(more.where(col(Neighborhood.id) == neighborhood.id))).first()
    if row is None:  # gone between the two queries
        return None
    page = min(query.page, pages_of(neighborhood.members, MEMBERS_SHOWN))
    members = await _page(session, neighborhood.id, query, (page - 1) * MEMBERS_SHOWN)
    pioneer = (await session.execute(_PERSON.where(_id == row.pioneer_id))).first()
    return NeighborhoodDetail(
        neighborhood, row.created_at, _member(*pioneer) if pioneer else None, tuple(members), page
    )


async def _page(
    session: AsyncSession, neighborhood_id: str, query: MemberQuery, start: int
) -> list[Member]:
    keys = [key.desc() if query.descending else key.asc() for key in _KEYS[query.sort]]
    found = _PERSON.where(_neighborhood_id == neighborhood_id).order_by(*keys)
    rows = await session.execute(found.limit(MEMBERS_SHOWN).offset(start))
    return [_member(*row) for row in rows]


def _member(*values: Any) -> Member:
    member_id, first_name, last_name, email, joined_at = values
    return Member(member_id, f"{first_name} {last_name}", email, joined_at)
