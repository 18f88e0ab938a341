"""One group as the staff see it: its pioneer, and its members a page at a time."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.db.models import Neighborhood, WaitlistSubmission
from fuel_app.db.neighborhoods import find
from fuel_app.domain.neighborhood_list import MEMBERS_SHOWN, GroupDetail, Member, pages_of

_id = col(WaitlistSubmission.id)
_joined = col(WaitlistSubmission.created_at)
_group_id = col(WaitlistSubmission.neighborhood_id)
_PERSON = select(
    _id,
    col(WaitlistSubmission.first_name),
    col(WaitlistSubmission.last_name),
    col(WaitlistSubmission.email),
    _joined,
)


async def detail(session: AsyncSession, neighborhood_id: str, page: int) -> GroupDetail | None:
    """The group with a page of its members; a page beyond the end is the last one."""
    group = await find(session, neighborhood_id)
    if group is None:
        return None
    more = select(col(Neighborhood.created_at), col(Neighborhood.pioneer_id))
    row = (await session.execute(more.where(col(Neighborhood.id) == group.id))).first()
    if row is None:  # gone between the two questions
        return None
    page = min(max(1, page), pages_of(group.members, MEMBERS_SHOWN))
    members = await _page(session, group.id, page, group.members)
    pioneer = (await session.execute(_PERSON.where(_id == row.pioneer_id))).first()
    return GroupDetail(
        group, row.created_at, _member(*pioneer) if pioneer else None, tuple(members), page
    )


async def _page(session: AsyncSession, group_id: str, page: int, total: int) -> list[Member]:
    """A walk over at most half of the group's part of the index, from its nearer end."""
    start = (page - 1) * MEMBERS_SHOWN
    size = min(MEMBERS_SHOWN, total - start)
    from_end = start > total // 2
    keys = (_joined.desc(), _id.desc()) if from_end else (_joined.asc(), _id.asc())
    ids = select(_id).where(_group_id == group_id).order_by(*keys).limit(max(0, size))
    there = await session.scalars(ids.offset(total - start - size if from_end else start))
    rows = await session.execute(_PERSON.where(_id.in_(there.all())).order_by(_joined, _id))
    return [_member(*row) for row in rows]


def _member(*values: Any) -> Member:
    member_id, first_name, last_name, email, joined_at = values
    return Member(member_id, f"{first_name} {last_name}", email, joined_at)
