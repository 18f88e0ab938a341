"""Staff look through leads, change, delete and export them, undo it, and import a file.

The work of an import is in `submissions/jobs.py`. Each part of an export is a transaction.
"""

import asyncio
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.customers.service import neighborhood
from fuel_app.kit import audit, clock, jobs
from fuel_app.kit.attention import MOST, Attention, Waiting
from fuel_app.kit.audit import Action, AuditEntry, Done
from fuel_app.kit.csv import BOM, lines
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.errors import LeadChanged, LeadGone, NotALeadValue, NothingToUndo
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page
from fuel_app.kit.signals import IMPORTS, LEADS, MEMBERS, QUOTES, signals
from fuel_app.kit.table_file import UnusableFile
from fuel_app.kit.words import counted
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import (
    DUE,
    TYPE_LABELS,
    WAITING,
    WON,
    Change,
    LeadQuery,
    LeadRow,
    overdue_before,
)
from fuel_app.leads.tables import LeadNote
from fuel_app.submissions.queries import imports
from fuel_app.submissions.queries import leads as queries
from fuel_app.submissions.rules.desk import Desk, NoteLine, QuoteNote, note_title, waiting_text
from fuel_app.submissions.rules.details import (
    LOG_SHOWN,
    LeadDetails,
    LinkedCustomer,
    LogLine,
    fields_of,
    value_text,
)
from fuel_app.submissions.rules.exports import (
    ALL_COLUMNS,
    EXPORT_COLUMNS,
    export_row,
    whole_row,
)
from fuel_app.submissions.rules.imports import (
    AFTER_REMOVAL,
    IMPORT_JOB,
    REASON,
    REJECTS_KEPT,
    REMOVE_JOB,
    CheckedRow,
    ImportLine,
    LeadFile,
    LeadMapping,
    Preview,
    UploadGone,
    checked,
    reasons_of,
)
from fuel_app.submissions.tables import LeadImport

log = structlog.get_logger(__name__)

HISTORY = 20  # imports
FEW = 5  # rejected rows
DELETED_KEPT_FOR = timedelta(minutes=10)
_OFFICE = (Role.DISPATCHER, Role.ADMIN)  # who may own a quote
_AT_ONCE = 500  # leads a transaction: a visitor who joins meanwhile waits for one of these at most
_MANY = 500  # rows in one part of a file
_CUSTOMERS = 5_000  # in one statement
_CHECKED = 2_000  # rows of a file in one part of its preview


async def list_page(query: LeadQuery, *, actor: Actor) -> Page[LeadRow]:
    """Return a page of the list; a page beyond the end is the last one."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        return await leads.page(session, query)


async def find_details(lead_id: object, *, actor: Actor) -> LeadDetails | None:
    """Return all about one lead; None if there is none with that id."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        row = await leads.find(session, well_formed_id(lead_id) or "")
        if row is None:
            return None
        stored = await queries.stored_row(session, row)
        referred, referred_total = await queries.referred(session, row.id)
        entries = await audit.history(session, "lead", row.id, limit=LOG_SHOWN)
        notes = await leads.notes(session, [row.id])
        names = await directory.names_in(session, _people(row, entries, notes))
        return LeadDetails(
            name=row.company or row.name,
            kind=TYPE_LABELS[row.type],
            fields=fields_of(stored),
            is_quote=row.is_quote,
            desk=_desk(row, notes, names),
            is_waiting=row.type == "waitlist",
            neighborhood=await queries.linked(
                session, queries.NEIGHBORHOOD, stored.get("neighborhood_id")
            ),
            referred_by=await queries.linked(session, queries.PERSON, stored.get("referred_by_id")),
            referred=referred,
            more_referred=referred_total - len(referred),
            log=_log_lines(entries, names),
        )


def _people(
    row: LeadRow, entries: Sequence[AuditEntry], notes: Sequence[LeadNote]
) -> Iterator[str]:
    """Yield whom the details of a lead name, as the audit log does."""
    yield from filter(None, [row.owner_id, *(note.author for note in notes)])
    for entry in entries:
        owners = [(values or {}).get("owner_id") for values in (entry.before, entry.after)]
        yield from filter(None, [entry.actor, entry.undone_by, *owners])


