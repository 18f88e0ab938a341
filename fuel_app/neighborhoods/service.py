"""Staff look at neighborhoods, rename them, merge two, hand the pioneer's role over.

Each change is logged, and undone from the log.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas.rules.places import Coordinates, outline
from fuel_app.areas.service.places import zip_places
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.csv import BOM, lines, moment
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.errors import ChangedSince, NeighborhoodGone, NotAMember, OtherZip
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page, pages_of
from fuel_app.kit.signals import MEMBERS
from fuel_app.neighborhoods import queries
from fuel_app.neighborhoods.rules import (
    PAGE_SIZE,
    MemberQuery,
    NeighborhoodChange,
    NeighborhoodDetail,
    NeighborhoodQuery,
    NeighborhoodRow,
    NeighborhoodSummary,
    ZipArea,
    change_summary,
)
from fuel_app.neighborhoods.tables import Neighborhood, NeighborhoodRedirect

NOUN = "neighborhood"
EXPORT_COLUMNS = ("Name", "ZIP Code", "Members", "Created At")
AREAS_SHOWN = 400  # circles on the map: those with the most members
_CHANGES_SHOWN = 10  # of one neighborhood
_FORMER = "a former member"  # a person whose lead is deleted


async def page(query: NeighborhoodQuery, *, actor: Actor) -> Page[NeighborhoodRow]:
    """Return a page of the table; beyond the end, the last one."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        ids = await queries.ids(session, query)
        pages = pages_of(len(ids), PAGE_SIZE)
        number = min(query.page, pages)
        start = (number - 1) * PAGE_SIZE
        rows = await queries.by_ids(session, ids[start : start + PAGE_SIZE])
        return Page(tuple(rows), number, pages, len(ids))


def matching(query: NeighborhoodQuery, *, actor: Actor) -> AsyncIterator[str]:
    """Return the table under these filters as CSV, in its order."""
    actor.require(Role.DISPATCHER)
    return _matching(query)


async def _matching(query: NeighborhoodQuery) -> AsyncIterator[str]:
    yield BOM + lines([EXPORT_COLUMNS])
    async for rows in queries.in_batches(query):
        yield await asyncio.to_thread(lines, map(_cells, rows))  # beside the event loop


def _cells(row: NeighborhoodRow) -> tuple[str, ...]:
    return (row.name, row.zip_code, str(row.members), moment(row.created_at))


async def areas(query: NeighborhoodQuery, *, actor: Actor) -> list[ZipArea]:
    """Return an area for each ZIP with matching neighborhoods, largest first."""
    actor.require(Role.DISPATCHER)
    places = await zip_places()
    async with reading() as session:
        rows = await queries.by_zip(session, query, most=AREAS_SHOWN)
    return [ZipArea(*row, *places[row[0]]) for row in rows if row[0] in places]


async def service_area() -> list[Coordinates]:
    """Return the outline of the service area; empty if no place is known."""
    return outline(await zip_places())


async def detail(
    session: AsyncSession, neighborhood_id: object, query: MemberQuery
) -> NeighborhoodDetail | None:
    """Return a neighborhood with a page of its members; None if it is not there (any more)."""
    known_id = well_formed_id(neighborhood_id)
    found = await queries.detail(session, known_id, query) if known_id else None
    if found is None:
        return None
    here = found.neighborhood
    return replace(found, can_merge=await queries.has_others(session, here.zip_code, here.id))


async def others_in_zip(
    zip_code: str, neighborhood_id: str, *, actor: Actor
) -> list[NeighborhoodSummary]:
    """Return the other neighborhoods of the ZIP, which this one could be merged with."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        in_zip = await queries.in_zip(session, zip_code)
    return [other for other in in_zip if other.id != neighborhood_id]


async def history(neighborhood_id: str, *, actor: Actor) -> list[NeighborhoodChange]:
    """Return the latest changes of a neighborhood by staff, newest first."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        entries = await audit.history(session, NOUN, neighborhood_id, limit=_CHANGES_SHOWN)
        values = [each or {} for entry in entries for each in (entry.before, entry.after)]
        pioneers = {each["pioneer_id"] for each in values if "pioneer_id" in each}
        names = await queries.names(session, pioneers)
    actors = await directory.names(entry.actor for entry in entries)
    return [
        NeighborhoodChange(
            entry.action_id,
            entry.at,
            actors[entry.actor],
            change_summary(entry.kind, _named(entry.before, names), _named(entry.after, names)),
            undone=entry.undone_at is not None,
        )
        for entry in entries
    ]


async def rename(neighborhood_id: object, name: str, *, actor: Actor) -> NeighborhoodChange | None:
    """Rename a neighborhood; None if it has that name already.

    Args:
        name: Cleaned by `clean_name`.

    Raises:
        NeighborhoodGone: If there is no such neighborhood (any more).
        NeighborhoodNameTaken: If the ZIP has another neighborhood of that name.
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        (neighborhood,) = await _lock(session, neighborhood_id)
        if neighborhood.name == name:
            return None
        before = {"name": neighborhood.name}
        await queries.set_name(session, neighborhood, name)
        return await _log(session, neighborhood.id, "rename", actor, before, {"name": name})


@audit.undoes(NOUN, "rename", topics=(MEMBERS,))
async def _undo_rename(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    entry, before, after = _values(entries)
    (neighborhood,) = await queries.lock_rows(session, entry.subject_id)
    if neighborhood.name != after["name"]:
        raise ChangedSince
    await queries.set_name(session, neighborhood, before["name"])
    return {entry.subject_id}


async def hand_over(neighborhood_id: object, email: str, *, actor: Actor) -> NeighborhoodChange:
    """Make a member the neighborhood's pioneer.

    Args:
        email: Cleaned by `contact.email`.

    Raises:
        NeighborhoodGone: If there is no such neighborhood (any more).
        NotAMember: If none of its members has this address (any more).
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        (neighborhood,) = await _lock(session, neighborhood_id)
        member_id = await queries.member_with(session, neighborhood.id, email)
        if member_id is None:
            raise NotAMember
        before, after = {"pioneer_id": neighborhood.pioneer_id}, {"pioneer_id": member_id}
        neighborhood.pioneer_id = member_id
        return await _log(session, neighborhood.id, "pioneer", actor, before, after)


