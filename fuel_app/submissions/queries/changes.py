"""Changing leads, with a log of what was there before: in `leads` and in each type's own table."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import case, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.tables import now
from fuel_app.leads.queries import listing as leads
from fuel_app.leads.rules import WAITLIST_STATUS, LeadRow
from fuel_app.leads.tables import Lead, LeadAction, LeadChange
from fuel_app.submissions.queries import deleted as deleted_leads
from fuel_app.submissions.queries.deleted import TABLES

_id, _type = col(Lead.id), col(Lead.type)


async def begin(session: AsyncSession, kind: str, value: str, by: str) -> str:
    """Note that somebody starts to do something; returns the action's id."""
    action = LeadAction(kind=kind, value=value, by_session=by, state="running")
    session.add(action)
    await session.flush()
    return action.id


async def end(session: AsyncSession, action_id: str, *, changed: int, failed: bool = False) -> None:
    ended = update(LeadAction).where(col(LeadAction.id) == action_id)
    await session.execute(ended.values(state="failed" if failed else "done", changed=changed))


async def held(session: AsyncSession, lead_ids: Sequence[str]) -> dict[str, int]:
    """The revision of each of these leads, which stay as they are until the transaction ends."""
    found = select(_id, col(Lead.revision)).where(_id.in_(lead_ids)).order_by(col(Lead.number))
    return {row.id: row.revision for row in await session.execute(found.with_for_update())}


async def set_field(
    session: AsyncSession, action_id: str, rows: Sequence[LeadRow], field: str, value: str
) -> int:
    """Set the status or the source of these (held) leads and log what it was; how many differed.

    A constant number of statements, however many leads.
    """
    differ = [row for row in rows if getattr(row, field) != value]
    if not differ:
        return 0
    changes = [
        _change(action_id, row, field, before=getattr(row, field), after=value) for row in differ
    ]
    await session.execute(insert(LeadChange), changes)
    await _write(session, differ, field, value)
    return len(differ)


async def remove(session: AsyncSession, action_id: str, rows: Sequence[LeadRow]) -> int:
    """Delete these (held) leads; the log keeps each whole. How many."""
    if not rows:
        return 0
    kept = await deleted_leads.snapshots(session, rows)
    changes = [_change(action_id, row, "delete", deleted=kept[row.id]) for row in rows]
    await session.execute(insert(LeadChange), changes)
    for lead_type, ids in _by_type(rows):
        await session.execute(delete(TABLES[lead_type]).where(col(TABLES[lead_type].id).in_(ids)))
    await session.execute(delete(Lead).where(_id.in_([row.id for row in rows])))
    return len(rows)


async def claim_undo(session: AsyncSession, action_id: str) -> str | None:
    """Mark an action as undone; returns its kind, or None if there is nothing (left) to undo."""
    undoable = update(LeadAction).where(
        col(LeadAction.id) == action_id,
        col(LeadAction.undone_at).is_(None),
        col(LeadAction.state) != "running",
        col(LeadAction.kind) != "undo",
    )
    marked = undoable.values(undone_at=now()).returning(col(LeadAction.kind))
    return await session.scalar(marked)


async def changes_of(
    session: AsyncSession, action_id: str, *, after: int, limit: int
) -> list[LeadChange]:
    """What an action changed, in order, some at a time."""
    number: Any = col(LeadChange.number)
    found = select(LeadChange).where(col(LeadChange.action_id) == action_id, number > after)
    return list((await session.scalars(found.order_by(number).limit(limit))).all())


async def put_back(
    session: AsyncSession, action_id: str, field: str, changes: Sequence[LeadChange]
) -> int:
    """Give leads their former status or source, except those changed again since; how many."""
    former = {change.lead_id: change for change in changes}
    await held(session, list(former))
    rows = await leads.by_ids(session, list(former))
    same = [row for row in rows if getattr(row, field) == former[row.id].after]
    for before, group in groupby(
        sorted(same, key=lambda row: former[row.id].before or ""),
        key=lambda row: former[row.id].before or "",
    ):
        await set_field(session, action_id, list(group), field, before)
    return len(same)


async def restore(session: AsyncSession, action_id: str, changes: Sequence[LeadChange]) -> int:
    """Store deleted leads again as they were; how many. A taken e-mail address stays taken."""
    back = await deleted_leads.restore(session, [change.deleted or {} for change in changes])
    values = [
        {
            "action_id": action_id,
            "lead_id": change.lead_id,
            "lead_type": change.lead_type,
            "field": "delete",
            "before": None,
            "after": None,
            "deleted": None,
        }
        for change in changes
        if change.lead_id in back
    ]
    if values:
        await session.execute(insert(LeadChange), values)
    return len(values)


async def _write(session: AsyncSession, rows: Sequence[LeadRow], field: str, value: str) -> None:
    for lead_type, ids in _by_type(rows):
        theirs = update(TABLES[lead_type]).where(col(TABLES[lead_type].id).in_(ids))
        await session.execute(theirs.values({field: value}))
    listed: dict[str, Any] = {field: value, "revision": col(Lead.revision) + 1}
    if field == "status":
        listed["shown_status"] = case((_type == "waitlist", WAITLIST_STATUS), else_=value)
    ids = [row.id for row in rows]
    await session.execute(update(Lead).where(_id.in_(ids)).values(listed))


def _change(action_id: str, row: LeadRow, field: str, **values: Any) -> dict[str, Any]:
    return {
        "action_id": action_id,
        "lead_id": row.id,
        "lead_type": row.type,
        "field": field,
        "before": None,
        "after": None,
        "deleted": None,
        **values,
    }


def _by_type(rows: Sequence[LeadRow]) -> list[tuple[str, list[str]]]:
    of_type: dict[str, list[str]] = {}
    for row in rows:
        of_type.setdefault(row.type, []).append(row.id)
    return list(of_type.items())