def _desk(row: LeadRow, notes: Sequence[LeadNote], names: Mapping[str, str]) -> Desk:
    lines = tuple(
        NoteLine(
            id=note.id,
            what=note_title(note.kind, note.outcome),
            text=note.text,
            about=f"{names[note.author]}, {clock.date_and_time(note.created_at)}",
        )
        for note in notes
    )
    return Desk.of(row, names.get(row.owner_id or "", ""), lines, clock.now())


def _log_lines(entries: Sequence[AuditEntry], names: Mapping[str, str]) -> tuple[LogLine, ...]:
    """Return the latest changes and undos, newest first."""
    lines: list[tuple[datetime, LogLine]] = []
    for entry in entries:
        kind = entry.kind
        before, after = (value_text(kind, each, names) for each in (entry.before, entry.after))
        lines.append((entry.at, LogLine.of(entry.at, names[entry.actor], kind, before, after)))
        if entry.undone_at and entry.undone_by:
            actor = names[entry.undone_by]
            undo = LogLine.of(entry.undone_at, actor, kind, after, before, undo=True)
            lines.append((entry.undone_at, undo))
    lines.sort(key=lambda line: line[0], reverse=True)
    return tuple(line for _, line in lines[:LOG_SHOWN])


async def customers_among(
    lead_ids: Sequence[str] | None, query: LeadQuery | None = None, *, actor: Actor
) -> list[LinkedCustomer]:
    """Return the customers among these leads, or among all that match, by name: deleting their
    leads leaves them what they have. O(customers)."""
    actor.require(Role.DISPATCHER)
    customers: list[LinkedCustomer] = []
    async with reading() as session:
        linked = sorted(await neighborhood.linked_submissions(session, lead_ids))
        for start in range(0, len(linked), _CUSTOMERS):
            some = linked[start : start + _CUSTOMERS]
            customers += await queries.customers(session, some, query)
    return customers


def export_leads(query: LeadQuery, *, whole: bool = False, actor: Actor) -> AsyncIterator[str]:
    """Return the file of all leads that the list shows under its search and filters, in its
    order; `whole` for all fields."""
    actor.require(Role.DISPATCHER)
    return _written(leads.in_batches(query), whole=whole)


def export_chosen(
    lead_ids: Sequence[str],
    query: LeadQuery | None = None,
    *,
    whole: bool = False,
    actor: Actor,
) -> AsyncIterator[str]:
    """Return the file of these leads in the order in which they came, without deleted ones and
    those that the query does not find."""
    actor.require(Role.DISPATCHER)
    return _written(_chosen(lead_ids, query), whole=whole)


async def _chosen(lead_ids: Sequence[str], query: LeadQuery | None) -> AsyncIterator[list[LeadRow]]:
    for start in range(0, len(lead_ids), _MANY):
        async with reading() as session:
            rows = await leads.by_ids(session, lead_ids[start : start + _MANY], query)
        yield rows


async def _written(batches: AsyncIterator[list[LeadRow]], *, whole: bool) -> AsyncIterator[str]:
    """Yield the file's text, each part written in a thread, so as not to block the event loop."""
    yield BOM + lines([ALL_COLUMNS if whole else EXPORT_COLUMNS])
    async for rows in batches:
        cells = await _whole_rows(rows) if whole else map(export_row, rows)
        yield await asyncio.to_thread(lines, cells)


async def _whole_rows(rows: Sequence[LeadRow]) -> list[tuple[str, ...]]:
    async with reading() as session:
        stored = await queries.stored_rows(session, rows)
        wanted = {each.get("neighborhood_id") for each in stored.values()} - {None}
        names = await queries.neighborhood_names(session, wanted)
        owners = await directory.names_in(session, {row.owner_id or "" for row in rows})
    return [
        whole_row(row, own, names.get(own.get("neighborhood_id"), ""), owners[row.owner_id or ""])
        for row in rows
        for own in [stored.get(row.id, {})]
    ]


