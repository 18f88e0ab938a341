"""The customers as the staff look them up: the list, one customer, notes."""

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas.service import company
from fuel_app.customers import queries
from fuel_app.customers.rules.customers import (
    CustomerGone,
    CustomerQuery,
    CustomerRow,
    NewNote,
    Note,
    Profile,
    Resident,
)
from fuel_app.customers.rules.locations import OwnLocation
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.customers.service import locations, vehicles
from fuel_app.customers.tables import CustomerNote
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Page

_NOTES_SHOWN = 200


async def page(
    actor: Actor, query: CustomerQuery, only: Collection[str] | None = None
) -> Page[CustomerRow]:
    """Return a page of the list; beyond the end, the last one. An unknown area filters nothing.

    Args:
        only: The people to filter by, such as those who owe.
    """
    actor.require(Role.DISPATCHER)
    areas = await company.areas() if query.area else []
    zips = next((area.zips for area in areas if area.id == query.area), None)
    async with reading() as session:
        return await queries.page(session, query, zips, only)


async def counts(session: AsyncSession) -> tuple[int, int]:
    """Count the customers, and those with an active plan."""
    return await queries.count_all(session)


async def residents(
    session: AsyncSession, zips: Collection[str], served: Collection[str]
) -> tuple[Resident, ...]:
    """Return the customers who have an address in some ZIP codes, by name."""
    return tuple(await queries.residents(session, zips, served))


async def find(actor: Actor, person_id: object) -> Profile | None:
    """Return one customer; None if there is none such (any more)."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        return await queries.find_profile(session, well_formed_id(person_id) or "")


async def garage(
    actor: Actor, person_id: object
) -> tuple[tuple[OwnVehicle, ...], tuple[OwnLocation, ...]]:
    """Return a customer's vehicles and saved addresses."""
    actor.require(Role.DISPATCHER)
    known_id = well_formed_id(person_id) or ""
    async with reading() as session:
        theirs = await vehicles.of_person(session, known_id)
        return theirs, await locations.of_person(session, known_id)


async def notes(actor: Actor, person_id: object) -> list[Note]:
    """Return the notes about a customer, newest first."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        found = await queries.list_notes(session, well_formed_id(person_id) or "", _NOTES_SHOWN)
    who = await directory.names(each.author for each in found)
    return [
        Note(each.id, each.text, who[each.author], clock.date_and_time(each.created_at))
        for each in found
    ]


async def add_note(actor: Actor, person_id: object, note: NewNote) -> None:
    """Add a note about a customer."""
    actor.require(Role.DISPATCHER)
    known_id = well_formed_id(person_id) or ""
    async with transaction() as session:
        if await queries.find_profile(session, known_id) is None:
            raise CustomerGone
        row = CustomerNote(person_id=known_id, author=str(actor), text=note.text)
        session.add(row)
        action = Action("person", "note_added", str(actor))
        await audit.record(session, action, [Change(known_id, None, {"note": row.id})])
