"""Background jobs of the staff's list: imports, their removal, and what is not kept for ever."""

import asyncio
import zlib
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from itertools import islice

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import audit, jobs, metrics
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs import Job
from fuel_app.kit.signals import IMPORTS, LEADS, signals
from fuel_app.submissions import service as submissions
from fuel_app.submissions.queries import imports
from fuel_app.submissions.queries import leads as queries
from fuel_app.submissions.rules.imports import (
    AFTER_REMOVAL,
    IMPORT_JOB,
    REJECTS_KEPT,
    REMOVE_JOB,
    UPLOADS_KEPT,
    CheckedRow,
    LeadFile,
    LeadMapping,
    checked,
)
from fuel_app.submissions.tables import LeadImport

log = structlog.get_logger(__name__)

CHUNK = 250  # rows in a transaction: a visitor who joins waits no longer than these take
ATTEMPTS = 6  # two and a half minutes
_FAILED = "Something went wrong on our side. Nothing was imported. Please try again."
_NOT_REMOVED = "Some of its leads could not be removed. Please undo it again."


async def _remove_instead(session: AsyncSession, job: Job) -> None:
    """Have all that an import stored removed, since it cannot be completed."""
    import_id = job.payload["import_id"]
    failing = {"instead_of": "running", "message": _FAILED}
    await imports.start_removal(session, import_id, "failing", **failing)
    await jobs.enqueue(session, REMOVE_JOB, job.payload)


@jobs.handler(IMPORT_JOB, attempts=ATTEMPTS, on_dead=_remove_instead)
async def import_file(job: Job) -> None:
    """Bring the rows of a file into the list.

    1. Load the file, and skip the rows that an earlier attempt has stored.
    2. Check the next rows by the waitlist's rules, in a thread.
    3. Store and count them in one transaction that also extends the lease, unless staff have
       cancelled the import.
    4. At the end of the file, end the import and the job in one transaction.
    5. If it was cancelled, remove what was stored.
    """
    import_id = job.payload["import_id"]
    async with reading() as session:
        loaded = await imports.load(session, import_id)
    rows_left = await asyncio.to_thread(_rows_left, *loaded) if loaded else iter(())
    while rows := await asyncio.to_thread(list, islice(rows_left, CHUNK)):
        async with transaction() as session:
            await jobs.extend_lease(session, job)
            if await imports.state(session, import_id) != "running":
                break
            counts = await imports.store(session, import_id, rows)
        for outcome, count in counts.items():
            metrics.IMPORTED_ROWS.labels(outcome).inc(count)
        await signals().publish(IMPORTS)
    async with transaction() as session:
        await jobs.extend_lease(session, job)
        if finished := await imports.finish(session, import_id):
            await jobs.end(session, job)
    if finished:
        await _announce_end(import_id, "done")
    else:
        await remove_leads(job)


def _rows_left(begun: LeadImport, compressed: bytes) -> Iterator[CheckedRow]:
    file = LeadFile.read(begun.file_name, zlib.decompress(compressed))
    places = begun.places  # none of an import that the release before has begun
    mapping = LeadMapping.guess(file) if places is None else LeadMapping(places, begun.keeps_rest)
    return islice(checked(file, mapping), begun.rows_done, None)


async def _keep(session: AsyncSession, job: Job) -> None:
    await imports.keep(session, job.payload["import_id"], _NOT_REMOVED)


@jobs.handler(REMOVE_JOB, on_dead=_keep)
async def remove_leads(job: Job) -> None:
    """Delete the leads that an import brought, in short transactions.

    Its rejected rows go, too, unless it was complete before.
    """
    import_id = job.payload["import_id"]
    async with reading() as session:
        removing = await imports.state(session, import_id)
    if removing not in AFTER_REMOVAL:
        return
    removed = 1
    while removed:
        async with transaction() as session:
            await jobs.extend_lease(session, job)
            removed = await _remove_some(session, import_id)
            if not removed and removing != "undoing":
                removed = await imports.delete_rejects(session, CHUNK, of=import_id)
            if not removed:
                await imports.end_removal(session, import_id, removing)
                await jobs.end(session, job)
        await signals().publish(IMPORTS)
    await _announce_end(import_id, AFTER_REMOVAL[removing])


async def _remove_some(session: AsyncSession, import_id: str) -> int:
    if ids := await imports.some_leads(session, import_id, CHUNK):
        linked = await submissions.lock_linked(session, ids)
        await imports.remove(session, import_id, ids, linked)
    return len(ids)


async def _announce_end(import_id: str, outcome: str) -> None:
    log.info("import.ended", import_id=import_id, outcome=outcome)
    metrics.IMPORTS.labels(outcome).inc()
    await signals().publish(IMPORTS)
    await signals().publish(LEADS)


@jobs.scheduled("leads.delete_rejects", jobs.daily(time(3, 30)))
async def delete_rejects(now: datetime) -> None:
    """Delete the rejected rows of imports that are 30 days old, in short transactions; and the
    files that were sent a day ago and never imported."""
    async with transaction() as session:
        await imports.drop_uploads(session, now - UPLOADS_KEPT)
    deleted = True
    while deleted:
        async with transaction() as session:
            deleted = await imports.delete_rejects(session, CHUNK, before=now - REJECTS_KEPT)


@jobs.scheduled("leads.purge_deleted", jobs.every(timedelta(minutes=1)))
async def purge_deleted_leads(now: datetime) -> int:
    """Empty the stored personal data of leads deleted ten minutes ago or more, in short
    transactions. Return how many."""
    purged, some = 0, 1
    while some:
        async with transaction() as session:
            some = await audit.purge_expired(session, now)
        purged += some
    if purged:
        async with transaction() as session:
            await queries.forget_mails(session)
    return purged
