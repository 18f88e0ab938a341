"""Changing leads, with an audit log: in `leads` and in each type's own table."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import case, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit import audit
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import WAITLIST_STATUS, LeadRow
from fuel_app.leads.tables import Lead
from fuel_app.submissions.queries import deleted as deleted_leads
from fuel_app.submissions.queries.deleted import TABLES

_id, _type = col(Lead.id), col(Lead.type)


async def locked(session: AsyncSession, lead_ids: Sequence[str]) -> list[LeadRow]:
    """Lock these leads until the transaction ends; those that are gone are left out."""
    found = select(_id).where(_id.in_(lead_ids)).order_by(col(Lead.number))
    there = (await session.scalars(found.with_for_update())).all()
    return await leads.by_ids(session, there)


async def set_field(
    session: AsyncSession, action: audit.Action, rows: Sequence[LeadRow], field: str, value: str
) -> int:
    """Set the status or the source of these locked leads. Return how many differed.

    A constant number of statements, however many leads.
    """
    differ = [row for row in rows if getattr(row, field) != value]
    changes = [audit.Change(row.id, {field: getattr(row, field)}, {field: value}) for row in differ]
    await audit.record(session, action, changes)
    await _write(session, differ, field, value)
    return len(differ)


async def set_back(
    session: AsyncSession, field: str, changes: Sequence[audit.AuditEntry]
) -> set[str]:
    """Give leads their former status or source, except those changed again since."""
    before = {change.subject_id: (change.before or {})[field] for change in changes}
    after = {change.subject_id: (change.after or {})[field] for change in changes}
    rows = await locked(session, list(before))
    same = [row for row in rows if getattr(row, field) == after[row.id]]
    for value, some in groupby(
        sorted(same, key=lambda row: before[row.id]), key=lambda row: before[row.id]
    ):
        await _write(session, list(some), field, value)
    return {row.id for row in same}


async def remove(session: AsyncSession, action: audit.Action, rows: Sequence[LeadRow]) -> int:
    """Delete these locked leads; the log keeps each whole for a while. Return how many."""
    kept = await deleted_leads.snapshots(session, rows)
    await audit.record(session, action, [audit.Change(row.id, kept[row.id]) for row in rows])
    for lead_type, ids in _by_type(rows).items():
        await session.execute(delete(TABLES[lead_type]).where(col(TABLES[lead_type].id).in_(ids)))
    await session.execute(delete(Lead).where(_id.in_([row.id for row in rows])))
    return len(rows)


async def _write(session: AsyncSession, rows: Sequence[LeadRow], field: str, value: str) -> None:
    for lead_type, ids in _by_type(rows).items():
        theirs = update(TABLES[lead_type]).where(col(TABLES[lead_type].id).in_(ids))
        await session.execute(theirs.values({field: value}))
    listed: dict[str, Any] = {field: value, "revision": col(Lead.revision) + 1}
    if field == "status":
        listed["shown_status"] = case((_type == "waitlist", WAITLIST_STATUS), else_=value)
    ids = [row.id for row in rows]
    await session.execute(update(Lead).where(_id.in_(ids)).values(listed))


def _by_type(rows: Sequence[LeadRow]) -> Mapping[str, list[str]]:
    of_type: dict[str, list[str]] = {}
    for row in rows:
        of_type.setdefault(row.type, []).append(row.id)
    return of_type
