"""Changing a group: its name, its pioneer; with a log by which each is undone."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import on_sqlite
from fuel_app.kit.db.tables import now
from fuel_app.kit.errors import ChangedSince, NeighborhoodGone, NotAMember, NothingToUndo
from fuel_app.neighborhoods.member_counts import GROUPS_LOCK
from fuel_app.neighborhoods.queries.groups import flush_named, naming
from fuel_app.neighborhoods.rules.changes import HISTORY_SHOWN, GroupChange
from fuel_app.neighborhoods.rules.listing import pioneer_key
from fuel_app.neighborhoods.tables import Neighborhood, NeighborhoodChange
from fuel_app.waitlist.tables import WaitlistSubmission

_ALONE = text(f"SELECT pg_advisory_xact_lock({GROUPS_LOCK})")
_change_id = col(NeighborhoodChange.id)


async def alone(session: AsyncSession) -> None:
    """Until the transaction ends nobody else joins or leaves a group. SQLite is like that."""
    if not on_sqlite(session):
        await session.execute(_ALONE)


async def held(session: AsyncSession, *ids: str) -> list[Neighborhood]:
    """These groups, as they stay until the transaction ends.

    Raises:
        NeighborhoodGone: If one of them is not there (any more).
    """
    found = select(Neighborhood).where(col(Neighborhood.id).in_(ids)).order_by(col(Neighborhood.id))
    rows = {row.id: row for row in await session.scalars(found.with_for_update())}
    if len(rows) < len(set(ids)):
        raise NeighborhoodGone
    return [rows[group_id] for group_id in ids]


async def rename(session: AsyncSession, group: Neighborhood, name: str, by: str) -> GroupChange:
    """Give a (held) group another name.

    Raises:
        NeighborhoodNameTaken: If the ZIP has another group of that name.
    """
    before = {"name": group.name}
    _set(group, naming(name))
    await flush_named(session, group.zip_code)
    return await log(session, group.id, "rename", by, before, {"name": name})


async def member(session: AsyncSession, group_id: str, email: str) -> WaitlistSubmission:
    """The member of the group who has this address.

    Raises:
        NotAMember: If there is none (any more).
    """
    found = select(WaitlistSubmission).where(
        col(WaitlistSubmission.email) == email,
        col(WaitlistSubmission.neighborhood_id) == group_id,
    )
    row = await session.scalar(found)
    if row is None:
        raise NotAMember
    return row


async def hand_over(
    session: AsyncSession, group: Neighborhood, to: WaitlistSubmission, by: str
) -> GroupChange:
    """Make a member the pioneer of a (held) group."""
    before = {
        "pioneer_id": group.pioneer_id,
        "pioneer_key": group.pioneer_key,
        "pioneer": await _name_of(session, group.pioneer_id),
    }
    key = pioneer_key(to.first_name, to.last_name)
    _set(group, {"pioneer_id": to.id, "pioneer_key": key})
    after = {"pioneer_id": to.id, "pioneer": f"{to.first_name} {to.last_name}"}
    return await log(session, group.id, "pioneer", by, before, after)


async def log(
    session: AsyncSession,
    group_id: str,
    kind: str,
    by: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> GroupChange:
    """Note what was done."""
    row = NeighborhoodChange(
        neighborhood_id=group_id, kind=kind, by_session=by, before=dict(before), after=dict(after)
    )
    session.add(row)
    await session.flush()
    return _told(row)


async def history(session: AsyncSession, group_id: str) -> list[GroupChange]:
    """The group's latest changes, newest first."""
    found = select(NeighborhoodChange).where(col(NeighborhoodChange.neighborhood_id) == group_id)
    rows = await session.scalars(found.order_by(_change_id.desc()).limit(HISTORY_SHOWN))
    return [_told(row) for row in rows]


async def claim_undo(session: AsyncSession, change_id: str) -> GroupChange:
    """Mark a change as undone and return it.

    Raises:
        NothingToUndo: If it is undone already, or there is no such change.
    """
    undoable = update(NeighborhoodChange).where(
        _change_id == change_id, col(NeighborhoodChange.undone_at).is_(None)
    )
    marked = undoable.values(undone_at=now()).returning(NeighborhoodChange)
    row = await session.scalar(marked)
    if row is None:
        raise NothingToUndo
    return _told(row)


async def undo_rename(session: AsyncSession, change: GroupChange) -> None:
    (group,) = await held(session, change.neighborhood_id)
    if group.name != change.after["name"]:
        raise ChangedSince
    _set(group, naming(change.before["name"]))
    await flush_named(session, group.zip_code)


async def undo_hand_over(session: AsyncSession, change: GroupChange) -> None:
    """Give the role back; a former pioneer who has left since leaves the group without one."""
    former = change.before["pioneer_id"]
    there = former and await _name_of(session, former)
    (group,) = await held(session, change.neighborhood_id)
    if group.pioneer_id != change.after["pioneer_id"]:
        raise ChangedSince
    _set(
        group,
        {
            "pioneer_id": former if there else None,
            "pioneer_key": change.before["pioneer_key"],
        },
    )


async def _name_of(session: AsyncSession, submission_id: str | None) -> str:
    """The name of somebody; empty if they are not there (any more)."""
    found = select(col(WaitlistSubmission.first_name), col(WaitlistSubmission.last_name))
    row = (await session.execute(found.where(col(WaitlistSubmission.id) == submission_id))).first()
    return f"{row[0]} {row[1]}" if row else ""


def _set(group: Neighborhood, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(group, name, value)


def _told(row: NeighborhoodChange) -> GroupChange:
    return GroupChange(
        id=row.id,
        neighborhood_id=row.neighborhood_id,
        kind=row.kind,
        at=row.at,
        before=row.before,
        after=row.after,
        moved=row.moved,
        undone=row.undone_at is not None,
        by=row.by_session,
    )