async def export_rejected(import_id: str, *, actor: Actor) -> AsyncIterator[str] | None:
    """Return the file of an import's rejected rows, each with its reason, to correct and import
    again; None if there is no such import."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        header = await imports.header(session, import_id)
    return _rejected(import_id, header) if header else None


async def _rejected(import_id: str, header: list[str]) -> AsyncIterator[str]:
    yield BOM + lines([[REASON, *header]])
    after = 0
    while True:
        async with reading() as session:
            rows = await imports.rejects(session, import_id, after=after, limit=_MANY)
        if not rows:
            return
        yield await asyncio.to_thread(lines, [[row.reason, *row.cells] for _, row in rows])
        after = rows[-1][0]


async def change_lead(lead_id: str, seen: int, change: Change, *, actor: Actor) -> Done:
    """Change or delete one lead, whose revision `seen` is on the person's screen.

    Raises:
        LeadGone: If it has been deleted.
        LeadChanged: If it has been changed since.
        NotALeadValue: If it is a quote's and the lead is none, or its owner is not of the office.
    """
    actor.require(Role.DISPATCHER)
    action = _action(change, actor)
    async with transaction() as session:
        rows = await queries.lock_leads(session, [lead_id])
        if not rows:
            raise LeadGone
        if rows[0].revision != seen:
            raise LeadChanged
        owner_id = change.values.get("owner_id")
        if owner_id and owner_id not in await directory.with_roles(session, *_OFFICE):
            raise NotALeadValue
        changed = await _apply(session, action, rows, change)
    await _publish(change)
    return Done(action.id, changed)


async def change_selected(
    seen: Mapping[str, int], change: Change, *, actor: Actor, query: LeadQuery | None = None
) -> Done:
    """Change or delete the chosen leads, except those with other revisions than were `seen` and
    those that the query, under which they were chosen, does not find."""
    actor.require(Role.DISPATCHER)
    action = _action(change, actor)
    async with transaction() as session:
        rows = await queries.lock_leads(session, list(seen), query)
        same = [row for row in rows if row.revision == seen[row.id]]
        changed = await _apply(session, action, same, change)
    await _publish(change)
    return Done(action.id, changed, len(seen) - len(same))


async def change_all(
    query: LeadQuery, change: Change, *, actor: Actor
) -> AsyncGenerator[Done, None]:
    """Change or delete every lead that matches, some in each transaction; yield the progress.

    When something fails on the way, what is done by then can be undone.
    """
    actor.require(Role.DISPATCHER)
    action, changed = _action(change, actor), 0
    # An order that the changes do not affect.
    by_date = replace(query, sort="-date" if query.descending else "date")
    try:
        async for rows in leads.in_batches(by_date, batch=_AT_ONCE):
            async with transaction() as session:
                there = await queries.lock_leads(session, [row.id for row in rows])
                changed += await _apply(session, action, there, change)
            yield Done(action.id, changed)
    finally:
        await _publish(change)
    yield Done(action.id, changed)


async def office(*, actor: Actor) -> dict[str, str]:
    """Return the names of who may own a quote by their ids, in order."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        return await directory.with_roles(session, *_OFFICE)


async def add_note(lead_id: str, form: QuoteNote, *, actor: Actor) -> Done:
    """Add a note about a quote, or log a call or mail, which answers it.

    Raises:
        LeadGone: If it has been deleted.
        NotALeadValue: If the lead is no quote.
    """
    actor.require(Role.DISPATCHER)
    action = Action("lead", "note", str(actor))
    async with transaction() as session:
        rows = await queries.lock_leads(session, [lead_id])
        if not rows:
            raise LeadGone
        _check_quotes(rows)
        note = LeadNote(
            lead_id=lead_id,
            kind=form.kind,
            outcome=form.outcome,
            text=form.text,
            author=str(actor),
        )
        session.add(note)
        logged = {"note": note.id, "kind": note.kind}
        await audit.record(session, action, [audit.Change(lead_id, None, logged)])
    await signals().publish(LEADS, QUOTES)
    return Done(action.id, 1)


def _check_quotes(rows: Sequence[LeadRow]) -> None:
    if not all(row.is_quote for row in rows):
        raise NotALeadValue


UNANSWERED = Attention(
    "quotes",
    "Quotes without an answer",
    href=routes.asking(routes.SUBMISSIONS, {"answer": WAITING, "sort": "due"}),
)
NEXT_STEPS = Attention(
    "next_steps",
    "Next steps with quotes",
    href=routes.asking(routes.SUBMISSIONS, {"next": DUE}),
)


async def quotes_unanswered(session: AsyncSession, now: datetime) -> Attention:
    """Return the quotes without an answer that is due today, or overdue."""
    tonight = clock.morning(clock.day_of(now) + timedelta(days=1))
    rows, total = await leads.unanswered(session, overdue_before(tonight), MOST)
    return UNANSWERED.with_lines(await _waiting(session, rows, now), total)


