"""Access to bookings: whose they are, who may see or change one, and reading them.

A customer reads their own, a guest the one of their link, staff any. What staff do for a customer
is written to the customer's audit log.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.bookings import queries
from fuel_app.bookings.rules.bookings import Booking, BookingGone, Event, FreeFillUse, Guest, when
from fuel_app.bookings.rules.fills import fill_text
from fuel_app.bookings.rules.states import (
    CANCELLED,
    CUSTOMER,
    RECORDS,
    STAFF,
    SYSTEM,
    TECHNICIAN,
)
from fuel_app.bookings.tables import BookingEvent, StoredBooking, StoredFill
from fuel_app.customers.rules.customers import CustomerGone
from fuel_app.customers.rules.locations import OwnLocation
from fuel_app.customers.rules.vehicles import OwnVehicle, bare_plate
from fuel_app.customers.service import account, locations, vehicles
from fuel_app.kit import audit, clock, secrets
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.calendar_file import Entry, calendar_file
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id
from fuel_app.messages.rules.kinds import MANAGED, TRACKED
from fuel_app.plans.rules.ledger import GUEST
from fuel_app.plans.service import ledger
from fuel_app.settings import settings


def customer_of(by: Actor | None, customer_id: object) -> tuple[str, bool]:
    """Return whose booking it is about, and whether staff ask. Customers ask for themselves.

    Without an actor it is a guest, who has no account: ''.
    """
    if by is None:
        return "", False
    if not by.may(Role.DISPATCHER) or (by.may(Role.CUSTOMER) and not customer_id):
        by.require(Role.CUSTOMER)
        return by.person_id, False
    known = well_formed_id(customer_id)
    if not known:
        raise CustomerGone
    return known, known != by.person_id


def check(by: Actor | Guest, row: StoredBooking | None) -> StoredBooking:
    """Return a booking that an actor may see; any other is gone."""
    if row is None or not _reaches(by, row):
        raise BookingGone
    return row


async def locked(session: AsyncSession, by: Actor | Guest, booking_id: object) -> StoredBooking:
    """Lock and return a booking that an actor may change; any other is gone."""
    return check(by, await queries.find(session, well_formed_id(booking_id) or "", lock=True))


def _reaches(by: Actor | Guest, row: StoredBooking) -> bool:
    if isinstance(by, Guest):
        return by.booking_id == row.id
    is_own = bool(by.person_id) and by.person_id == row.person_id and by.may(Role.CUSTOMER)
    return is_own or by.may(Role.DISPATCHER)


def role_in(by: Actor | Guest, person_id: str | None) -> str:
    """Return the role of an actor in a booking that they can access."""
    if isinstance(by, Guest) or (by.person_id and by.person_id == person_id):
        return CUSTOMER
    return SYSTEM if by.is_system else STAFF


_AUDITED = ("book", "move", "cars", "place", "cancel", "fail", *RECORDS)


async def audit_step(
    session: AsyncSession,
    by: Actor | Guest | None,
    row: StoredBooking,
    kind: str,
    note: str,
    before: Mapping[str, Any] | None = None,
    role: str = "",
    fill: StoredFill | None = None,
) -> None:
    """Write what staff do for a customer to the customer's audit log; a fill with its figures.

    Args:
        role: In which it is done where the actor may be the customer: a technician's own car.
        fill: The one that was recorded.
    """
    if not isinstance(by, Actor) or not row.person_id or kind not in _AUDITED:
        return
    if (role or role_in(by, row.person_id)) not in (STAFF, TECHNICIAN):
        return
    filled = fill_text(fill.filled_milligallons, fill.ticket) if fill else ""
    what = ", ".join(filter(None, [when(row.starts_at, row.ends_at), filled, note]))
    former = fill_text(before["milligallons"], before) if kind == "correct" and before else ""
    await audit_note(session, by, row.person_id, f"booking_{kind}", what, former)


async def audit_note(
    session: AsyncSession, by: Actor, person_id: str | None, kind: str, what: str, former: str = ""
) -> None:
    """Write to a customer's audit log; guests have none."""
    if person_id:
        change = Change(person_id, {"what": former} if former else None, {"what": what})
        await audit.record(session, Action("person", kind, str(by)), [change])


def event_of(
    row: StoredBooking,
    kind: str,
    by: Actor | Guest | None,
    before: dict[str, Any] | None = None,
    note: str = "",
    at: datetime | None = None,
) -> BookingEvent:
    """Return the note of a step that was taken now, or at another time."""
    return BookingEvent(
        booking_id=row.id,
        revision=row.revision,
        kind=kind,
        state=row.state,
        actor=str(by) if isinstance(by, Actor) else "guest",
        at=at or clock.now(),
        before=before or {},
        note=note,
    )


def guest_of(token: object) -> Guest | None:
    """Return the holder of a booking's link; None for a token that is not ours."""
    booking_id = secrets.row_of(MANAGED, token)
    return Guest(booking_id) if booking_id else None


def manage_token(booking: Booking) -> str:
    """Return the token of a booking's link, `/manage/{token}`."""
    return secrets.token(MANAGED, booking.id)


