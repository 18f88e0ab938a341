"""Two groups of one ZIP become one, and two again."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, literal, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.errors import ChangedSince, NeighborhoodGone, OtherZip
from fuel_app.neighborhoods.queries.changes import held, log
from fuel_app.neighborhoods.queries.groups import flush_named, naming
from fuel_app.neighborhoods.rules.changes import GroupChange
from fuel_app.neighborhoods.tables import (
    Neighborhood,
    NeighborhoodChange,
    NeighborhoodMove,
    NeighborhoodRedirect,
)
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.tables import WaitlistSubmission

_id = col(WaitlistSubmission.id)
_group_id = col(WaitlistSubmission.neighborhood_id)
_leads_to = col(NeighborhoodRedirect.neighborhood_id)


async def merge(session: AsyncSession, survivor_id: str, gone_id: str, by: str) -> GroupChange:
    """Move all members of one group to the other, whose pioneer stays; a group without one takes
    the other's. What led to the merged group leads to the surviving one.

    Raises:
        NeighborhoodGone: If one of them is not there (any more).
        OtherZip: If they are not of one ZIP.
    """
    if survivor_id == gone_id:
        raise NeighborhoodGone
    survivor, gone = await held(session, survivor_id, gone_id)
    if survivor.zip_code != gone.zip_code:
        raise OtherZip
    before = await _kept(session, survivor, gone)
    change = await log(session, survivor.id, "merge", by, before, {"name": survivor.name})
    moves = select(literal(change.id), _id).where(_group_id == gone_id)
    columns = ["change_id", "submission_id"]
    await session.execute(insert(NeighborhoodMove).from_select(columns, moves))
    moved = await _move(session, gone_id, survivor_id, _group_id == gone_id)
    await session.execute(
        update(NeighborhoodChange)
        .where(col(NeighborhoodChange.id) == change.id)
        .values(moved=moved)
    )
    if survivor.pioneer_id is None:
        survivor.pioneer_id, survivor.pioneer_key = gone.pioneer_id, gone.pioneer_key
    await session.execute(
        update(NeighborhoodRedirect).where(_leads_to == gone_id).values(neighborhood_id=survivor_id)
    )
    await session.delete(gone)
    session.add(NeighborhoodRedirect(id=gone_id, neighborhood_id=survivor_id))
    await session.flush()
    return replace(change, moved=moved)


async def unmerge(session: AsyncSession, change: GroupChange) -> None:
    """Make the merged group again, with those of its members who have not moved on since.

    Raises:
        ChangedSince: If the surviving group has itself become part of another.
        NeighborhoodNameTaken: If the ZIP has another group of that name by now.
    """
    kept, survivor_id = change.before, change.neighborhood_id
    moves = select(col(NeighborhoodMove.submission_id))
    moved = _id.in_(moves.where(col(NeighborhoodMove.change_id) == change.id))
    still_there = moved & (_group_id == survivor_id)
    try:
        (survivor,) = await held(session, survivor_id)
    except NeighborhoodGone as error:
        raise ChangedSince from error
    there = await waitlist.exists(session, kept["pioneer_id"] or "")
    session.add(
        Neighborhood(
            **naming(kept["name"]),
            id=kept["id"],
            zip_code=survivor.zip_code,
            pioneer_id=kept["pioneer_id"] if there else None,
            pioneer_key=kept["pioneer_key"],
            created_at=datetime.fromisoformat(kept["created_at"]),
        )
    )
    if not kept["survivor_had_pioneer"] and survivor.pioneer_id == kept["pioneer_id"]:
        survivor.pioneer_id = None
    await flush_named(session, survivor.zip_code)
    await _move(session, survivor_id, kept["id"], still_there)
    redirect = col(NeighborhoodRedirect.id)
    await session.execute(delete(NeighborhoodRedirect).where(redirect == kept["id"]))
    theirs = update(NeighborhoodRedirect).where(redirect.in_(kept["redirects"]))
    await session.execute(theirs.values(neighborhood_id=kept["id"]))


async def _kept(
    session: AsyncSession, survivor: Neighborhood, gone: Neighborhood
) -> dict[str, Any]:
    """What it takes to make the group again."""
    links = await session.scalars(select(col(NeighborhoodRedirect.id)).where(_leads_to == gone.id))
    return {
        "id": gone.id,
        "name": gone.name,
        "pioneer_id": gone.pioneer_id,
        "pioneer_key": gone.pioneer_key,
        "created_at": gone.created_at.isoformat(),
        "survivor_had_pioneer": survivor.pioneer_id is not None,
        "redirects": list(links.all()),
    }


async def _move(session: AsyncSession, source_id: str, target_id: str, which: Any) -> int:
    """Move these members; the database counts them here and there. Returns how many."""
    moving = update(WaitlistSubmission).where(_group_id == source_id, which)
    done: Any = await session.execute(
        moving.values(neighborhood_id=target_id),
        execution_options={"synchronize_session": False},
    )
    return done.rowcount
