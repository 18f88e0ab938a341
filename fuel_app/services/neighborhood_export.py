"""Staff take the groups out, as the lines of a CSV file. Each part is a short look of its own."""

import asyncio
from collections.abc import AsyncIterator

from fuel_app.db import neighborhood_list
from fuel_app.domain.neighborhood_list import GroupQuery, GroupRow
from fuel_app.kit.csv import BOM, lines, moment

EXPORT_COLUMNS = ("Name", "ZIP Code", "Members", "Created At")


async def matching(query: GroupQuery) -> AsyncIterator[str]:
    """All groups that the table shows under its filters, in its order."""
    yield BOM + lines([EXPORT_COLUMNS])
    async for rows in neighborhood_list.walk(query):
        yield await asyncio.to_thread(lines, map(_cells, rows))  # others want the event loop


def _cells(row: GroupRow) -> tuple[str, ...]:
    return (row.name, row.zip_code, str(row.members), moment(row.created_at))
