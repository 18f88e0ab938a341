"""Renaming, merging and handing over neighborhoods; logged, and undone from the log."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit import audit
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import on_sqlite, tell
from fuel_app.kit.errors import ChangedSince, NeighborhoodGone, NotAMember, OtherZip
from fuel_app.kit.signals import MEMBERS
from fuel_app.neighborhoods.queries.neighborhoods import flush_named, naming
from fuel_app.neighborhoods.rules import NeighborhoodChange, change_summary
from fuel_app.neighborhoods.tables import Neighborhood, NeighborhoodRedirect
from fuel_app.waitlist.tables import WaitlistSubmission

NOUN = "neighborhood"
_LOCK_MEMBERS = text("LOCK TABLE waitlist_submissions IN SHARE ROW EXCLUSIVE MODE")
_MANY = 10_000  # ids in one statement
_SHOWN = 10  # changes of one neighborhood
_FORMER = "a former member"  # a person whose lead is deleted

_member_id, _member_of = col(WaitlistSubmission.id), col(WaitlistSubmission.neighborhood_id)
_email = col(WaitlistSubmission.email)
_redirect, _leads_to = col(NeighborhoodRedirect.id), col(NeighborhoodRedirect.neighborhood_id)


async def _locked(session: AsyncSession, *ids: str) -> list[Neighborhood]:
    """Lock these neighborhoods and everyone's membership until the transaction ends.

    Locking members row by row would deadlock with visitors who join. SQLite has one writer anyway.

    Raises:
        NeighborhoodGone: If one of them is not there (any more).
    """
    if not on_sqlite(session):
        await session.execute(_LOCK_MEMBERS)
    found = select(Neighborhood).where(col(Neighborhood.id).in_(ids)).order_by(col(Neighborhood.id))
    rows = {row.id: row for row in await session.scalars(found.with_for_update())}
    if len(rows) < len(set(ids)):
        raise NeighborhoodGone
    return [rows[neighborhood_id] for neighborhood_id in ids]


async def rename(
    session: AsyncSession, neighborhood_id: str, name: str, by: str
) -> NeighborhoodChange | None:
    """Give a neighborhood another name; None if it has that name already."""
    (neighborhood,) = await _locked(session, neighborhood_id)
    before = {"name": neighborhood.name}
    if neighborhood.name == name:
        return None
    _set(neighborhood, naming(name))
    await flush_named(session, neighborhood.zip_code)
    return await _log(session, neighborhood_id, "rename", by, before, {"name": name})


@audit.undoes(NOUN, "rename", topics=(MEMBERS,))
async def undo_rename(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    entry, before, after = _values(entries)
    (neighborhood,) = await _locked(session, entry.subject_id)
    if neighborhood.name != after["name"]:
        raise ChangedSince
    _set(neighborhood, naming(before["name"]))
    await flush_named(session, neighborhood.zip_code)
    return {entry.subject_id}


async def hand_over(
    session: AsyncSession, neighborhood_id: str, email: str, by: str
) -> NeighborhoodChange:
    """Make the member with this address the pioneer."""
    (neighborhood,) = await _locked(session, neighborhood_id)
    found = select(_member_id).where(_email == email, _member_of == neighborhood_id)
    member_id = await session.scalar(found)
    if member_id is None:
        raise NotAMember
    before = {"pioneer_id": neighborhood.pioneer_id}
    neighborhood.pioneer_id = member_id
    after = {"pioneer_id": member_id}
    return await _log(session, neighborhood_id, "pioneer", by, before, after)


@audit.undoes(NOUN, "pioneer", topics=(MEMBERS,))
async def undo_hand_over(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    """Restore the former pioneer, or none if they have left since."""
    entry, before, after = _values(entries)
    (neighborhood,) = await _locked(session, entry.subject_id)
    if neighborhood.pioneer_id != after["pioneer_id"]:
        raise ChangedSince
    neighborhood.pioneer_id = await _still_there(session, before["pioneer_id"])
    return {entry.subject_id}


async def merge(
    session: AsyncSession, survivor_id: str, gone_id: str, by: str
) -> NeighborhoodChange:
    """Move all members to the surviving neighborhood and redirect the other's links to it.

    The surviving one's pioneer stays; without one it takes the other's.
    """
    if survivor_id == gone_id:
        raise NeighborhoodGone
    survivor, gone = await _locked(session, survivor_id, gone_id)
    if survivor.zip_code != gone.zip_code:
        raise OtherZip
    members = await session.scalars(select(_member_id).where(_member_of == gone_id))
    redirects = await session.scalars(select(_redirect).where(_leads_to == gone_id))
    before = {
        "id": gone.id,
        "name": gone.name,
        "pioneer_id": gone.pioneer_id,
        "created_at": gone.created_at.isoformat(),
        "survivor_had_pioneer": survivor.pioneer_id is not None,
        "members": list(members),
        "redirects": list(redirects),
    }
    await _move(session, before["members"], gone_id, survivor_id)
    survivor.pioneer_id = survivor.pioneer_id or gone.pioneer_id
    theirs = update(NeighborhoodRedirect).where(_leads_to == gone_id)
    await session.execute(theirs.values(neighborhood_id=survivor_id))
    await session.delete(gone)
    session.add(NeighborhoodRedirect(id=gone_id, neighborhood_id=survivor_id))
    await session.flush()
    after = {"name": survivor.name, "moved": len(before["members"])}
    return await _log(session, survivor.id, "merge", by, before, after)


@audit.undoes(NOUN, "merge", topics=(MEMBERS,))
async def unmerge(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    """Make the merged neighborhood again, with the members that have not moved on since.

    Raises:
        ChangedSince: If the surviving one has itself become part of another.
        NeighborhoodNameTaken: If the ZIP has another neighborhood of that name by now.
    """
    entry, before, _ = _values(entries)
    try:
        (survivor,) = await _locked(session, entry.subject_id)
    except NeighborhoodGone as error:
        raise ChangedSince from error
    again = Neighborhood(
        **naming(before["name"]),
        id=before["id"],
        zip_code=survivor.zip_code,
        pioneer_id=await _still_there(session, before["pioneer_id"]),
        created_at=datetime.fromisoformat(before["created_at"]),
    )
    session.add(again)
    if not before["survivor_had_pioneer"] and survivor.pioneer_id == before["pioneer_id"]:
        survivor.pioneer_id = None
    await flush_named(session, survivor.zip_code)
    await _move(session, before["members"], survivor.id, again.id)
    await session.execute(delete(NeighborhoodRedirect).where(_redirect == again.id))
    theirs = update(NeighborhoodRedirect).where(_redirect.in_(before["redirects"]))
    await session.execute(theirs.values(neighborhood_id=again.id))
    return {entry.subject_id}


async def history(session: AsyncSession, neighborhood_id: str) -> list[NeighborhoodChange]:
    """Return a neighborhood's latest changes, newest first."""
    entries = await audit.history(session, NOUN, neighborhood_id, limit=_SHOWN)
    values = [each or {} for entry in entries for each in (entry.before, entry.after)]
    names = await _names(session, {each["pioneer_id"] for each in values if "pioneer_id" in each})
    return [
        NeighborhoodChange(
            entry.action_id,
            entry.at,
            entry.actor,
            change_summary(entry.kind, _named(entry.before, names), _named(entry.after, names)),
            undone=entry.undone_at is not None,
        )
        for entry in entries
    ]


