"""Queries on bookings with their fills and events, on seats, and on questions about fills.

A seat is a row: free, held until a time, or a booking's. Who takes one has locked the area's row
(shared), so the capacity stays until the commit.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Table,
    and_,
    case,
    delete,
    exists,
    false,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload
from sqlmodel import col

from fuel_app.bookings.rules import states
from fuel_app.bookings.rules.bookings import (
    CANCELLABLE,
    BookedFill,
    Booking,
    BookingGone,
    Car,
    FreeFillUse,
    Location,
)
from fuel_app.bookings.rules.fills import KEPT, TICKET
from fuel_app.bookings.rules.states import FUELING
from fuel_app.bookings.tables import (
    BookingEvent,
    FillQuestion,
    FreeFill,
    SlotSeat,
    SlotWait,
    StoredBooking,
    StoredFill,
)
from fuel_app.kit.db.session import insert_new, publish
from fuel_app.kit.money import FuelPrice, Money
from fuel_app.kit.signals import BOOKINGS, one

_BOOKINGS: Table = StoredBooking.__table__  # pyright: ignore[reportAttributeAccessIssue]
_FILLS: Table = StoredFill.__table__  # pyright: ignore[reportAttributeAccessIssue]
_EVENTS: Table = BookingEvent.__table__  # pyright: ignore[reportAttributeAccessIssue]
_FREE_FILLS: Table = FreeFill.__table__  # pyright: ignore[reportAttributeAccessIssue]
_id, _person = col(StoredBooking.id), col(StoredBooking.person_id)
_starts = col(StoredBooking.starts_at)
_SOONEST = _starts.asc()
_state, _key = col(StoredBooking.state), col(StoredBooking.key)
_fill, _of_booking = col(StoredFill.id), col(StoredFill.booking_id)
_vehicle, _filled = col(StoredFill.vehicle_id), col(StoredFill.filled_milligallons)
_is_checked = col(StoredFill.gallons_asked_at).is_not(None)
_joined = _of_booking == _id
_SAME = {*Booking.__slots__} & {*StoredBooking.model_fields}
_SAME_FILL = {*BookedFill.__slots__} & {*StoredFill.model_fields}
_FILLS_COUNTED = 10  # the last ones, for the average
_UNSYNCED = {"synchronize_session": False}
_FRESH: dict[str, Any] = {"execution_options": {"populate_existing": True}}
_WITH_FILLS = joinedload(StoredBooking.fills)  # pyright: ignore[reportArgumentType]


def _money(cents: int | None) -> Money | None:
    return None if cents is None else Money(cents)


def booking_of(row: StoredBooking) -> Booking:
    """Return a stored booking as the rules know it."""
    same = {name: getattr(row, name) for name in _SAME}
    return Booking(
        **same | {"person_id": row.person_id or "", "place": Location(**row.place)},
        fills=tuple(map(fill_of, row.fills)),
        late_fee_agreed=Money(row.late_fee_agreed_cents),
        late_fee=Money(row.late_fee_cents),
    )


def fill_of(row: StoredFill) -> BookedFill:
    """Return a stored fill as the rules know it."""
    return BookedFill(
        **{name: getattr(row, name) for name in _SAME_FILL},
        car=Car(**row.vehicle),
        price=FuelPrice(row.price_mills),
        fee=Money(row.fee_cents),
        tax=Money(row.tax_cents),
        free_cap=_money(row.free_cap_cents),
        total=_money(row.total_cents),
    )


async def add(session: AsyncSession, row: StoredBooking) -> None:
    """Store a new booking with its fills; one of a known key violates a constraint."""
    await session.execute(insert(_BOOKINGS), row.model_dump())
    await session.execute(insert(_FILLS), [each.model_dump() for each in row.fills])


async def add_fill(session: AsyncSession, row: StoredFill) -> None:
    """Add a car to a booking that the transaction has locked."""
    await session.execute(insert(_FILLS), row.model_dump())
    publish(session, one(BOOKINGS, row.booking_id))


async def remove_fill(session: AsyncSession, row: StoredFill) -> None:
    """Take a car off a booking that the transaction has locked."""
    await session.execute(delete(StoredFill).where(col(StoredFill.id) == row.id))
    publish(session, one(BOOKINGS, row.booking_id))


async def add_event(session: AsyncSession, event: BookingEvent) -> None:
    """Store a step of a booking."""
    await session.execute(insert(_EVENTS), event.model_dump(exclude={"number"}))


async def change(
    session: AsyncSession, booking_id: str, revision: int, values: dict[str, Any]
) -> bool:
    """Change a booking and count its revision up. Return False if it is another by now."""
    statement = update(StoredBooking).where(
        _id == booking_id, col(StoredBooking.revision) == revision
    )
    changed = statement.values(values | {"revision": revision + 1}).returning(_id)
    publish(session, one(BOOKINGS, booking_id))
    return await session.scalar(changed, execution_options=_UNSYNCED) is not None


async def change_fill(session: AsyncSession, row: StoredFill, values: dict[str, Any]) -> None:
    """Change a fill of a booking that the transaction has locked."""
    for name, value in values.items():
        setattr(row, name, value)
    await session.flush()
    publish(session, one(BOOKINGS, row.booking_id))


async def find(
    session: AsyncSession, booking_id: str, *, lock: bool = False
) -> StoredBooking | None:
    """Return a booking; `lock` keeps others from changing it in this transaction."""
    return next(iter(await _listed(session, _id == booking_id, lock=lock)), None)


async def locked(session: AsyncSession, booking_id: str) -> StoredBooking:
    """Lock and return a booking. Raises BookingGone."""
    row = await find(session, booking_id, lock=True)
    if row is None:
        raise BookingGone
    return row


async def by_key(session: AsyncSession, key: str) -> StoredBooking | None:
    """Return the booking that a tab has made with a key."""
    return await session.scalar(select(StoredBooking).where(_key == key))


async def owners(session: AsyncSession, booking_ids: Collection[str]) -> dict[str, str | None]:
    """Return whose these bookings are, by booking; None for those of no account."""
    rows = await session.execute(select(_id, _person).where(_id.in_(booking_ids)))
    return {booking_id: person_id for booking_id, person_id in rows}


async def events(session: AsyncSession, booking_id: str) -> list[BookingEvent]:
    """Return the steps of a booking, the oldest first."""
    steps = select(BookingEvent).where(col(BookingEvent.booking_id) == booking_id)
    return list(await session.scalars(steps.order_by(col(BookingEvent.number))))


async def between(session: AsyncSession, starts: datetime, ends: datetime) -> list[StoredBooking]:
    """Return the bookings of all areas whose windows begin from one moment until another."""
    return await _listed(session, _starts >= starts, _starts < ends)


async def left_at_work(
    session: AsyncSession, since: datetime, until: datetime
) -> list[StoredBooking]:
    """Return the bookings with windows from one moment until another that are still being fueled.

    O(bookings of those days), by an index.
    """
    return await _listed(session, _starts >= since, _starts < until, _state == FUELING)


async def count_states(session: AsyncSession, starts: datetime, ends: datetime) -> dict[str, int]:
    """Count the bookings whose windows begin from one moment until another, by state."""
    day = (_starts >= starts, _starts < ends)
    rows = await session.execute(select(_state, func.count()).where(*day).group_by(_state))
    return {state: count for state, count in rows}


async def sum_fills(
    session: AsyncSession, starts: datetime, ends: datetime
) -> tuple[int, int, int, int]:
    """Sum the fills of the completed bookings of some days.

    Returns:
        How many took fuel, its thousandths of a gallon, how many have a bill, and its cents.
    """
    certain, bill = ~_is_checked, col(StoredFill.total_cents)
    fuel = func.count().filter(_filled > 0, certain), func.sum(_filled).filter(certain)
    day = (_starts >= starts, _starts < ends, _state == states.COMPLETED)
    sums = select(*fuel, func.count(bill), func.sum(bill)).join(StoredBooking, _joined)
    filled, taken, billed, cents = (await session.execute(sums.where(*day))).one()
    return filled, int(taken or 0), billed, int(cents or 0)


async def booked_by_slot(
    session: AsyncSession, starts: datetime, ends: datetime
) -> list[tuple[str, str, int, int]]:
    """Count the bookings of some days that are not cancelled, by slot and grade.

    Each with the thousandths of a gallon that they are estimated to take. A booking counts with
    the grade of its first car.
    """
    slot, grade = col(StoredBooking.slot_id), col(StoredFill.grade)
    taken = func.sum(col(StoredFill.estimated_milligallons))
    visits = func.count().filter(col(StoredFill.position) == 1)
    day = (_starts >= starts, _starts < ends, _state != states.CANCELLED)
    sums = select(slot, grade, visits, taken).join(StoredBooking, _joined).where(*day)
    rows = await session.execute(sums.group_by(slot, grade))
    return [(slot_id, of, count, int(gallons or 0)) for slot_id, of, count, gallons in rows]


async def sold(
    session: AsyncSession, starts: datetime, ends: datetime
) -> list[tuple[str, str, int, int, int]]:
    """Return the billed fills of some days by area and grade.

    Each with how many, thousandths of a gallon, and cents without tax.
    """
    area, grade = col(StoredBooking.area_id), col(StoredFill.grade)
    cents, tax = col(StoredFill.total_cents), col(StoredFill.tax_cents)
    net = cents - case((col(StoredFill.fee_asked_at).is_(None), tax), else_=0)
    billed = (_starts >= starts, _starts < ends, _state == states.COMPLETED, _filled > 0)
    sums = select(area, grade, func.count(), func.sum(_filled), func.sum(net))
    rows = await session.execute(
        sums.join(StoredBooking, _joined)
        .where(*billed, cents.is_not(None))
        .group_by(area, grade)
        .order_by(area, grade)
    )
    return [
        (area_id, of, n, int(taken or 0), int(earned or 0))
        for area_id, of, n, taken, earned in rows
    ]


async def of_ids(
    session: AsyncSession, booking_ids: Collection[str], *, lock: bool = False
) -> list[StoredBooking]:
    """Return bookings by their ids, in their order; `lock` keeps others from changing them."""
    return await _listed(session, _id.in_(booking_ids), by=_id.asc(), lock=lock)


async def of_fills(session: AsyncSession, fill_ids: Collection[str]) -> list[StoredBooking]:
    """Return the bookings to which these fills belong, the soonest first."""
    theirs = select(_of_booking).where(_fill.in_(fill_ids))
    return await _listed(session, _id.in_(theirs)) if fill_ids else []


async def open_of(session: AsyncSession, booking_ids: Collection[str]) -> list[StoredBooking]:
    """Return those of some bookings that have not ended."""
    return await _listed(session, _id.in_(booking_ids), _state.in_(states.OPEN_STATES))


async def upcoming(session: AsyncSession, person_id: str) -> list[StoredBooking]:
    """Return a person's bookings that have not ended, the soonest first."""
    return await _listed(session, _person == person_id, _state.in_(states.OPEN_STATES))


