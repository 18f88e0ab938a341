"""Access to bookings: whose they are, who acts on them, and the notes of what they did."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import BookingGone, Guest, when
from fuel_app.bookings.rules.filling import fill_text
from fuel_app.bookings.rules.states import CUSTOMER, STAFF, SYSTEM, TECHNICIAN
from fuel_app.bookings.tables import BookingEvent, StoredBooking
from fuel_app.customers.rules.listing import CustomerGone
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.ids import well_formed_id


def customer_of(by: Actor, customer_id: object) -> tuple[str, bool]:
    """Return whose booking it is about, and whether staff ask. Customers ask for themselves."""
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


COMPLETE, CORRECT = "complete", "correct"
_WITH_FIGURES = (COMPLETE, CORRECT, "charge", "confirm")
_AUDITED = ("book", "move", "cancel", "fail", *_WITH_FIGURES)


async def audited(
    session: AsyncSession,
    by: Actor | Guest | None,
    row: StoredBooking,
    kind: str,
    note: str,
    before: Mapping[str, Any] | None = None,
    role: str = "",
) -> None:
    """Write what staff do for a customer to the customer's audit log; a fill with its figures.

    Args:
        role: In which it is done where the actor may be the customer: a technician's own car.
    """
    if not isinstance(by, Actor) or not row.person_id or kind not in _AUDITED:
        return
    if (role or role_in(by, row.person_id)) in (STAFF, TECHNICIAN):
        former = (
            {"what": _fill(before["milligallons"], before)} if kind == CORRECT and before else None
        )
        filled = _fill(row.filled_milligallons, row.ticket) if kind in _WITH_FIGURES else ""
        what = ", ".join(filter(None, [when(row.starts_at, row.ends_at), filled, note]))
        await _noted(session, by, row.person_id, f"booking_{kind}", what, former)


async def note(session: AsyncSession, by: Actor, person_id: str, kind: str, what: str) -> None:
    """Write to a customer's audit log what changes no booking; guests have none."""
    if person_id:
        await _noted(session, by, person_id, kind, what)


async def _noted(
    session: AsyncSession,
    by: Actor,
    person_id: str,
    kind: str,
    what: str,
    former: dict[str, Any] | None = None,
) -> None:
    action = Action("person", kind, str(by))
    await audit.record(session, action, [Change(person_id, former, {"what": what})])


def _fill(milligallons: int | None, ticket: Mapping[str, Any]) -> str:
    return fill_text(milligallons or 0, ticket.get("number", ""))


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