@audit.undoes(NOUN, "pioneer", topics=(MEMBERS,))
async def _undo_hand_over(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    """Restore the former pioneer, or none if they have left since."""
    entry, before, after = _values(entries)
    (neighborhood,) = await queries.lock_rows(session, entry.subject_id)
    if neighborhood.pioneer_id != after["pioneer_id"]:
        raise ChangedSince
    neighborhood.pioneer_id = await _still_there(session, before["pioneer_id"])
    return {entry.subject_id}


async def merge(survivor_id: object, gone_id: object, *, actor: Actor) -> NeighborhoodChange:
    """Merge a neighborhood into another of its ZIP. Its members move, its join link redirects.

    The surviving one's pioneer stays; without one it takes the other's.

    Raises:
        NeighborhoodGone: If one of them is not there (any more).
        OtherZip: If they are not of one ZIP.
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        survivor, gone = await _lock(session, survivor_id, gone_id)
        if survivor.id == gone.id:
            raise NeighborhoodGone
        if survivor.zip_code != gone.zip_code:
            raise OtherZip
        before = {
            "id": gone.id,
            "name": gone.name,
            "pioneer_id": gone.pioneer_id,
            "created_at": gone.created_at.isoformat(),
            "survivor_had_pioneer": survivor.pioneer_id is not None,
            "members": await queries.members_of(session, gone.id),
            "redirects": await queries.redirects_to(session, gone.id),
        }
        await queries.move(session, before["members"], gone.id, survivor.id)
        survivor.pioneer_id = survivor.pioneer_id or gone.pioneer_id
        await queries.redirect(session, before["redirects"], survivor.id)
        await session.delete(gone)
        session.add(NeighborhoodRedirect(id=gone.id, neighborhood_id=survivor.id))
        await session.flush()
        after = {"name": survivor.name, "moved": len(before["members"])}
        return await _log(session, survivor.id, "merge", actor, before, after)


@audit.undoes(NOUN, "merge", topics=(MEMBERS,))
async def _unmerge(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    """Make the merged neighborhood again, with the members that have not moved on since.

    Raises:
        ChangedSince: If the surviving one has itself become part of another.
        NeighborhoodNameTaken: If the ZIP has another neighborhood of that name by now.
    """
    entry, before, _ = _values(entries)
    try:
        (survivor,) = await queries.lock_rows(session, entry.subject_id)
    except NeighborhoodGone as error:
        raise ChangedSince from error
    again = Neighborhood(
        **queries.naming(before["name"]),
        id=before["id"],
        zip_code=survivor.zip_code,
        pioneer_id=await _still_there(session, before["pioneer_id"]),
        created_at=datetime.fromisoformat(before["created_at"]),
    )
    session.add(again)
    if not before["survivor_had_pioneer"] and survivor.pioneer_id == before["pioneer_id"]:
        survivor.pioneer_id = None
    await queries.flush_named(session, survivor.zip_code)
    await queries.move(session, before["members"], survivor.id, again.id)
    await session.delete(await session.get_one(NeighborhoodRedirect, again.id))
    await queries.redirect(session, before["redirects"], again.id)
    return {entry.subject_id}


async def _lock(session: AsyncSession, *ids: object) -> list[Neighborhood]:
    """Lock neighborhoods whose ids a browser has sent. Raises NeighborhoodGone."""
    return await queries.lock_rows(session, *(well_formed_id(each) or "" for each in ids))


async def _log(
    session: AsyncSession,
    neighborhood_id: str,
    kind: str,
    actor: Actor,
    before: dict[str, Any],
    after: dict[str, Any],
) -> NeighborhoodChange:
    publish(session, MEMBERS)
    action = Action(NOUN, kind, str(actor))
    await audit.record(session, action, [Change(neighborhood_id, before, after)])
    names = await queries.names(session, {before.get("pioneer_id"), after.get("pioneer_id")})
    summary = change_summary(kind, _named(before, names), _named(after, names))
    return NeighborhoodChange(action.id, clock.now(), str(actor), summary)


def _named(values: Mapping[str, Any] | None, names: Mapping[str, str]) -> dict[str, Any]:
    """Add the pioneer's name. The log keeps none: a deleted person leaves no name there."""
    named = dict(values or {})
    if pioneer_id := named.get("pioneer_id"):
        named["pioneer"] = names.get(pioneer_id, _FORMER)
    return named


async def _still_there(session: AsyncSession, submission_id: str | None) -> str | None:
    """Return the id, or None if the submission is gone."""
    return next(iter(await queries.names(session, {submission_id})), None)


def _values(entries: Sequence[AuditEntry]) -> tuple[AuditEntry, dict[str, Any], dict[str, Any]]:
    """Return an action's one entry with its values."""
    (entry,) = entries
    return entry, entry.before or {}, entry.after or {}