async def under_check(session: AsyncSession, person_id: str) -> list[StoredBooking]:
    """Return a person's bookings about whose gallons staff are asked, those beside them too."""
    kept = select(col(FillQuestion.booking_id))
    kept = kept.where(col(FillQuestion.kind) == KEPT, col(FillQuestion.answer) == "")
    checked = select(_of_booking).where(_is_checked)
    return await _listed(session, _person == person_id, or_(_id.in_(checked), _id.in_(kept)))


async def in_slot(
    session: AsyncSession, slot_id: str, person_id: str, guest_email: str
) -> list[StoredBooking]:
    """Return the bookings of a slot that have not ended, of a customer or else of a guest."""
    of_guest = and_(_person.is_(None), col(StoredBooking.guest_email) == guest_email)
    whose = _person == person_id if person_id else of_guest
    theirs = (col(StoredBooking.slot_id) == slot_id, whose, _state.in_(states.OPEN_STATES))
    return await _listed(session, *theirs)


async def past(session: AsyncSession, person_id: str, most: int) -> list[StoredBooking]:
    """Return a person's last bookings that have ended, the latest first."""
    ended = (_person == person_id, _state.in_(states.ENDED))
    return await _listed(session, *ended, by=_starts.desc(), most=most)


async def upcoming_and_past(
    session: AsyncSession, person_id: str, most: int
) -> tuple[list[StoredBooking], list[StoredBooking]]:
    """Return what `upcoming` and `past` do, by one statement."""
    ended = select(_id).where(_person == person_id, _state.in_(states.ENDED))
    last = ended.order_by(_starts.desc(), _id).limit(most)
    wanted = or_(_state.in_(states.OPEN_STATES), _id.in_(last))
    rows = await _listed(session, _person == person_id, wanted)
    upcoming = [row for row in rows if row.state in states.OPEN_STATES]
    past = [row for row in rows if row.state not in states.OPEN_STATES]
    return upcoming, sorted(past, key=lambda row: row.starts_at, reverse=True)


