"""SQLite's log is written to the file beside those who write, who else do it amid a commit."""

import asyncio

import structlog

from fuel_app.kit.db import session

log = structlog.get_logger()

EVERY_S = 1.0


async def watch() -> None:
    """Look as long as this process runs; PostgreSQL does such things by itself."""
    while session.has_one_writer():
        await asyncio.sleep(EVERY_S)
        try:
            await session.checkpoint()
        except Exception:  # the database is gone, or its disk full: the log waits
            log.exception("database.checkpoint_failed")
