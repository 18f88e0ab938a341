"""Snapshots of deleted leads, and their restoration."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.leads.rules import LeadRow
from fuel_app.leads.tables import Lead
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.quotes.tables import BusinessQuote, FleetQuote
from fuel_app.waitlist.tables import WaitlistSubmission

TABLES: Mapping[str, Any] = {
    "fleet": FleetQuote,
    "business": BusinessQuote,
    "waitlist": WaitlistSubmission,
}
_pioneer, _referrer = col(Neighborhood.pioneer_id), col(WaitlistSubmission.referred_by_id)

Snapshot = dict[str, Any]


async def snapshots(session: AsyncSession, rows: Sequence[LeadRow]) -> dict[str, Snapshot]:
    """Return each lead as JSON: its rows, and the ids of the rows that refer to it."""
    ids = [row.id for row in rows]
    listed = await session.execute(select(Lead.__table__).where(col(Lead.id).in_(ids)))  # type: ignore[attr-defined]
    kept: dict[str, Snapshot] = {
        line["id"]: {"type": line["type"], "line": _plain(line), "pioneer_of": [], "referred": []}
        for line in listed.mappings()
    }
    for table in TABLES.values():
        found = await session.execute(select(table.__table__).where(col(table.id).in_(ids)))
        for row in found.mappings():
            kept[row["id"]]["row"] = _plain(row)
    for neighborhood_id, pioneer in await session.execute(
        select(col(Neighborhood.id), _pioneer).where(_pioneer.in_(ids))
    ):
        kept[str(pioneer)]["pioneer_of"].append(neighborhood_id)
    for guest_id, referrer in await session.execute(
        select(col(WaitlistSubmission.id), _referrer).where(_referrer.in_(ids))
    ):
        kept[str(referrer)]["referred"].append(guest_id)
    return kept


async def restore(session: AsyncSession, deleted: Sequence[Snapshot]) -> set[str]:
    """Store these leads again. Return their ids.

    One whose e-mail address has joined again since, or that is there already, is left out.
    """
    free = await _without_taken(session, deleted)
    if not free:
        return set()
    await _forget_what_is_gone(session, free)
    for lead_type, table in TABLES.items():
        rows = [_typed(kept["row"]) for kept in free if kept["type"] == lead_type]
        if rows:
            await session.execute(insert(table), rows)
    await session.execute(insert(Lead), [_typed(kept["line"]) for kept in free])
    back = {kept["row"]["id"] for kept in free}
    for kept in free:
        own_id = kept["row"]["id"]
        await _point_at(session, Neighborhood, "pioneer_id", kept["pioneer_of"], own_id)
        await _point_at(session, WaitlistSubmission, "referred_by_id", kept["referred"], own_id)
    return back


async def _without_taken(session: AsyncSession, deleted: Sequence[Snapshot]) -> list[Snapshot]:
    ids = [kept["row"]["id"] for kept in deleted]
    emails = [kept["row"]["email"] for kept in deleted if kept["type"] == "waitlist"]
    email = col(WaitlistSubmission.email)
    there = set((await session.scalars(select(col(Lead.id)).where(col(Lead.id).in_(ids)))).all())
    taken = set((await session.scalars(select(email).where(email.in_(emails)))).all())
    return [
        kept
        for kept in deleted
        if kept["row"]["id"] not in there
        and not (kept["type"] == "waitlist" and kept["row"]["email"] in taken)
    ]


async def _forget_what_is_gone(session: AsyncSession, deleted: Sequence[Snapshot]) -> None:
    """Clear the references to neighborhoods and referrers that are gone.

    A referrer that comes back in the same batch refers to its guests itself.
    """
    for key, table in (("neighborhood_id", Neighborhood), ("referred_by_id", WaitlistSubmission)):
        named = {kept["row"].get(key) for kept in deleted} - {None}
        found = await session.scalars(select(col(table.id)).where(col(table.id).in_(named)))
        there = set(found.all())
        for kept in deleted:
            if key in kept["row"] and kept["row"][key] not in there:
                kept["row"][key] = None


async def _point_at(
    session: AsyncSession, table: Any, key: str, ids: Sequence[str], own_id: str
) -> None:
    if not ids:
        return
    free = col(getattr(table, key)).is_(None)
    theirs = update(table).where(col(table.id).in_(ids), free)
    await session.execute(theirs.values({key: own_id}))


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in row.items()
    }


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"created_at": datetime.fromisoformat(row["created_at"])}