async def of_person(session: AsyncSession, person_id: str) -> list[StoredBooking]:
    """Return all bookings of a person, the oldest first."""
    return await _listed(session, _person == person_id)


async def last_booked(session: AsyncSession, person_id: str) -> StoredBooking | None:
    """Return the booking that a person has made last."""
    made = col(StoredBooking.created_at).desc()
    return next(iter(await _listed(session, _person == person_id, by=made, most=1)), None)


async def lock_ahead(session: AsyncSession, area_id: str, at: datetime) -> list[StoredBooking]:
    """Lock an area's bookings that can be cancelled and whose windows are not over at a moment."""
    there = (col(StoredBooking.area_id) == area_id, col(StoredBooking.ends_at) > at)
    return await _listed(session, *there, _state.in_(CANCELLABLE), lock=True)


async def lock_coverable(
    session: AsyncSession, people: Collection[str], since: datetime
) -> list[StoredBooking]:
    """Lock people's bookings from a moment on that a plan could pay for.

    No technician drives to one, and none is a free first fill.
    """
    theirs = (_person.in_(people), _starts >= since, _state.in_(states.WAITING))
    by_plan = exists().where(_joined, col(StoredFill.pays_by) != states.FREE_FILL)
    return await _listed(session, *theirs, by_plan, lock=True)


