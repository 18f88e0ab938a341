"""A file's rows become leads: many at a time, in the file's order, beside visitors who join."""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from itertools import islice

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.db import imported_leads
from fuel_app.db.imported_leads import Prepared
from fuel_app.domain.lead_files.checking import Checked, checked
from fuel_app.domain.lead_files.reading import LeadFile
from fuel_app.kit.db.session import has_one_writer, somebody_waits

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
