"""Staff take leads out, as the lines of a CSV file. Each part is a short look of its own."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence

from fuel_app.kit.csv import BOM, lines
from fuel_app.kit.db.session import reading
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import LeadQuery, LeadRow
from fuel_app.submissions.queries import imports
from fuel_app.submissions.rules.csv import EXPORT_COLUMNS, REASON, export_row

_MANY = 500


async def matching(query: LeadQuery) -> AsyncIterator[str]:
    """All leads that the list shows under its search and filter, in its order."""
    yield BOM + lines([EXPORT_COLUMNS])
    async for rows in leads.walk(query):
        yield await _written(rows)


async def chosen(lead_ids: Sequence[str]) -> AsyncIterator[str]:
    """These leads, in the order in which they came; the ones that are gone are left out."""
    yield BOM + lines([EXPORT_COLUMNS])
    for start in range(0, len(lead_ids), _MANY):
        async with reading() as session:
            rows = await leads.by_ids(session, lead_ids[start : start + _MANY])
        yield await _written(rows)


async def rejected(import_id: str) -> AsyncIterator[str]:
    """The rows of an import that were rejected, each with its reason, to correct and import again.

    Nothing at all if there is no such import.
    """
    async with reading() as session:
        header = await imports.header(session, import_id)
    if header is None:
        return
    yield BOM + lines([[REASON, *header]])
    after = 0
    while True:
        async with reading() as session:
            rows = await imports.rejects(session, import_id, after=after, limit=_MANY)
        if not rows:
            return
        yield lines([[row.reason, *row.cells] for _, row in rows])
        after = rows[-1][0]


async def _written(rows: Iterable[LeadRow]) -> str:
    """In a thread: the event loop has others to serve."""
    return await asyncio.to_thread(lambda: lines(map(export_row, rows)))
