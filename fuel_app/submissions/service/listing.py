"""Staff look through the leads and export them. Each part of a file is a transaction of its own."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace

from fuel_app.accounts.service import directory
from fuel_app.customers.service import arrival
from fuel_app.kit.csv import BOM, lines
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import LeadQuery, LeadRow
from fuel_app.submissions.queries import details as lead_details
from fuel_app.submissions.queries import imports
from fuel_app.submissions.rules.csv import EXPORT_COLUMNS, REASON, export_row
from fuel_app.submissions.rules.details import LeadDetails, LinkedCustomer

_MANY = 500
_CUSTOMERS = 5_000  # in one statement


async def page(query: LeadQuery) -> Page[LeadRow]:
    """Return a page of the list; a page beyond the end is the last one."""
    async with reading() as session:
        return await leads.page(session, query)


async def details(lead_id: object) -> LeadDetails | None:
    """Return all about one lead; None if there is none with that id."""
    known = well_formed_id(lead_id)
    if known is None:
        return None
    async with reading() as session:
        found = await lead_details.find(session, known)
    if found is None:
        return None
    who = await directory.names(entry.actor for entry in found.log)
    return replace(found, log=tuple(replace(each, actor=who[each.actor]) for each in found.log))


async def customers_among(lead_ids: Sequence[str]) -> list[LinkedCustomer]:
    """Return the customers among leads by name: deleting their leads leaves them what they have."""
    async with reading() as session:
        linked = await arrival.linked(session, lead_ids)
        return await lead_details.customers(session, list(linked))


async def customers_matching(query: LeadQuery) -> list[LinkedCustomer]:
    """Return the same of all leads that match. O(customers)."""
    found: list[LinkedCustomer] = []
    async with reading() as session:
        linked = sorted(await arrival.linked(session))
        for start in range(0, len(linked), _CUSTOMERS):
            some = linked[start : start + _CUSTOMERS]
            found += await lead_details.customers(session, some, query)
    return found


async def export(query: LeadQuery) -> AsyncIterator[str]:
    """Yield the file of all leads that the list shows under its search and filter, in its order."""
    yield BOM + lines([EXPORT_COLUMNS])
    async for rows in leads.in_batches(query):
        yield await _written(rows)


async def export_chosen(
    lead_ids: Sequence[str], query: LeadQuery | None = None
) -> AsyncIterator[str]:
    """Yield the file of these leads in the order in which they came, without deleted ones and those
    that the query does not find."""
    yield BOM + lines([EXPORT_COLUMNS])
    for start in range(0, len(lead_ids), _MANY):
        async with reading() as session:
            rows = await leads.by_ids(session, lead_ids[start : start + _MANY], query)
        yield await _written(rows)


async def export_rejected(import_id: str) -> AsyncIterator[str] | None:
    """Return the file of an import's rejected rows, each with its reason, to correct and import
    again; None if there is no such import."""
    async with reading() as session:
        header = await imports.header(session, import_id)
    return _rejected(import_id, header) if header else None


async def _rejected(import_id: str, header: list[str]) -> AsyncIterator[str]:
    yield BOM + lines([[REASON, *header]])
    after = 0
    while True:
        async with reading() as session:
            rows = await imports.rejects(session, import_id, after=after, limit=_MANY)
        if not rows:
            return
        yield await asyncio.to_thread(lines, [[row.reason, *row.cells] for _, row in rows])
        after = rows[-1][0]


async def _written(rows: Iterable[LeadRow]) -> str:
    """Write lines in a thread, so as not to block the event loop."""
    return await asyncio.to_thread(lambda: lines(map(export_row, rows)))
