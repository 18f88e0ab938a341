"""Queries on bookings and their events."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Table, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.bookings.rules import states
from fuel_app.bookings.rules.bookings import Booking, BookingGone, Car, FreeFillUse, Place
from fuel_app.bookings.rules.hours import CANCELLABLE
from fuel_app.bookings.rules.questions import KEPT
from fuel_app.bookings.tables import BookingEvent, FillQuestion, FreeFill, StoredBooking
from fuel_app.kit.db.session import insert_new, tell
from fuel_app.kit.money import FuelPrice, Money
from fuel_app.kit.signals import BOOKINGS, one

_BOOKINGS: Table = StoredBooking.__table__  # pyright: ignore[reportAttributeAccessIssue]
_EVENTS: Table = BookingEvent.__table__  # pyright: ignore[reportAttributeAccessIssue]
_FREE_FILLS: Table = FreeFill.__table__  # pyright: ignore[reportAttributeAccessIssue]
_id, _person = col(StoredBooking.id), col(StoredBooking.person_id)
_starts = col(StoredBooking.starts_at)
_SOONEST = _starts.asc()
_state, _key = col(StoredBooking.state), col(StoredBooking.key)
_vehicle, _filled = col(StoredBooking.vehicle_id), col(StoredBooking.filled_milligallons)
_is_checked = col(StoredBooking.gallons_asked_at).is_not(None)
_SAME = {*Booking.__slots__} & {*StoredBooking.model_fields}
_FILLS_COUNTED = 10  # the last ones, for the average
_UNSYNCED = {"synchronize_session": False}
_FRESH: dict[str, Any] = {"execution_options": {"populate_existing": True}}


def _money(cents: int | None) -> Money | None:
    return None if cents is None else Money(cents)


def booking_of(row: StoredBooking) -> Booking:
    """Return a stored booking as the rules know it."""
    same = {name: getattr(row, name) for name in _SAME}
    return Booking(
        **same | {"person_id": row.person_id or "", "place": Place(**row.place)},
        car=Car(**row.vehicle),
        price=FuelPrice(row.price_mills),
        fee=Money(row.fee_cents),
        tax=Money(row.tax_cents),
        free_cap=_money(row.free_cap_cents),
        late_fee_agreed=Money(row.late_fee_agreed_cents),
        late_fee=Money(row.late_fee_cents),
        total=_money(row.total_cents),
    )


async def add(session: AsyncSession, rows: Sequence[StoredBooking]) -> None:
    """Store new bookings; one of a known key violates a constraint."""
    await session.execute(insert(_BOOKINGS), [row.model_dump() for row in rows])


async def add_events(session: AsyncSession, events: Sequence[BookingEvent]) -> None:
    """Store steps of bookings."""
    await session.execute(insert(_EVENTS), [each.model_dump(exclude={"number"}) for each in events])


async def change(
    session: AsyncSession, booking_id: str, revision: int, values: dict[str, Any]
) -> bool:
    """Change a booking and count its revision up. Return False if it is another by now."""
    theirs = update(StoredBooking).where(_id == booking_id)
    theirs = theirs.where(col(StoredBooking.revision) == revision)
    changed = theirs.values(values | {"revision": revision + 1}).returning(_id)
    tell(session, one(BOOKINGS, booking_id))
    return await session.scalar(changed, execution_options=_UNSYNCED) is not None


async def find(
    session: AsyncSession, booking_id: str, *, lock: bool = False
) -> StoredBooking | None:
    """Return a booking; `lock` keeps others from changing it in this transaction."""
    found = select(StoredBooking).where(_id == booking_id)
    return await session.scalar(found.with_for_update() if lock else found, **_FRESH)


async def locked(session: AsyncSession, booking_id: str) -> StoredBooking:
    """Lock and return a booking. Raises BookingGone."""
    row = await find(session, booking_id, lock=True)
    if row is None:
        raise BookingGone
    return row


async def by_keys(session: AsyncSession, keys: Collection[str]) -> dict[str, StoredBooking]:
    """Return the bookings that tabs have made, by their keys."""
    rows = await session.scalars(select(StoredBooking).where(_key.in_(keys)))
    return {row.key: row for row in rows}


async def known(session: AsyncSession, booking_ids: Collection[str]) -> set[str]:
    """Return those of these ids that are bookings'."""
    return set(await session.scalars(select(_id).where(_id.in_(booking_ids))))


