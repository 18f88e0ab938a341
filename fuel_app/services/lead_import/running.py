"""An import under way: many short transactions, and the way back for when it does not end well."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.db import imported_leads, lead_imports
from fuel_app.db.lead_imports import ImportLost, Turn
from fuel_app.domain.lead_files.reading import LeadFile
from fuel_app.kit import metrics
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import IMPORTS, LEADS, signals
from fuel_app.services.lead_import import storing
from fuel_app.services.lead_import.storing import Counts, Storing

log = structlog.get_logger(__name__)
T = TypeVar("T")

PATIENCE_S = 20  # how long a database may be locked or gone
PAUSE_S = 0.5
_TOLD_EVERY_S = 0.4
_COUNTED = {"imported", "duplicates", "invalid"}
_FAILED = "Something went wrong on our side. Nothing was imported. Please try again."


class Run:
    """One process's work on one import."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._told = 0.0

    async def bring(self, file: LeadFile) -> None:
        """Store the file's rows; whatever happens on the way, it is all of them or none."""
        try:
            await Storing(self._turn.import_id, self._step, self._is_cancelled).store(file)
            if await self._in_transaction(partial(lead_imports.finish, turn=self._turn)):
                log.info("import.done", import_id=self._turn.import_id)
                metrics.IMPORTS.labels("done").inc()
                return await self._tell_the_end()
        except ImportLost:
            return log.warning("import.lost", import_id=self._turn.import_id)
        except Exception:
            log.exception("import.failed", import_id=self._turn.import_id)
        await self.take_back(_FAILED)

    async def take_back(self, message: str = "") -> None:
        """Delete what the import brought. One that fails here is a leftover for `watch`.

        Args:
            message: What staff are told if it was not they who wanted this.
        """
        try:
            while any((await self._step(self._take_some_back)).values()):
                pass
            forget = partial(imported_leads.forget_rejects, import_id=self._turn.import_id)
            while not self._turn.finished and await self._in_transaction(
                partial(forget, many=storing.MANY)
            ):
                pass
            end = partial(lead_imports.end_return, turn=self._turn, message=message)
            await self._in_transaction(end)
            log.info("import.taken_back", import_id=self._turn.import_id)
            metrics.IMPORTS.labels("failed" if message else "taken back").inc()
        except ImportLost:
            return log.warning("import.lost", import_id=self._turn.import_id)
        except Exception:
            log.exception("import.not_taken_back", import_id=self._turn.import_id)
        await self._tell_the_end()

    def _is_cancelled(self) -> bool:
        return self._turn.cancel_asked

    async def _take_some_back(self, session: AsyncSession) -> Counts:
        gone = await imported_leads.take_back(session, self._turn.import_id, storing.MANY)
        return {"rows_done": gone} if self._turn.finished else {"imported": -gone}

    async def _step(self, work: Callable[[AsyncSession], Awaitable[Counts]]) -> Counts:
        """Some work, and in the same transaction the word that we are alive and how far."""

        async def step(session: AsyncSession) -> tuple[Counts, Turn]:
            counted = await work(session)
            return counted, await lead_imports.step(session, self._turn, **counted)

        counted, self._turn = await self._in_transaction(step)
        for outcome in _COUNTED.intersection(counted):
            metrics.IMPORTED_ROWS.labels(outcome).inc(max(0, counted[outcome]))
        if time.monotonic() - self._told > _TOLD_EVERY_S:
            self._told = time.monotonic()
            await signals().publish(IMPORTS)
        return counted

    async def _in_transaction(self, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """Patient with a database that is locked or gone for a while."""
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                async with transaction() as session:
                    return await work(session)
            except (DBAPIError, OSError, TimeoutError):
                if time.monotonic() > until:
                    raise
                log.warning("import.waits", import_id=self._turn.import_id, exc_info=True)
            await asyncio.sleep(PAUSE_S)

    async def _tell_the_end(self) -> None:
        await signals().publish(IMPORTS)
        await signals().publish(LEADS)
