"""What staff can do with imports."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import structlog

from fuel_app.kit import background
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import NothingToUndo
from fuel_app.kit.signals import IMPORTS, signals
from fuel_app.submissions.queries import imported as imported_leads
from fuel_app.submissions.queries import imports as lead_imports
from fuel_app.submissions.rules.csv_import import LeadFile, Reject
from fuel_app.submissions.rules.imports import LeadImport
from fuel_app.submissions.service.importing import Run

log = structlog.get_logger(__name__)

HISTORY = 20
FEW = 5


async def start(name: object, data: bytes, *, by: str) -> str:
    """Begin to import a file, in the background. Returns the import's id.

    Args:
        by: The staff's session.

    Raises:
        UnusableFile: If there is nothing to import in it.
        ImportRunning: If another import is running.
    """
    file = await asyncio.to_thread(LeadFile.read, name, data)
    async with transaction() as session:
        turn = await lead_imports.begin(session, file, by=by)
    log.info("import.started", import_id=turn.import_id, rows=file.rows)
    await _in_background(Run(turn).bring(file))
    return turn.import_id


async def cancel(import_id: str) -> None:
    """Ask a running import to stop; what it has stored by then is taken back."""
    async with transaction() as session:
        await lead_imports.ask_to_cancel(session, import_id)
    await signals().publish(IMPORTS)


async def undo(import_id: str) -> None:
    """Begin to delete every lead that an import brought, in the background.

    Raises:
        NothingToUndo: If it is undone already, or has brought nothing.
        ImportRunning: If another import is running.
    """
    async with transaction() as session:
        turn = await lead_imports.begin_undo(session, import_id)
    if turn is None:
        raise NothingToUndo
    log.info("import.undo_started", import_id=import_id)
    await _in_background(Run(turn).take_back())


async def history() -> list[LeadImport]:
    """The last imports, newest first."""
    async with reading() as session:
        return await lead_imports.latest(session, HISTORY)


async def first_rejects(import_id: str) -> list[Reject]:
    """A few of the rows that an import did not take, in the file's order."""
    async with reading() as session:
        found = await imported_leads.rejects(session, import_id, after=0, limit=1 + FEW)
    return [reject for _, reject in found[1:]]  # the first holds the columns' names


async def _in_background(work: Coroutine[Any, Any, None]) -> None:
    background.start(work)
    await signals().publish(IMPORTS)