async def covered_since(
    session: AsyncSession, person_id: str, since: datetime
) -> list[StoredBooking]:
    """Return a person's bookings that their plan has covered since a moment, the soonest first."""
    covered = select(col(BookingEvent.booking_id)).where(
        col(BookingEvent.kind) == "cover", col(BookingEvent.at) >= since
    )
    return await _listed(session, _person == person_id, _id.in_(covered))


async def _listed(
    session: AsyncSession,
    *having: ColumnElement[bool],
    by: ColumnElement[Any] = _SOONEST,
    most: int | None = None,
    lock: bool = False,
) -> list[StoredBooking]:
    """Return bookings with their fills: one statement, two where they are locked."""
    statement = select(StoredBooking).where(*having).order_by(by, _id).limit(most)
    statement = statement.with_for_update() if lock else statement.options(_WITH_FILLS)
    return list((await session.scalars(statement, **_FRESH)).unique())


async def average_fill(session: AsyncSession, person_id: str, vehicle_id: str) -> int | None:
    """Return the thousandths of a gallon that the last fills of a vehicle took on average."""
    filled = (col(StoredFill.outcome) == states.FILLED, _filled > 0, ~_is_checked)
    theirs = (_person == person_id, _vehicle == vehicle_id, *filled)
    statement = select(_filled).join(StoredBooking, _joined).where(*theirs)
    statement = statement.order_by(_starts.desc())
    fills = statement.limit(_FILLS_COUNTED).subquery()
    sums = select(func.sum(fills.c[0]), func.count()).select_from(fills)
    gallons, count = (await session.execute(sums)).one()
    return (2 * gallons + count) // (2 * count) if count else None


async def free_fills_used(
    session: AsyncSession, wanted: Collection[FreeFillUse], *, but: str = ""
) -> list[FreeFillUse]:
    """Return the uses that share their person, plate or phone with one of these.

    Args:
        but: A booking whose own use comes back.
    """
    columns = [_FREE_FILLS.c[name] for name in FreeFillUse.__slots__]
    each = (column.in_([getattr(use, column.name) for use in wanted]) for column in columns)
    others = select(*columns).where(or_(*each), _FREE_FILLS.c.booking_id != but)
    rows = await session.execute(others) if wanted else ()
    return [FreeFillUse(*row) for row in rows]


