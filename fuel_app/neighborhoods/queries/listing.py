"""Queries over all neighborhoods. Members are counted when asked: one GROUP BY over their index."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import reading
from fuel_app.leads.rules import fold
from fuel_app.leads.tables import Lead
from fuel_app.neighborhoods.queries.neighborhoods import BY_NAME, MEMBERS
from fuel_app.neighborhoods.rules import TIERS, NeighborhoodQuery, NeighborhoodRow
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.tables import WaitlistSubmission

_BATCH = 1_000

_id, _pioneer_id = col(Neighborhood.id), col(Neighborhood.pioneer_id)
_name, _zip_code = col(Neighborhood.search_name), col(Neighborhood.zip_code)
_member_of = col(WaitlistSubmission.neighborhood_id)
_counted = (
    select(_member_of, func.count().label("members"))
    .where(_member_of.is_not(None))
    .group_by(_member_of)
    .subquery()
)
_members = func.coalesce(_counted.c.members, 0)
_missing = case(
    *((_members < tier.members_needed, tier.members_needed - _members) for tier in TIERS[1:])
)
_KEYS: dict[str, tuple[Any, ...]] = {
    "name": (_name,),
    "zip": (_zip_code, _name),
    "pioneer": BY_NAME,
    "members": (_members,),
    "missing": (_missing,),
    "created": (col(Neighborhood.created_at),),
}
_ROW = select(
    _id,
    col(Neighborhood.name),
    _zip_code,
    MEMBERS,
    col(Neighborhood.created_at),
    col(WaitlistSubmission.first_name),
    col(WaitlistSubmission.last_name),
).outerjoin(WaitlistSubmission, col(WaitlistSubmission.id) == _pioneer_id)


async def ids(session: AsyncSession, query: NeighborhoodQuery) -> Sequence[str]:
    """Return the ids that match, in order; without a pioneer, or at the top tier, they are last."""
    keys = [key.desc() if query.descending else key.asc() for key in _KEYS[query.column]]
    found = _matching(select(_id), query)
    return (await session.scalars(found.order_by(*(key.nulls_last() for key in keys), _id))).all()


async def by_ids(session: AsyncSession, ids: Sequence[str]) -> list[NeighborhoodRow]:
    """Return these rows, in this order; the ones that are gone are left out."""
    rows = await session.execute(_ROW.where(_id.in_(ids)))
    known = {row[0]: _row(*row) for row in rows}
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
    members = func.sum(_members)
    counts = select(_zip_code, func.count(), members, func.max(_members)).group_by(_zip_code)
    found = _matching(counts, query, counted=True).order_by(members.desc(), _zip_code).limit(most)
    rows: Any = await session.execute(found)
    return [(row[0], row[1], int(row[2]), row[3]) for row in rows]


def _matching(found: Any, query: NeighborhoodQuery, *, counted: bool = False) -> Any:
    """Filter a select, joined with what it needs of the members' counts and the pioneers."""

    counts: list[ColumnElement[bool]] = []
    if query.least is not None:
        counts.append(_members >= query.least)
    if query.most is not None:
        counts.append(_members <= query.most)
    if query.short_of is not None:
        counts.append(_missing <= query.short_of)
    found = found.where(*counts).select_from(Neighborhood)
    if counted or counts or query.column in {"members", "missing"}:
        found = found.outerjoin(_counted, _counted.c[0] == _id)
    if query.column == "pioneer":
        found = found.outerjoin(WaitlistSubmission, col(WaitlistSubmission.id) == _pioneer_id)
    if query.q:
        found = found.where(_name.contains(fold(query.q), autoescape=True))
    if query.zip:
        found = found.where(_zip_code.contains(query.zip, autoescape=True))
    if query.pioneer:
        found = found.join(Lead, col(Lead.id) == _pioneer_id)
        found = found.where(col(Lead.name_key).contains(fold(query.pioneer), autoescape=True))
    return found


def _row(*values: Any) -> NeighborhoodRow:
    *own, first, last = values
    return NeighborhoodRow(*own, pioneer=f"{first} {last}" if last is not None else "")
