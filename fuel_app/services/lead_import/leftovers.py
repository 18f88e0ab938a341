"""What a process that is gone has left behind is taken back by any other one."""

import asyncio
from datetime import timedelta

import structlog

from fuel_app.db import lead_imports
from fuel_app.domain.lead_imports import SILENT
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.services.lead_import.running import Run
from fuel_app.settings import settings

log = structlog.get_logger(__name__)

LOOK_S = 5
_STOPPED = "The server was stopped in the middle. Nothing was imported. Please try again."


async def watch() -> None:
    """Look for leftovers as long as this process runs."""
    silent = SILENT if settings.redis_url else timedelta(0)  # alone: whatever runs is a leftover
    while True:
        try:
            await take_back_leftovers(silent)
            silent = SILENT
        except Exception:  # the database is gone, or not there yet
            log.exception("import.leftovers_failed")
        await asyncio.sleep(LOOK_S)


async def take_back_leftovers(silent: timedelta = SILENT) -> None:
    """Take back whatever imports brought that have not been heard of for so long; each once."""
    silent_since = clock.now() - silent
    while True:
        async with transaction() as session:
            turn = await lead_imports.take_over(session, silent_since)
        if turn is None:
            return
        log.warning("import.left_behind", import_id=turn.import_id)
        await Run(turn).take_back(_STOPPED)
