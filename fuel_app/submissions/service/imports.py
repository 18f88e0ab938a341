"""Imports of leads by staff. The work itself is in `submissions/jobs.py`."""

import asyncio
import zlib
from dataclasses import replace

import structlog

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.service import directory
from fuel_app.kit import jobs
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import NothingToUndo
from fuel_app.kit.signals import IMPORTS, signals
from fuel_app.submissions.queries import imports
from fuel_app.submissions.rules.csv import CheckedRow, LeadFile
from fuel_app.submissions.rules.imports import IMPORT_JOB, REMOVE_JOB, LeadImport

log = structlog.get_logger(__name__)

HISTORY = 20
FEW = 5


async def start(name: object, data: bytes, *, actor: Actor) -> str:
    """Have a file imported in the background. Return the import's id.

    Raises:
        UnusableFile: If there is nothing to import in it.
        ImportRunning: If another import is under way.
    """
    file, compressed = await asyncio.to_thread(
        lambda: (LeadFile.read(name, data), zlib.compress(data, 1))
    )
    async with transaction() as session:
        import_id = await imports.add(
            session, file.name, file.kept_header, file.rows, compressed, str(actor)
        )
        await jobs.enqueue(session, IMPORT_JOB, {"import_id": import_id})
    log.info("import.started", import_id=import_id, rows=file.rows)
    await signals().publish(IMPORTS)
    return import_id


async def cancel(import_id: str) -> None:
    """Stop a running import. Its job removes what is stored by then."""
    async with transaction() as session:
        await imports.start_removal(session, import_id, "cancelling", instead_of="running")
    await signals().publish(IMPORTS)


async def undo(import_id: str) -> None:
    """Have every lead deleted that an import brought, in the background.

    Raises:
        NothingToUndo: If it is undone already, or has brought nothing.
        ImportRunning: If another import is under way.
    """
    async with transaction() as session:
        if not await imports.start_removal(session, import_id, "undoing", instead_of="done"):
            raise NothingToUndo
        await jobs.enqueue(session, REMOVE_JOB, {"import_id": import_id})
    log.info("import.undo_started", import_id=import_id)
    await signals().publish(IMPORTS)


async def history() -> list[LeadImport]:
    """Return the last imports, newest first."""
    async with reading() as session:
        latest = await imports.latest(session, HISTORY)
    who = await directory.names(each.actor for each in latest)
    return [replace(each, actor=who[each.actor]) for each in latest]


async def first_rejects(import_id: str) -> list[CheckedRow]:
    """Return a few of the rows that an import did not take, in the file's order."""
    async with reading() as session:
        found = await imports.rejects(session, import_id, after=0, limit=FEW)
    return [row for _, row in found]
