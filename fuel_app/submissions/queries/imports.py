"""Queries on imports: their progress, the leads that they bring and the rows that they reject."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.clock import now
from fuel_app.kit.db.session import insert_new
from fuel_app.kit.db.tables import new_id
from fuel_app.leads import rules as leads
from fuel_app.leads.tables import Lead
from fuel_app.submissions.rules.imports import (
    AFTER_REMOVAL,
    ALREADY_STORED,
    CheckedRow,
    ImportRunning,
    LeadFile,
    LeadMapping,
)
from fuel_app.submissions.tables import (
    LeadImport,
    LeadImportFile,
    LeadImportReject,
    LeadImportUpload,
)
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.tables import WaitlistSubmission

_WAITLIST = WaitlistSubmission.__table__
_REJECTS = LeadImportReject.__table__
_Upload = LeadImportUpload
_id, _state = col(LeadImport.id), col(LeadImport.state)
_number: Any = col(LeadImportReject.number)


async def keep_upload(session: AsyncSession, name: str, compressed: bytes, by: str) -> str:
    """Store a file that staff look at, in the place of their earlier one. Return its id."""
    await session.execute(delete(_Upload).where(col(_Upload.actor) == by))
    row = _Upload(file_name=name, compressed=compressed, actor=by)
    session.add(row)
    await session.flush()
    return row.id


async def find_upload(session: AsyncSession, upload_id: str, by: str) -> tuple[str, bytes] | None:
    """Return the name and the compressed text of the file that this person has sent."""
    own = col(_Upload.id) == upload_id, col(_Upload.actor) == by
    row = (
        await session.execute(select(col(_Upload.file_name), col(_Upload.compressed)).where(*own))
    ).first()
    return (row[0], row[1]) if row else None


async def drop_upload(session: AsyncSession, upload_id: str, by: str) -> bool:
    """Delete a file that was only looked at; False if it is gone already."""
    own = col(_Upload.id) == upload_id, col(_Upload.actor) == by
    return await session.scalar(delete(_Upload).where(*own).returning(col(_Upload.id))) is not None


async def drop_uploads(session: AsyncSession, before: datetime) -> None:
    """Delete the files that were sent before a moment and never imported."""
    await session.execute(delete(_Upload).where(col(_Upload.sent_at) < before))


async def known_emails(session: AsyncSession, emails: Collection[str]) -> set[str]:
    """Return those of these e-mails that are on the waitlist."""
    email = col(WaitlistSubmission.email)
    return set(await session.scalars(select(email).where(email.in_(emails))))


async def add(
    session: AsyncSession, file: LeadFile, mapping: LeadMapping, compressed: bytes, by: str
) -> str:
    """Store a new import and its file. Return its id.

    Raises:
        ImportRunning: If another one is under way.
    """
    row = LeadImport(
        file_name=file.name,
        header=file.kept_header,
        places=dict(mapping.places),
        keeps_rest=mapping.keeps_rest,
        rows=file.rows,
        actor=by,
    )
    session.add(row)
    try:
        await session.flush()
    except IntegrityError as error:
        raise ImportRunning from error
    await session.execute(insert(LeadImportFile).values(import_id=row.id, compressed=compressed))
    return row.id


async def state(session: AsyncSession, import_id: str) -> str | None:
    """Return an import's state, and keep it as it is until the transaction ends."""
    return await session.scalar(select(_state).where(_id == import_id).with_for_update())


async def load(session: AsyncSession, import_id: str) -> tuple[LeadImport, bytes] | None:
    """Return a running import and its file."""
    whole = select(LeadImport, col(LeadImportFile.compressed)).join(
        LeadImportFile, col(LeadImportFile.import_id) == _id
    )
    row = (await session.execute(whole.where(_id == import_id, _state == "running"))).first()
    return (row[0], row[1]) if row else None


async def store(
    session: AsyncSession, import_id: str, rows: Sequence[CheckedRow]
) -> dict[str, int]:
    """Store some rows of a file. Return the counts, which are added to the import's own.

    The unique index on e-mails settles races.
    """
    new_lead = {"status": leads.STATUSES[0], "created_at": now()}
    entries = {new_id(): (row.line, row.entry) for row in rows if row.entry}
    submissions = [
        {"id": lead_id, **new_lead, **entry.model_dump()} for lead_id, (_, entry) in entries.items()
    ]
    new: set[str] = set()
    if submissions:
        into_waitlist = insert_new(session, _WAITLIST).returning(_WAITLIST.c.id)
        new = set(await session.scalars(into_waitlist, submissions))
    added = {"import_id": import_id}
    lines = [waitlist.listed(own) | added for own in submissions if own["id"] in new]
    if lines:
        # RETURNING makes it one statement: SQLite's search index writes a segment for each.
        await session.execute(insert(Lead).returning(col(Lead.number)), lines)
    duplicate_lines = {line for lead_id, (line, _) in entries.items() if lead_id not in new}
    rejects = [row for row in rows if not row.entry or row.line in duplicate_lines]
    if rejects:
        await session.execute(insert(_REJECTS), [_reject(import_id, row) for row in rejects])
    duplicates = len(duplicate_lines) + sum(row.duplicate for row in rows)
    invalid = len(rejects) - duplicates
    counts = {"imported": len(new), "duplicates": duplicates, "invalid": invalid}
    more = {name: col(getattr(LeadImport, name)) + count for name, count in counts.items()}
    more["rows_done"] = col(LeadImport.rows_done) + len(rows)
    await session.execute(update(LeadImport).where(_id == import_id).values(more))
    return counts


