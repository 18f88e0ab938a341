"""Staff look at neighborhoods, rename them, merge two, hand the pioneer's role over."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.service import directory
from fuel_app.areas.rules.places import Coordinates, outline
from fuel_app.areas.service.places import zip_places
from fuel_app.kit.csv import BOM, lines, moment
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import NeighborhoodGone
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page, pages_of
from fuel_app.neighborhoods import queries
from fuel_app.neighborhoods import queries as neighborhood_changes
from fuel_app.neighborhoods import queries as neighborhood_list
from fuel_app.neighborhoods.rules import (
    PAGE_SIZE,
    MemberQuery,
    NeighborhoodChange,
    NeighborhoodDetail,
    NeighborhoodQuery,
    NeighborhoodRow,
    NeighborhoodSummary,
    ZipArea,
)


async def rename(neighborhood_id: object, name: str, *, actor: Actor) -> NeighborhoodChange | None:
    """Rename a neighborhood; None if it has that name already.

    Args:
        name: Cleaned by `clean_name`.

    Raises:
        NeighborhoodGone: If there is no such neighborhood (any more).
        NeighborhoodNameTaken: If the ZIP has another neighborhood of that name.
    """
    known_id = _neighborhood_id(neighborhood_id)
    async with transaction() as session:
        return await neighborhood_changes.rename(session, known_id, name, str(actor))


async def merge(survivor: object, gone: object, *, actor: Actor) -> NeighborhoodChange:
    """Merge a neighborhood into another of its ZIP. Its members move, its join link redirects.

    Raises:
        NeighborhoodGone: If one of them is not there (any more).
        OtherZip: If they are not of one ZIP.
    """
    survivor_id, gone_id = _neighborhood_id(survivor), _neighborhood_id(gone)
    async with transaction() as session:
        return await neighborhood_changes.merge(session, survivor_id, gone_id, str(actor))


async def hand_over(neighborhood_id: object, email: str, *, actor: Actor) -> NeighborhoodChange:
    """Make a member the neighborhood's pioneer.

    Args:
        email: Cleaned by `contact.email`.

    Raises:
        NeighborhoodGone: If there is no such neighborhood (any more).
        NotAMember: If none of its members has this address (any more).
    """
    known_id = _neighborhood_id(neighborhood_id)
    async with transaction() as session:
        return await neighborhood_changes.hand_over(session, known_id, email, str(actor))


def _neighborhood_id(value: object) -> str:
    known_id = well_formed_id(value)
    if known_id is None:
        raise NeighborhoodGone
    return known_id


EXPORT_COLUMNS = ("Name", "ZIP Code", "Members", "Created At")


async def matching(query: NeighborhoodQuery) -> AsyncIterator[str]:
    """Yield the table under these filters as CSV, in its order."""
    yield BOM + lines([EXPORT_COLUMNS])
    async for rows in neighborhood_list.in_batches(query):
        yield await asyncio.to_thread(lines, map(_cells, rows))  # beside the event loop


def _cells(row: NeighborhoodRow) -> tuple[str, ...]:
    return (row.name, row.zip_code, str(row.members), moment(row.created_at))


AREAS_SHOWN = 400  # circles on the map: those with the most members


async def page(query: NeighborhoodQuery) -> Page[NeighborhoodRow]:
    """Return a page of the table; beyond the end, the last one."""
    async with reading() as session:
        ids = await neighborhood_list.ids(session, query)
        pages = pages_of(len(ids), PAGE_SIZE)
        number = min(query.page, pages)
        start = (number - 1) * PAGE_SIZE
        rows = await neighborhood_list.by_ids(session, ids[start : start + PAGE_SIZE])
        return Page(tuple(rows), number, pages, len(ids))


async def areas(query: NeighborhoodQuery) -> list[ZipArea]:
    """Return an area for each ZIP with matching neighborhoods, largest first."""
    places = await zip_places()
    async with reading() as session:
        found = await neighborhood_list.by_zip(session, query, most=AREAS_SHOWN)
    return [ZipArea(*row, *places[row[0]]) for row in found if row[0] in places]


async def service_area() -> list[Coordinates]:
    """Return the outline of the service area; empty if no place is known."""
    return outline(await zip_places())


async def detail(
    session: AsyncSession, neighborhood_id: object, query: MemberQuery
) -> NeighborhoodDetail | None:
    """Return a neighborhood with a page of its members; None if it is not there (any more)."""
    known_id = well_formed_id(neighborhood_id)
    return await queries.detail(session, known_id, query) if known_id else None


async def others_in_zip(zip_code: str, neighborhood_id: str) -> list[NeighborhoodSummary]:
    """Return the other neighborhoods of the ZIP, which this one could be merged with."""
    async with reading() as session:
        found = await queries.in_zip(session, zip_code)
    return [other for other in found if other.id != neighborhood_id]


async def history(neighborhood_id: str) -> list[NeighborhoodChange]:
    """Return the changes of a neighborhood by staff, newest first."""
    async with reading() as session:
        changes = await neighborhood_changes.list_changes(session, neighborhood_id)
    who = await directory.names(change.actor for change in changes)
    return [replace(change, actor=who[change.actor]) for change in changes]