async def _log(
    session: AsyncSession,
    neighborhood_id: str,
    kind: str,
    by: str,
    before: dict[str, Any],
    after: dict[str, Any],
) -> NeighborhoodChange:
    tell(session, MEMBERS)
    action = audit.Action(NOUN, kind, by)
    await audit.record(session, action, [audit.Change(neighborhood_id, before, after)])
    names = await _names(session, {before.get("pioneer_id"), after.get("pioneer_id")})
    done = change_summary(kind, _named(before, names), _named(after, names))
    return NeighborhoodChange(action.id, now(), by, done)


async def _names(session: AsyncSession, ids: set[str | None]) -> dict[str, str]:
    """Return the names by id. The log keeps none: a deleted person leaves no name there."""
    people = select(
        _member_id, col(WaitlistSubmission.first_name), col(WaitlistSubmission.last_name)
    ).where(_member_id.in_(ids - {None}))
    return {row[0]: f"{row[1]} {row[2]}" for row in await session.execute(people)}


def _named(values: Mapping[str, Any] | None, names: Mapping[str, str]) -> dict[str, Any]:
    named = dict(values or {})
    if pioneer_id := named.get("pioneer_id"):
        named["pioneer"] = names.get(pioneer_id, _FORMER)
    return named


async def _still_there(session: AsyncSession, submission_id: str | None) -> str | None:
    """Return the id, or None if the submission is gone."""
    return await session.scalar(select(_member_id).where(_member_id == submission_id))


async def _move(session: AsyncSession, ids: Sequence[str], source_id: str, target_id: str) -> None:
    """Move those of these members that are in the source."""
    for start in range(0, len(ids), _MANY):
        some = ids[start : start + _MANY]
        moving = update(WaitlistSubmission).where(_member_id.in_(some), _member_of == source_id)
        await session.execute(
            moving.values(neighborhood_id=target_id),
            execution_options={"synchronize_session": False},
        )


def _values(entries: Sequence[AuditEntry]) -> tuple[AuditEntry, dict[str, Any], dict[str, Any]]:
    """Return an action's one entry with its values."""
    (entry,) = entries
    return entry, entry.before or {}, entry.after or {}


def _set(neighborhood: Neighborhood, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(neighborhood, name, value)