async def add_free_fill(session: AsyncSession, use: FreeFillUse, booking_id: str) -> bool:
    """Note a free first fill. Return False if the person, plate or phone had one."""
    new = insert_new(session, _FREE_FILLS).returning(_FREE_FILLS.c.booking_id)
    return await session.scalar(new, asdict(use) | {"booking_id": booking_id}) is not None


async def has_free_fill(session: AsyncSession, booking_id: str) -> bool:
    """Return whether a booking holds a free first fill."""
    return bool(
        await session.scalar(select(col(FreeFill.booking_id)).filter_by(booking_id=booking_id))
    )


async def remove_free_fill(session: AsyncSession, **of: str) -> None:
    """Forget the free first fill of a `booking_id` or a `person_id`."""
    await session.execute(delete(FreeFill).filter_by(**of))


_guest, _search = col(StoredBooking.guest_email), col(StoredBooking.guest_search)


async def search_guests(
    session: AsyncSession, words: Collection[str], phone_part: str, most: int
) -> tuple[list[tuple[StoredBooking, int]], int]:
    """Return guests, by the last booking that is found, and how many guests are found in all.

    Each word has to be in what their bookings are found by, or the digits of a phone. It reads the
    bookings of guests alone, by a partial index.

    Returns:
        Each with how many bookings are found, the last guest first.
    """
    found = and_(*(_search.contains(word) for word in words)) if words else false()
    if phone_part:
        found |= _search.contains(phone_part)
    grouped = select(func.max(_id).label("id"), func.count().label("bookings"))
    guests = grouped.where(_search != "", found).group_by(_guest).subquery()
    total = await session.scalar(select(func.count()).select_from(guests)) or 0
    listed = select(StoredBooking, guests.c.bookings).join(guests, guests.c.id == _id)
    rows = await session.execute(listed.order_by(_id.desc()).limit(most)) if total else ()
    return [(row, count) for row, count in rows], total


async def of_guest(session: AsyncSession, email: str) -> list[StoredBooking]:
    """Return the bookings of a guest that no person has, the soonest first."""
    return await _listed(session, _guest == email, _person.is_(None))


async def lock_of_guest(session: AsyncSession, email: str) -> list[str]:
    """Return and lock the bookings of a guest that no person has, by their ids."""
    statement = select(_id).where(col(StoredBooking.guest_email) == email, _person.is_(None))
    return list(await session.scalars(statement.with_for_update()))


async def set_values(
    session: AsyncSession, booking_ids: Collection[str], values: dict[str, Any]
) -> None:
    """Set columns of bookings whatever their revision."""
    publish(session, *(one(BOOKINGS, each) for each in booking_ids))
    statement = update(StoredBooking).where(_id.in_(booking_ids))
    await session.execute(statement.values(values), execution_options=_UNSYNCED)


async def erase_notes(session: AsyncSession, booking_ids: Collection[str]) -> None:
    """Empty what was noted about bookings; the steps themselves stay."""
    statement = update(BookingEvent).where(col(BookingEvent.booking_id).in_(booking_ids))
    await session.execute(statement.values(note="", before={}), execution_options=_UNSYNCED)


_SEATS: Table = SlotSeat.__table__  # pyright: ignore[reportAttributeAccessIssue]
_slot, _seat = col(SlotSeat.slot_id), col(SlotSeat.place)
_hold, _until = col(SlotSeat.hold_id), col(SlotSeat.held_until)
_held_for, _seat_booking = col(SlotSeat.held_for), col(SlotSeat.booking_id)
_NO_HOLD: dict[str, Any] = {"hold_id": None, "held_until": None, "held_for": ""}


def _is_free_seat(now: datetime, hold_ids: Sequence[str]) -> ColumnElement[bool]:
    return and_(_seat_booking.is_(None), or_(_hold.is_(None), _until <= now, _hold.in_(hold_ids)))