def track_token(booking: Booking) -> str:
    """Return the token of the link that follows a booking's technician, `/track/{token}`."""
    return secrets.token(TRACKED, booking.id)


async def find(by: Actor | Guest, booking_id: object) -> Booking | None:
    """Return a booking: a customer's own, any for staff, that one for a guest; else None."""
    async with reading() as session:
        row = await queries.find(session, well_formed_id(booking_id) or "")
    try:
        return queries.booking_of(check(by, row))
    except BookingGone:
        return None


async def calendar_of(by: Actor | Guest, booking: Booking) -> bytes:
    """Return the calendar file of a booking that is theirs. A later one takes its place."""
    is_guests = isinstance(by, Guest)
    person = None if is_guests else await directory.find_recipient(booking.person_id)
    path = routes.manage(manage_token(booking)) if is_guests else routes.booking(booking.id)
    entry = Entry(
        id=booking.id,
        revision=booking.revision,
        starts_at=booking.starts_at,
        ends_at=booking.ends_at,
        title=f"Fill-up: {booking.cars}",
        place=booking.place.line,
        address=settings.public_url + path,
        attendee=person.email if person else booking.contact.get("email", ""),
        is_cancelled=booking.state == CANCELLED,
    )
    return calendar_file(entry)


async def list_steps(booking_id: str) -> tuple[Event, ...]:
    """Return the steps of a booking that `find` has returned, the oldest first."""
    async with reading() as session:
        rows = await queries.events(session, booking_id)
    names = await directory.names(row.actor for row in rows)
    return tuple(
        Event(row.kind, row.state, names[row.actor], row.at, row.before, row.note) for row in rows
    )


PAST_MOST = 100  # of the bookings that have ended


async def upcoming(by: Actor, *, customer_id: object = "") -> tuple[Booking, ...]:
    """Return a customer's bookings that have not ended, the soonest first; staff name whose."""
    person_id, _ = customer_of(by, customer_id)
    async with reading() as session:
        return tuple(map(queries.booking_of, await queries.upcoming(session, person_id)))


async def past(
    by: Actor, *, customer_id: object = "", most: int = PAST_MOST
) -> tuple[Booking, ...]:
    """Return a customer's last bookings that have ended, the latest first; staff name whose."""
    person_id, _ = customer_of(by, customer_id)
    async with reading() as session:
        return tuple(map(queries.booking_of, await queries.past(session, person_id, most)))


async def upcoming_and_past(
    by: Actor, *, customer_id: object = ""
) -> tuple[tuple[Booking, ...], tuple[Booking, ...]]:
    """Return what `upcoming` and `past` do, by one statement."""
    person_id, _ = customer_of(by, customer_id)
    async with reading() as session:
        upcoming, past = await queries.upcoming_and_past(session, person_id, PAST_MOST)
    return tuple(map(queries.booking_of, upcoming)), tuple(map(queries.booking_of, past))


@dataclass(frozen=True, slots=True)
class WizardChoices:
    """A customer's own vehicles that the plan covers, and places."""

    vehicles: tuple[OwnVehicle, ...]
    places: tuple[OwnLocation, ...]
    has_card: bool
    has_guest_fill: bool  # of the plan, for a car that is not registered
    last_cars: tuple[str, ...]  # the ids of those that were booked last
    zip_code: str  # as they have signed up


async def wizard_choices(by: Actor) -> WizardChoices:
    """Return what a customer's wizard begins with."""
    tomorrow = clock.day_of(clock.now() + timedelta(days=1))
    async with reading() as session:
        known = await account.facts(session, by.person_id)
        guest = await ledger.allowance(session, by.person_id, tomorrow, GUEST)
        last = await queries.last_booked(session, by.person_id)
        garage = await vehicles.of_person(session, by.person_id)
        return WizardChoices(
            tuple(each for each in garage if each.is_active),
            await locations.of_person(session, by.person_id),
            known.has_card,
            guest is not None and guest.left > 0,
            tuple(each.vehicle_id for each in last.fills if each.vehicle_id) if last else (),
            known.zip_code,
        )


async def find_free_fill_use(
    session: AsyncSession, person_id: str, phone: str, license_plates: Iterable[str]
) -> str | None:
    """Return for what the free first fill was used before; None while one can still be had.

    Any of the customer's cars will do; one who has none yet has only to have the phone to
    themselves.
    """
    plates = [bare_plate(each) for each in license_plates] or [""]
    wanted = [FreeFillUse(person_id, each, phone) for each in plates]
    known = await queries.free_fills_used(session, wanted)
    used = [each.used_by(known) for each in wanted]
    return None if None in used else used[0]


async def names_of(
    session: AsyncSession, bookings: Iterable[Booking], people: Collection[str] = ()
) -> dict[str, str]:
    """Return the names of the customers of bookings, and of these people, by their ids."""
    wanted = {*(each.person_id for each in bookings), *people} - {""}
    return await directory.names_in(session, wanted)


def name_of_customer(booking: Booking, names: Mapping[str, str]) -> str:
    """Return the name of a booking's customer or guest."""
    if booking.person_id:
        return names[booking.person_id]
    parts = (booking.contact.get(each, "") for each in ("first_name", "last_name"))
    return " ".join(filter(None, parts)) or "Guest"