async def of_guests(session: AsyncSession, booking_ids: Collection[str]) -> set[str]:
    """Return those of these ids that are bookings of nobody's account."""
    return set(await session.scalars(select(_id).where(_id.in_(booking_ids), _person.is_(None))))


async def owners(session: AsyncSession, booking_ids: Collection[str]) -> dict[str, str]:
    """Return whose these bookings are, by booking; those of no account are left out."""
    rows = await session.execute(select(_id, _person).where(_id.in_(booking_ids)))
    return {booking_id: person_id for booking_id, person_id in rows if person_id}


async def events(session: AsyncSession, booking_id: str) -> list[BookingEvent]:
    """Return the steps of a booking, the oldest first."""
    theirs = select(BookingEvent).where(col(BookingEvent.booking_id) == booking_id)
    return list(await session.scalars(theirs.order_by(col(BookingEvent.number))))


async def planned_revision(session: AsyncSession, booking_id: str) -> int:
    """Return the revision by which the hold of a booking was last planned anew."""
    theirs = select(func.max(col(BookingEvent.revision))).where(
        col(BookingEvent.booking_id) == booking_id, col(BookingEvent.kind).in_(states.PLANS_HOLD)
    )
    return await session.scalar(theirs) or 0


async def between(session: AsyncSession, starts: datetime, ends: datetime) -> list[StoredBooking]:
    """Return the bookings of all areas whose windows begin from one moment until another."""
    return await _listed(session, _starts >= starts, _starts < ends)


async def counts(
    session: AsyncSession, starts: datetime, ends: datetime
) -> dict[str, tuple[int, int, int]]:
    """Count the bookings whose windows begin from one moment until another, by state.

    Returns:
        How many, how many of them took fuel, and its thousandths of a gallon.
    """
    certain = ~_is_checked
    fuel = func.count().filter(_filled > 0, certain), func.sum(_filled).filter(certain)
    day = (_starts >= starts, _starts < ends)
    counted = select(_state, func.count(), *fuel).where(*day).group_by(_state)
    rows = await session.execute(counted)
    return {state: (count, filled, int(taken or 0)) for state, count, filled, taken in rows}


async def of_ids(
    session: AsyncSession, booking_ids: Collection[str], *, lock: bool = False
) -> list[StoredBooking]:
    """Return bookings by their ids, in their order; `lock` keeps others from changing them."""
    return await _listed(session, _id.in_(booking_ids), by=_id.asc(), lock=lock)


async def open_ones(session: AsyncSession, booking_ids: Collection[str]) -> list[StoredBooking]:
    """Return those of some bookings that have not ended."""
    return await _listed(session, _id.in_(booking_ids), _state.in_(states.OPEN_STATES))


async def upcoming(session: AsyncSession, person_id: str) -> list[StoredBooking]:
    """Return a person's bookings that have not ended, the soonest first."""
    return await _listed(session, _person == person_id, _state.in_(states.OPEN_STATES))


async def checked(session: AsyncSession, person_id: str) -> list[StoredBooking]:
    """Return a person's bookings about whose gallons staff are asked, those beside them too."""
    kept = select(col(FillQuestion.booking_id))
    kept = kept.where(col(FillQuestion.kind) == KEPT, col(FillQuestion.answer) == "")
    return await _listed(session, _person == person_id, or_(_is_checked, _id.in_(kept)))


async def past(session: AsyncSession, person_id: str, most: int) -> list[StoredBooking]:
    """Return a person's last bookings that have ended, the latest first."""
    ended = (_person == person_id, _state.in_(states.ENDED))
    return await _listed(session, *ended, by=_starts.desc(), most=most)


async def of_person(session: AsyncSession, person_id: str) -> list[StoredBooking]:
    """Return all bookings of a person, the oldest first."""
    return await _listed(session, _person == person_id)