async def count_taken_seats(
    session: AsyncSession, slot_ids: Collection[str], now: datetime, hold_id: str = ""
) -> dict[str, int]:
    """Return how many places of each slot are taken, those held by others included."""
    counted = select(_slot, func.count()).where(_slot.in_(slot_ids), ~_is_free_seat(now, [hold_id]))
    rows = await session.execute(counted.group_by(_slot))
    return {slot_id: count for slot_id, count in rows}


async def count_seats_in_use(
    session: AsyncSession, slot_ids: Collection[str], now: datetime
) -> dict[str, int]:
    """Return how many seats of each slot are taken, without those of bookings on hold."""
    goes = _state.is_distinct_from(states.WEATHER_HOLD)
    seats = select(_slot, func.count()).outerjoin(StoredBooking, _seat_booking == _id)
    counted = seats.where(_slot.in_(slot_ids), ~_is_free_seat(now, []), goes)
    return {slot_id: count for slot_id, count in await session.execute(counted.group_by(_slot))}


async def lock_taken_seats(session: AsyncSession, slot_ids: Collection[str]) -> None:
    """Lock the seats of bookings in some slots: one transaction at a time books there again."""
    taken = select(_seat).where(_slot.in_(slot_ids), _seat_booking.is_not(None))
    await session.execute(taken.order_by(_slot, _seat).with_for_update())


async def take_seat(
    session: AsyncSession,
    slot_id: str,
    capacity: int,
    now: datetime,
    hold_id: str = "",
    *,
    booking_id: str | None = None,
    held_until: datetime | None = None,
    held_for: str = "",
) -> bool:
    """Take a seat for a booking, or hold one until a time. Return False if the slot is full.

    Args:
        session: Of a transaction that holds the area's lock.
        capacity: The slot's seats by now; rows are added or removed accordingly.
        hold_id: The seat held by it is taken, or freed; an expired hold still finds its own seat.
    """
    seat = await lock_free_seat(session, slot_id, now, hold_id, capacity=capacity)
    if seat is None:
        await _fit_seats(session, slot_id, capacity, now, hold_id)
        # One that another has locked may become free again: its taker may fail.
        seat = await lock_free_seat(session, slot_id, now, hold_id, waits=True)
    if seat is None:
        return False
    if hold_id:  # after the seat is locked, which may wait (lock order)
        held = update(SlotSeat).where(_hold == hold_id)
        await session.execute(held.values(_NO_HOLD), execution_options=_UNSYNCED)
    held = {"hold_id": hold_id, "held_until": held_until, "held_for": held_for}
    values = (_NO_HOLD if booking_id else held) | {"booking_id": booking_id}
    statement = update(SlotSeat).where(_slot == slot_id, _seat == seat)
    await session.execute(statement.values(values), execution_options=_UNSYNCED)
    return True


async def lock_free_seat(
    session: AsyncSession,
    slot_id: str,
    now: datetime,
    hold_id: str,
    *,
    waits: bool = False,
    capacity: int | None = None,
) -> int | None:
    """Lock a free seat, one's own held one first. Return its number; None if there is none.

    Args:
        waits: For one that others have locked; else those are skipped.
        capacity: Only where the slot has so many rows.
    """
    own_first = case((_hold == hold_id, 0), else_=1)
    free = select(_seat).where(_slot == slot_id, _is_free_seat(now, [hold_id]))
    if capacity is not None:
        statement = select(func.count()).select_from(SlotSeat).where(_slot == slot_id)
        free = free.where(statement.scalar_subquery() == capacity)
    first = free.order_by(own_first, _seat).limit(1)
    return await session.scalar(first.with_for_update(skip_locked=not waits))


async def _fit_seats(
    session: AsyncSession, slot_id: str, capacity: int, now: datetime, hold_id: str
) -> None:
    """Add the seats that a slot lacks, or remove free ones, the last first."""
    is_free = _is_free_seat(now, [hold_id])
    states = select(_seat, _hold, is_free).where(_slot == slot_id)
    rows = (await session.execute(states)).all()
    known = {row[0] for row in rows}
    if (missing := capacity - len(rows)) > 0:
        numbers = [each for each in range(1, len(rows) + missing + 1) if each not in known]
        new = [{"slot_id": slot_id, "place": each, "held_for": ""} for each in numbers[:missing]]
        await session.execute(insert_new(session, SlotSeat).values(new))
    elif missing < 0:
        free = sorted((row[1] == hold_id, -row[0]) for row in rows if row[2])
        surplus = delete(SlotSeat).where(_slot == slot_id, is_free)
        surplus = surplus.where(_seat.in_([-number for _, number in free[:-missing]]))
        await session.execute(surplus, execution_options=_UNSYNCED)


