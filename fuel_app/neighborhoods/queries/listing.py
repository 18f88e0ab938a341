"""Questions about all groups: each is one look along the narrow table of groups."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import on_sqlite, reading
from fuel_app.neighborhoods.rules.groups import TIERS
from fuel_app.neighborhoods.rules.listing import PAGE_SIZE, GroupQuery, GroupRow
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.tables import WaitlistSubmission

_BATCH = 1_000

_id, _members = col(Neighborhood.id), col(Neighborhood.members)
_pioneer_id = col(Neighborhood.pioneer_id)
# The key stays while a pioneer is away.
_pioneer_key = case((_pioneer_id.is_not(None), col(Neighborhood.pioneer_key)))
_missing = case(
    *((_members < tier.members_needed, tier.members_needed - _members) for tier in TIERS[1:])
)
_KEYS: dict[str, tuple[Any, ...]] = {
    "name": (col(Neighborhood.search_name),),
    "zip": (col(Neighborhood.zip_code), col(Neighborhood.search_name)),
    "pioneer": (_pioneer_key,),
    "members": (_members,),
    "missing": (_missing,),
    "created": (col(Neighborhood.created_at),),
}
_ROW = select(
    _id,
    col(Neighborhood.name),
    col(Neighborhood.zip_code),
    _members,
    col(Neighborhood.created_at),
    col(WaitlistSubmission.first_name),
    col(WaitlistSubmission.last_name),
).outerjoin(WaitlistSubmission, col(WaitlistSubmission.id) == _pioneer_id)


async def count(session: AsyncSession, query: GroupQuery) -> int:
    """How many groups the query finds."""
    found = select(func.count()).select_from(Neighborhood)
    return await session.scalar(found.where(_asked(session, query))) or 0


async def page(
    session: AsyncSession, query: GroupQuery, *, offset: int, total: int
) -> list[GroupRow]:
    """`PAGE_SIZE` lines of the table, from its nearer end: fewer have to be put in order."""
    size = min(PAGE_SIZE, total - offset)
    from_end = offset > total // 2
    ids = _ids(session, query, from_end=from_end).limit(max(0, size))
    there = await session.scalars(ids.offset(total - offset - size if from_end else offset))
    return await by_ids(session, there.all()[:: -1 if from_end else 1])


async def by_ids(session: AsyncSession, ids: Sequence[str]) -> list[GroupRow]:
    """These lines, in this order; the ones that are gone are left out."""
    rows = await session.execute(_ROW.where(_id.in_(ids)))
    known = {row[0]: _row(*row) for row in rows}
    return [known[group_id] for group_id in ids if group_id in known]


async def walk(query: GroupQuery, *, batch: int = _BATCH) -> AsyncIterator[list[GroupRow]]:
    """Every line that matches, in order, some at a time, each batch a short look of its own."""
    async with reading() as session:
        ids = list((await session.scalars(_ids(session, query))).all())
    for start in range(0, len(ids), batch):
        async with reading() as session:
            yield await by_ids(session, ids[start : start + batch])


async def by_zip(
    session: AsyncSession, query: GroupQuery, *, most: int
) -> list[tuple[str, int, int, int]]:
    """The ZIPs with the most members, each with its groups, members and largest group."""
    members = func.sum(_members)
    zip_code = col(Neighborhood.zip_code)
    found = select(zip_code, func.count(), members, func.max(_members)).group_by(zip_code)
    found = found.where(_asked(session, query)).order_by(members.desc(), zip_code).limit(most)
    return [tuple(row) for row in await session.execute(found)]  # type: ignore[misc]


def _ids(session: AsyncSession, query: GroupQuery, *, from_end: bool = False) -> Select[Any]:
    """The ids in order; groups without a pioneer, or at the highest tier, stand last."""
    falling = query.descending != from_end
    keys = [key.desc() if falling else key.asc() for key in _KEYS[query.sort]]
    keys = [key.nulls_first() if from_end else key.nulls_last() for key in keys]
    last = _id.desc() if from_end else _id.asc()
    return select(_id).where(_asked(session, query)).order_by(*keys, last)


def _asked(session: AsyncSession, query: GroupQuery) -> ColumnElement[bool]:
    def has(column: Any, part: str) -> ColumnElement[bool]:
        if on_sqlite(session):
            return func.instr(column, part) > 0
        return func.strpos(column, part) > 0

    asked: list[ColumnElement[bool]] = []
    if query.search:
        asked.append(has(col(Neighborhood.search_name), query.search_key))
    if query.zip_part:
        asked.append(has(col(Neighborhood.zip_code), query.zip_part))
    if query.pioneer:
        asked.append(has(_pioneer_key, query.pioneer_search_key))
    if query.least is not None:
        asked.append(_members >= query.least)
    if query.most is not None:
        asked.append(_members <= query.most)
    if query.missing is not None:
        asked.append(_missing <= query.missing)
    return and_(True, *asked)


def _row(*values: Any) -> GroupRow:
    *own, first, last = values
    return GroupRow(*own, pioneer=f"{first} {last}" if last is not None else "")