async def last_booked(session: AsyncSession, person_id: str) -> StoredBooking | None:
    """Return the booking that a person has made last."""
    made = col(StoredBooking.created_at).desc()
    return next(iter(await _listed(session, _person == person_id, by=made, most=1)), None)


async def ahead(session: AsyncSession, area_id: str, at: datetime) -> list[StoredBooking]:
    """Lock an area's bookings that can be cancelled and whose windows are not over at a moment."""
    there = (col(StoredBooking.area_id) == area_id, col(StoredBooking.ends_at) > at)
    return await _listed(session, *there, _state.in_(CANCELLABLE), lock=True)


async def coverable(
    session: AsyncSession, people: Collection[str], since: datetime
) -> list[StoredBooking]:
    """Lock people's bookings from a moment on that a plan pays for and no technician drives to."""
    theirs = (_person.in_(people), _starts >= since, _state.in_(states.WAITING))
    covered = col(StoredBooking.pays_by).in_((states.ALLOWANCE, states.GUEST_FILL))
    return await _listed(session, *theirs, covered, lock=True)


async def _listed(
    session: AsyncSession,
    *having: ColumnElement[bool],
    by: ColumnElement[Any] = _SOONEST,
    most: int | None = None,
    lock: bool = False,
) -> list[StoredBooking]:
    found = select(StoredBooking).where(*having).order_by(by, _id).limit(most)
    return list(await session.scalars(found.with_for_update() if lock else found, **_FRESH))


async def average_fill(session: AsyncSession, person_id: str, vehicle_id: str) -> int | None:
    """Return the thousandths of a gallon that the last fills of a vehicle took on average."""
    theirs = (_person == person_id, _vehicle == vehicle_id, _state == states.COMPLETED)
    last = select(_filled).where(*theirs, _filled > 0, ~_is_checked).order_by(_starts.desc())
    fills = last.limit(_FILLS_COUNTED).subquery()
    sums = select(func.sum(fills.c[0]), func.count()).select_from(fills)
    gallons, count = (await session.execute(sums)).one()
    return (2 * gallons + count) // (2 * count) if count else None


async def free_fills_used(
    session: AsyncSession, wanted: Collection[FreeFillUse]
) -> list[FreeFillUse]:
    """Return the uses that share their person, plate or phone with one of these."""
    columns = [_FREE_FILLS.c[name] for name in FreeFillUse.__slots__]
    each = (column.in_([getattr(use, column.name) for use in wanted]) for column in columns)
    rows = await session.execute(select(*columns).where(or_(*each))) if wanted else ()
    return [FreeFillUse(*row) for row in rows]


async def add_free_fills(session: AsyncSession, rows: Sequence[FreeFill]) -> bool:
    """Note free first fills. Return False if a person, plate or phone had one."""
    new = insert_new(session, _FREE_FILLS).returning(_FREE_FILLS.c.booking_id)
    added = await session.scalars(new, [row.model_dump() for row in rows])
    return len(added.all()) == len(rows)


async def remove_free_fill(session: AsyncSession, **of: str) -> None:
    """Forget the free first fill of a `booking_id` or a `person_id`."""
    await session.execute(delete(FreeFill).filter_by(**of))


async def of_guest(session: AsyncSession, email: str) -> list[str]:
    """Return and lock the bookings of a guest that no person has, by their ids."""
    theirs = select(_id).where(col(StoredBooking.guest_email) == email, _person.is_(None))
    return list(await session.scalars(theirs.with_for_update()))


async def set_values(
    session: AsyncSession, booking_ids: Collection[str], values: dict[str, Any]
) -> None:
    """Set columns of bookings whatever their revision."""
    tell(session, *(one(BOOKINGS, each) for each in booking_ids))
    theirs = update(StoredBooking).where(_id.in_(booking_ids))
    await session.execute(theirs.values(values), execution_options=_UNSYNCED)


async def erase_notes(session: AsyncSession, booking_ids: Collection[str]) -> None:
    """Empty what was noted about bookings; the steps themselves stay."""
    theirs = update(BookingEvent).where(col(BookingEvent.booking_id).in_(booking_ids))
    await session.execute(theirs.values(note="", before={}), execution_options=_UNSYNCED)