async def leave_seat(session: AsyncSession, booking_id: str) -> str | None:
    """Free the place of a booking. Return its slot; None if it has none."""
    statement = update(SlotSeat).where(_seat_booking == booking_id)
    left = statement.values(booking_id=None).returning(_slot)
    return await session.scalar(left, execution_options=_UNSYNCED)


async def is_held(session: AsyncSession, hold_id: str, now: datetime) -> bool:
    """Return whether a hold has not lapsed."""
    held = select(_seat).where(_hold == hold_id, _until > now)
    return await session.scalar(held) is not None


async def free_hold(session: AsyncSession, hold_id: str) -> bool:
    """Give a held place back. Return False if it is held by this hold no more."""
    statement = update(SlotSeat).where(_hold == hold_id).values(_NO_HOLD).returning(_seat)
    return await session.scalar(statement, execution_options=_UNSYNCED) is not None


async def count_slot_holds(session: AsyncSession, address: str, now: datetime, but: str) -> int:
    """Return how many places a network address holds besides one hold.

    It locks nothing: a race that lets one more through does no harm.
    """
    # Without a hold an address stands in no index.
    live = select(func.count()).where(_held_for == address, _hold.is_not(None), _until > now)
    return await session.scalar(live.where(_hold != but)) or 0


_wait, _waiting = col(SlotWait.id), col(SlotWait.person_id)
_waited_slot, _offered_until = col(SlotWait.slot_id), col(SlotWait.offered_until)


async def add_wait(session: AsyncSession, wait: SlotWait) -> None:
    """Store a customer's wait for a slot, unless they wait for it."""
    await session.execute(insert_new(session, SlotWait).values(wait.model_dump()))


async def waits_of(session: AsyncSession, person_id: str) -> list[SlotWait]:
    """Return a customer's waits, the oldest first."""
    waits = select(SlotWait).where(_waiting == person_id).order_by(_wait)
    return list(await session.scalars(waits, **_FRESH))


async def open_waits(session: AsyncSession, slot_id: str) -> list[SlotWait]:
    """Return the waits for a slot to which nothing was offered yet, the oldest first."""
    waits = select(SlotWait).where(_waited_slot == slot_id, _offered_until.is_(None))
    return list(await session.scalars(waits.order_by(_wait), **_FRESH))


async def slots_waited_for(session: AsyncSession) -> list[str]:
    """Return the slots for which somebody waits."""
    waited = select(_waited_slot).where(_offered_until.is_(None))
    return list(await session.scalars(waited.distinct().order_by(_waited_slot)))


async def set_offered(session: AsyncSession, wait_id: str, until: datetime) -> bool:
    """Note the offer to a customer. Return False if they wait no more, or have had it."""
    statement = update(SlotWait).where(_wait == wait_id, _offered_until.is_(None))
    offered = statement.values(offered_until=until).returning(_wait)
    return await session.scalar(offered, execution_options=_UNSYNCED) is not None


async def remove_wait(session: AsyncSession, person_id: str, slot_id: str) -> str | None:
    """Remove a customer's wait for a slot. Return its id; None if there is none."""
    statement = delete(SlotWait).where(_waiting == person_id, _waited_slot == slot_id)
    return await session.scalar(statement.returning(_wait), execution_options=_UNSYNCED)


async def remove_waits_over(session: AsyncSession, now: datetime, person_id: str = "") -> None:
    """Remove waits whose window has begun or whose offer has lapsed, of all or of a person."""
    over = or_(col(SlotWait.starts_at) <= now, _offered_until <= now)
    whose = over if not person_id else and_(over, _waiting == person_id)
    ids = select(_wait).where(whose).with_for_update(skip_locked=True)
    statement = delete(SlotWait).where(_wait.in_(ids))
    await session.execute(statement, execution_options=_UNSYNCED)