async def next_steps_due(session: AsyncSession, now: datetime) -> Attention:
    """Return the quotes whose next step is due today, or overdue."""
    rows, total = await leads.steps_due(session, clock.day_of(now), MOST)
    return NEXT_STEPS.with_lines(await _waiting(session, rows, now, is_step=True), total)


async def _waiting(
    session: AsyncSession, rows: Sequence[LeadRow], now: datetime, *, is_step: bool = False
) -> list[Waiting]:
    owners = await directory.names_in(session, {row.owner_id or "" for row in rows})
    return [
        Waiting(
            id=row.id,
            text=f"{row.company}, {TYPE_LABELS[row.type].lower()} quote",
            detail=waiting_text(row, owners[row.owner_id or ""], now, is_step=is_step),
            href=routes.lead(row.id),
        )
        for row in rows
    ]


async def lock_fleet_quote(session: AsyncSession, lead_id: object) -> dict[str, Any] | None:
    """Return the columns of a fleet quote, its lead locked; None if there is none with that id."""
    known_id = well_formed_id(lead_id) or ""
    await queries.lock_leads(session, [known_id])
    row = await leads.find(session, known_id)
    return await queries.stored_row(session, row) if row and row.type == "fleet" else None


async def close_won(session: AsyncSession, lead_id: str, by: str) -> None:
    """Close a lead as won, in the caller's transaction; a deleted one stays so."""
    rows = await queries.lock_leads(session, [lead_id])
    await _apply(session, Action("lead", "status", by), rows, Change.status(WON))
    publish(session, LEADS, QUOTES)