def _reject(import_id: str, row: CheckedRow) -> dict[str, Any]:
    reason = row.reason or ALREADY_STORED
    return {"import_id": import_id, "line": row.line, "cells": row.cells, "reason": reason}


async def finish(session: AsyncSession, import_id: str) -> bool:
    """End an import whose rows are all stored; False if staff have cancelled it."""
    if await state(session, import_id) != "running":
        return False
    await _end(session, import_id, state="done", finished_at=now())
    return True


async def start_removal(
    session: AsyncSession, import_id: str, state: str, *, instead_of: str, message: str = ""
) -> bool:
    """Have an import's leads removed; False if it is not in the state that this begins in.

    Raises:
        ImportRunning: If another one is under way.
    """
    values = {"state": state, "under_way": True, "message": message, "removed": 0}
    change = update(LeadImport).where(_id == import_id, _state == instead_of).values(values)
    try:
        return await session.scalar(change.returning(_id)) is not None
    except IntegrityError as error:
        raise ImportRunning from error


async def some_leads(session: AsyncSession, import_id: str, limit: int) -> Sequence[str]:
    """Lock some of the leads that an import brought, as staff do, and return their ids."""
    imported = select(col(Lead.id)).where(col(Lead.import_id) == import_id)
    some = imported.order_by(col(Lead.number)).limit(limit).with_for_update()
    return (await session.scalars(some)).all()


async def remove(
    session: AsyncSession, import_id: str, lead_ids: Sequence[str], linked: Collection[str]
) -> None:
    """Delete leads that an import brought.

    Neighborhoods that they founded and people whom they referred stay, without them. The waitlist
    submissions of customers (`linked`) only leave the list.
    """
    gone = [lead_id for lead_id in lead_ids if lead_id not in linked]
    await session.execute(delete(WaitlistSubmission).where(col(WaitlistSubmission.id).in_(gone)))
    await session.execute(delete(Lead).where(col(Lead.id).in_(lead_ids)))
    removed = {"removed": col(LeadImport.removed) + len(lead_ids)}
    await session.execute(update(LeadImport).where(_id == import_id).values(removed))


async def end_removal(session: AsyncSession, import_id: str, removing: str) -> None:
    """End an import whose leads are removed. Only one that was done before keeps its counts."""
    values: dict[str, Any] = {"state": AFTER_REMOVAL[removing]}
    if removing != "undoing":
        counts = ("rows_done", "imported", "duplicates", "invalid", "removed")
        values |= {"finished_at": now(), **dict.fromkeys(counts, 0)}
    await _end(session, import_id, **values)


async def keep(session: AsyncSession, import_id: str, message: str) -> None:
    """End an import whose leads cannot be removed, so that staff can undo it later."""
    await _end(session, import_id, state="done", finished_at=now(), message=message)


async def _end(session: AsyncSession, import_id: str, **values: Any) -> None:
    await session.execute(
        update(LeadImport).where(_id == import_id).values(under_way=None, **values)
    )
    await session.execute(delete(LeadImportFile).where(col(LeadImportFile.import_id) == import_id))


async def delete_rejects(
    session: AsyncSession, limit: int, *, of: str | None = None, before: datetime | None = None
) -> int:
    """Delete some of the rejected rows of an import, or of all that began before a moment.

    Return how many.
    """
    imports = select(_id).where(_id == of if of else col(LeadImport.started_at) < before)
    some = select(_number).where(col(LeadImportReject.import_id).in_(imports)).limit(limit)
    gone = delete(LeadImportReject).where(_number.in_(some)).returning(_number)
    return len((await session.scalars(gone)).all())


async def header(session: AsyncSession, import_id: str) -> list[str] | None:
    """Return the columns of an import's file, None if there is no such import."""
    return await session.scalar(select(col(LeadImport.header)).where(_id == import_id))


async def rejects(
    session: AsyncSession, import_id: str, *, after: int, limit: int
) -> list[tuple[int, CheckedRow]]:
    """Return an import's rejected rows in the file's order, each with its number."""
    of = LeadImportReject
    columns = (_number, col(of.line), col(of.cells), col(of.reason))
    statement = select(*columns).where(col(of.import_id) == import_id, _number > after)
    rows = await session.execute(statement.order_by(_number).limit(limit))
    return [(n, CheckedRow(line, cells, reason=reason)) for n, line, cells, reason in rows]


async def reasons(session: AsyncSession, import_id: str) -> dict[str, int]:
    """Return how many rows an import refused for each reason."""
    reason = col(LeadImportReject.reason)
    own = select(reason, func.count()).where(col(LeadImportReject.import_id) == import_id)
    return {text: count for text, count in await session.execute(own.group_by(reason))}


async def latest(session: AsyncSession, limit: int) -> Sequence[LeadImport]:
    """Return the last imports, newest first."""
    statement = select(LeadImport).order_by(col(LeadImport.started_at).desc(), _id.desc())
    return (await session.scalars(statement.limit(limit))).all()
