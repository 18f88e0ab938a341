"""SQLite's log is brought home beside those who write, who else do it in the middle of a commit."""

import asyncio

import structlog

from fuel_app.db import session

log = structlog.get_logger(__name__)

EVERY_S = 1.0


async def watch() -> None:
    """Look as long as this process runs; PostgreSQL does such things by itself."""
    while session.writers() == 1:
        await asyncio.sleep(EVERY_S)
        try:
            await session.bring_home()
        except Exception:  # the database is gone, or its disk full: the log waits
            log.exception("database.log_not_home")
