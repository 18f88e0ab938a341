"""A file's rows become leads: many at a time, in the file's order, beside visitors who join."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import TypeVar

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import clock, metrics
from fuel_app.kit.db.session import has_one_writer, somebody_waits, transaction
from fuel_app.kit.signals import IMPORTS, LEADS, signals
from fuel_app.settings import settings
from fuel_app.submissions.queries import imported as imported_leads
from fuel_app.submissions.queries import imports as lead_imports
from fuel_app.submissions.queries.imported import Prepared
from fuel_app.submissions.queries.imports import ImportLost, Turn
from fuel_app.submissions.rules.csv_import import Checked, LeadFile, checked
from fuel_app.submissions.rules.imports import SILENT

log = structlog.get_logger(__name__)

Counts = dict[str, int]
Work = Callable[[AsyncSession], Awaitable[Counts]]

MANY = 200  # rows in one statement: a join waits no longer than these take
AT_ONCE = 10  # of these in one transaction, as long as nobody waits


class Storing:
    def __init__(
        self,
        import_id: str,
        step: Callable[[Work], Awaitable[Counts]],
        is_cancelled: Callable[[], bool],
    ) -> None:
        """
        Args:
            step: Does some work in one transaction, and keeps what it has counted.
        """
        self._import_id, self._step, self._is_cancelled = import_id, step, is_cancelled

    async def store(self, file: LeadFile) -> None:
        """Rows are read and checked in a thread while those before them are stored."""
        parts, storing, last = checked(file, MANY), deque[asyncio.Task[None]](), None
        together = 1 if has_one_writer() else 2
        try:
            while not self._is_cancelled() and (prepared := await self._prepared(parts)):
                if len(storing) == together:
                    await storing.popleft()
                last = asyncio.create_task(self._store_parts(prepared, last))
                storing.append(last)
            while storing:
                await storing.popleft()
        finally:  # nothing is stored any more when the way back begins
            for task in storing:
                task.cancel()
            await asyncio.gather(*storing, return_exceptions=True)

    async def _prepared(self, parts: Iterator[Checked]) -> deque[Prepared]:
        def following() -> deque[Prepared]:
            prepare = partial(imported_leads.prepare, self._import_id)
            return deque(map(prepare, islice(parts, AT_ONCE)))

        return await asyncio.to_thread(following)

    async def _store_parts(self, parts: deque[Prepared], before: Awaitable[None] | None) -> None:
        while parts and not self._is_cancelled():
            rows = (await self._step(partial(self._store_some, parts, before)))["rows_done"]
            while rows:
                rows -= parts.popleft().checked.rows

    async def _store_some(
        self, parts: Iterable[Prepared], before: Awaitable[None] | None, session: AsyncSession
    ) -> Counts:
        """Leads may be stored beside those before them; all else happens in the file's order."""
        stored: list[set[str]] = []
        for prepared in parts:
            stored.append(await imported_leads.store(session, prepared))
            if somebody_waits():
                break
        if before:
            await before
        counted = Counter[str]()
        for prepared, new in zip(parts, stored, strict=False):
            counted.update(await imported_leads.account(session, self._import_id, prepared, new))
        return counted


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
                partial(forget, many=MANY)
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
        gone = await imported_leads.take_back(session, self._turn.import_id, MANY)
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