@audit.undoes("lead", "status", "lead_source", "owner_id", "next_step", topics=(LEADS, QUOTES))
async def _set_back(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    return await queries.set_back(session, entries)


@audit.undoes("lead", "note", topics=(LEADS, QUOTES))
async def _remove_notes(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    about = {(entry.after or {})["note"]: entry.subject_id for entry in entries}
    return {about[note_id] for note_id in await leads.remove_notes(session, about)}


@audit.undoes("lead", "delete", topics=(LEADS, MEMBERS, QUOTES))
async def _restore(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    return await queries.restore(session, [entry.before or {} for entry in entries])


def _action(change: Change, actor: Actor) -> Action:
    kept_for = DELETED_KEPT_FOR if change.kind == "delete" else None
    return Action("lead", change.kind, str(actor), kept_for)


async def _apply(session: AsyncSession, action: Action, rows: list[LeadRow], change: Change) -> int:
    if not rows:
        return 0
    if change.kind == "delete":
        linked = await lock_linked(session, [row.id for row in rows])
        return await queries.remove_leads(session, action, rows, linked)
    if change.is_for_quotes:
        _check_quotes(rows)
    return await queries.change(session, action, rows, change)


async def lock_linked(session: AsyncSession, lead_ids: Sequence[str]) -> set[str]:
    """Lock the waitlist submissions of these leads. Return those that belong to customers."""
    await queries.lock_entries(session, lead_ids)
    return await neighborhood.linked_submissions(session, lead_ids)


async def _publish(change: Change) -> None:
    await signals().publish(LEADS, QUOTES)
    if change.kind == "delete":  # it may have been a member of a neighborhood
        await signals().publish(MEMBERS)


async def keep_file(name: object, data: bytes, *, actor: Actor) -> str:
    """Keep a file that staff look at before it is imported. Return its id.

    Raises:
        UnusableFile: If there is nothing to import in it.
    """
    actor.require(Role.DISPATCHER)
    file, compressed = await asyncio.to_thread(
        lambda: (LeadFile.read(name, data), zlib.compress(data, 1))
    )
    async with transaction() as session:
        return await imports.keep_upload(session, file.name, compressed, _sender(actor))


def _sender(actor: Actor) -> str:
    """Return whose a file is: people who share the password send one each."""
    return actor.session_id if actor.is_shared else str(actor)


async def read_file(upload_id: str, *, actor: Actor) -> LeadFile:
    """Return the file that the actor has sent.

    Raises:
        UploadGone: If there is none, or it is imported.
    """
    file, _compressed = await _upload(upload_id, actor)
    return file


async def _upload(upload_id: str, actor: Actor) -> tuple[LeadFile, bytes]:
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        found = await imports.find_upload(session, upload_id, _sender(actor))
    if found is None:
        raise UploadGone
    name, compressed = found
    file = await asyncio.to_thread(lambda: LeadFile.read(name, zlib.decompress(compressed)))
    return file, compressed


async def preview_file(
    upload_id: str, mapping: LeadMapping, *, actor: Actor
) -> AsyncIterator[Preview]:
    """Yield what an import of the file would do, after each part of it that is checked.

    Raises:
        UploadGone: If there is none, or it is imported.
    """
    file, _compressed = await _upload(upload_id, actor)
    preview, rows = Preview(whole=file.rows), checked(file, mapping)
    while some := await asyncio.to_thread(list, islice(rows, _CHECKED)):
        emails = [row.entry.email for row in some if row.entry]
        async with reading() as session:
            known = await imports.known_emails(session, emails)
        preview = preview.adding(some, known)
        yield preview


async def drop_file(upload_id: str, *, actor: Actor) -> None:
    """Forget a file that was only looked at."""
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        await imports.drop_upload(session, upload_id, _sender(actor))


async def start_import(upload_id: str, mapping: LeadMapping | None = None, *, actor: Actor) -> str:
    """Have a file imported in the background. Return the import's id.

    Without a mapping it is imported as its columns are named.

    Raises:
        UploadGone: If there is none, or it is imported: a second press does nothing.
        UnusableFile: If a required field is not mapped.
        ImportRunning: If another import is under way.
    """
    file, compressed = await _upload(upload_id, actor)
    mapping = mapping or LeadMapping.guess(file)
    if mapping.problem:
        raise UnusableFile(mapping.problem)
    async with transaction() as session:
        if not await imports.drop_upload(session, upload_id, _sender(actor)):
            raise UploadGone
        import_id = await imports.add(session, file, mapping, compressed, str(actor))
        await jobs.enqueue(session, IMPORT_JOB, {"import_id": import_id})
    log.info("import.started", import_id=import_id, rows=file.rows)
    await signals().publish(IMPORTS)
    return import_id


async def cancel_import(import_id: str, *, actor: Actor) -> None:
    """Stop a running import. Its job removes what is stored by then."""
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        await imports.start_removal(session, import_id, "cancelling", instead_of="running")
    await signals().publish(IMPORTS)


async def undo_import(import_id: str, *, actor: Actor) -> None:
    """Have every lead deleted that an import brought, in the background.

    Raises:
        NothingToUndo: If it is undone already, or has brought nothing.
        ImportRunning: If another import is under way.
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        if not await imports.start_removal(session, import_id, "undoing", instead_of="done"):
            raise NothingToUndo
        await jobs.enqueue(session, REMOVE_JOB, {"import_id": import_id})
    log.info("import.undo_started", import_id=import_id)
    await signals().publish(IMPORTS)


async def list_imports(*, actor: Actor) -> list[ImportLine]:
    """Return the last imports, newest first."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        rows = await imports.latest(session, HISTORY)
        names = await directory.names_in(session, (row.actor for row in rows))
        return [_import_line(row, names[row.actor]) for row in rows]


def _import_line(row: LeadImport, who: str) -> ImportLine:
    is_removing = row.state in AFTER_REMOVAL
    done = row.removed if is_removing else row.rows_done
    whole = row.imported if is_removing else row.rows
    duplicates = counted(row.duplicates, "duplicate")
    counts = f"{row.imported:,} imported, {duplicates}, {row.invalid:,} invalid"
    keeps_rejects = row.started_at > clock.now() - REJECTS_KEPT
    return ImportLine(
        id=row.id,
        file_name=row.file_name,
        phase=row.state,
        done=done,
        whole=whole,
        percent=100 * done // whole if whole else 0,
        progress=f"{done:,} of {whole:,} rows",
        counts=counts if row.state in {"done", "undone"} else "",
        message=row.message,
        when=clock.date_and_time(row.started_at),
        who=f"by {who}",
        rejected=row.duplicates + row.invalid if keeps_rejects else 0,
        invalid=row.invalid,
    )


async def reasons_of_rejects(import_id: str, *, actor: Actor) -> list[str]:
    """Return why an import did not take rows, the most common reason first, with counts."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        return list(reasons_of(await imports.reasons(session, import_id)))


async def first_rejects(import_id: str, *, actor: Actor) -> list[CheckedRow]:
    """Return a few of the rows that an import did not take, in the file's order."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        rejects = await imports.rejects(session, import_id, after=0, limit=FEW)
    return [row for _, row in rejects]