_question, _question_number = col(FillQuestion.id), col(FillQuestion.number)
_question_kind, _question_booking = col(FillQuestion.kind), col(FillQuestion.booking_id)
_is_open_question = col(FillQuestion.answer) == ""


async def find_question(session: AsyncSession, question_id: str) -> FillQuestion | None:
    return await session.scalar(select(FillQuestion).where(_question == question_id), **_FRESH)


async def lock_kept_fills(session: AsyncSession, booking_id: str) -> list[FillQuestion]:
    """Lock and return the unanswered questions about what was pumped beside a booking."""
    return await _questions(
        session,
        _question_booking == booking_id,
        _question_kind == KEPT,
        _is_open_question,
        lock=True,
    )


async def open_questions_about(session: AsyncSession, key: str) -> list[FillQuestion]:
    """Return the unanswered questions about a ticket of a meter."""
    same = col(FillQuestion.ticket_key) == key
    return await _questions(session, same, _question_kind == TICKET, _is_open_question)


async def kept_fills_of(
    session: AsyncSession, booking_ids: Collection[str], person_id: str
) -> list[FillQuestion]:
    """Return what a technician has pumped beside these bookings, the oldest first."""
    return await _questions(
        session,
        _question_booking.in_(booking_ids),
        _question_kind == KEPT,
        col(FillQuestion.person_id) == person_id,
    )


async def questions_of(session: AsyncSession, booking_ids: Collection[str]) -> list[FillQuestion]:
    """Return all questions about these bookings, the oldest first."""
    return await _questions(session, _question_booking.in_(booking_ids))


async def unanswered_questions(session: AsyncSession, most: int) -> list[FillQuestion]:
    """Return the oldest unanswered questions."""
    return await _questions(session, _is_open_question, most=most)


async def _questions(
    session: AsyncSession,
    *having: ColumnElement[bool],
    most: int | None = None,
    lock: bool = False,
) -> list[FillQuestion]:
    statement = select(FillQuestion).where(*having).order_by(_question_number).limit(most)
    return list(await session.scalars(statement.with_for_update() if lock else statement, **_FRESH))


async def count_kept_fills(session: AsyncSession, person_id: str) -> int:
    """Count the unanswered ones of what a technician has pumped beside bookings."""
    own = col(FillQuestion.person_id) == person_id, _question_kind == KEPT
    counted = select(func.count()).select_from(FillQuestion).where(*own, _is_open_question)
    return await session.scalar(counted) or 0


async def count_unanswered_questions(session: AsyncSession) -> int:
    counted = select(func.count()).select_from(FillQuestion).where(_is_open_question)
    return await session.scalar(counted) or 0


async def answer_question(
    session: AsyncSession, question_id: str, answered: str, by: str, at: datetime, reason: str
) -> bool:
    """Answer a question. Return False if it was answered before."""
    values = {"answer": answered, "answered_by": by, "answered_at": at, "reason": reason}
    statement = update(FillQuestion).where(_question == question_id, _is_open_question)
    done = statement.values(values).returning(_question)
    return await session.scalar(done, execution_options=_UNSYNCED) is not None


async def erase_answer_reasons(session: AsyncSession, booking_ids: Collection[str]) -> None:
    """Empty what staff wrote in their answers."""
    statement = update(FillQuestion).where(_question_booking.in_(booking_ids))
    await session.execute(statement.values(reason=""), execution_options=_UNSYNCED)


async def fills_with_tickets(
    session: AsyncSession, keys: Collection[str]
) -> list[tuple[str, str, str]]:
    """Return the fills with these tickets of a meter, kept ones too.

    Returns:
        Ticket, booking and fill; what was pumped beside a booking has that of the car it was for.
    """
    booked = select(col(StoredFill.ticket_key), _of_booking, _fill)
    booked = booked.where(col(StoredFill.ticket_key).in_(keys))
    meant = func.coalesce(col(FillQuestion.fill_id), _question_booking)
    kept = select(col(FillQuestion.ticket_key), _question_booking, meant)
    kept = kept.where(col(FillQuestion.ticket_key).in_(keys), _question_kind == KEPT)
    return [(key, of, fill) for key, of, fill in await session.execute(booked.union(kept))]
