"""Queries on trucks, shifts and their routes, published days, and what phones have sent.

Shifts and trucks are always locked in the order of their ids.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.dispatch.rules.day import Truck
from fuel_app.dispatch.rules.trucks import NAME_TAKEN, TruckGone
from fuel_app.dispatch.tables import (
    FillPhoto,
    NotifiedArrival,
    PublishedDay,
    StoredShift,
    StoredStop,
    StoredTruck,
    TechnicianAction,
    UnservedBooking,
)
from fuel_app.kit.db.session import insert_new, is_unique_violation, publish
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.signals import BOOKINGS, SHIFTS, one

_truck, _truck_name = col(StoredTruck.id), col(StoredTruck.name)
_is_active_truck = col(StoredTruck.is_active)


async def list_trucks(session: AsyncSession) -> list[StoredTruck]:
    """Return every truck by name, the retired ones last."""
    return list(
        await session.scalars(
            select(StoredTruck).order_by(_is_active_truck.desc(), _truck_name, _truck)
        )
    )


async def lock_trucks(session: AsyncSession, truck_ids: Collection[str]) -> dict[str, StoredTruck]:
    """Lock trucks, always in the order of their ids, and return those that there are."""
    statement = select(StoredTruck).where(_truck.in_(truck_ids)).order_by(_truck).with_for_update()
    return {row.id: row for row in await session.scalars(statement)}


async def lock_truck(session: AsyncSession, truck_id: str) -> StoredTruck:
    """Lock a truck. Raises TruckGone."""
    rows = await lock_trucks(session, [truck_id])
    if truck_id not in rows:
        raise TruckGone
    return rows[truck_id]


async def store_truck(session: AsyncSession, row: StoredTruck) -> None:
    """Write a new or a locked truck.

    Raises:
        InvalidForm: If another truck has the name.
    """
    session.add(row)
    try:
        await session.flush()
    except IntegrityError as error:
        if is_unique_violation(error):
            raise InvalidForm({"name": NAME_TAKEN}) from None
        raise


async def days_ahead_of_truck(session: AsyncSession, truck_id: str, today: date) -> list[date]:
    """Return the days from today on, on which a truck is on shift."""
    day = col(StoredShift.day)
    statement = select(day).where(col(StoredShift.truck_id) == truck_id, day >= today)
    return list(await session.scalars(statement.order_by(day)))


_FRESH = {"populate_existing": True}
_UNSYNCED = {"synchronize_session": False}
_shift, _day = col(StoredShift.id), col(StoredShift.day)
_shift_of, _place = col(StoredStop.shift_id), col(StoredStop.place)
ON_SHIFT = "On another shift that day already"
_unserved = col(UnservedBooking.booking_id)
ShiftRow = tuple[StoredShift, StoredTruck]


def truck_of(row: StoredTruck) -> Truck:
    """Return a stored truck as the rules know it."""
    return Truck(
        id=row.id,
        name=row.name,
        license_plate=row.license_plate,
        tanks=row.tanks,
        meter_number=row.meter_number,
        meter_sealed_on=row.meter_sealed_on,
        home=row.home,
        point=Point(row.home_lat, row.home_lng),
        is_active=row.is_active,
        revision=row.revision,
    )


async def shifts_of_day(session: AsyncSession, day: date) -> list[ShiftRow]:
    """Return a day's shifts with their trucks, by the truck's name."""
    return await _with_trucks(session, _day == day)


async def shifts_of_ids(session: AsyncSession, shift_ids: Collection[str]) -> list[ShiftRow]:
    """Return shifts with their trucks, by the truck's name."""
    return await _with_trucks(session, _shift.in_(shift_ids))


async def _with_trucks(session: AsyncSession, which: ColumnElement[bool]) -> list[ShiftRow]:
    statement = select(StoredShift, StoredTruck).join(
        StoredTruck, col(StoredTruck.id) == col(StoredShift.truck_id)
    )
    statement = statement.where(which).order_by(col(StoredTruck.name), _shift)
    rows = await session.execute(statement, execution_options=_FRESH)
    return [(shift, truck) for shift, truck in rows]


async def route_with(
    session: AsyncSession, booking_id: str
) -> list[tuple[StoredStop, StoredShift, StoredTruck, str]]:
    """Return the route that a booking is on in driving order, with its technician's first name.

    One statement; the name is empty where nobody is assigned.
    """
    on_it = select(_shift_of).where(col(StoredStop.booking_id) == booking_id).scalar_subquery()
    statement = (
        select(StoredStop, StoredShift, StoredTruck, col(Person.first_name))
        .join(StoredShift, _shift == _shift_of)
        .join(StoredTruck, col(StoredTruck.id) == col(StoredShift.truck_id))
        .outerjoin(Person, col(Person.id) == col(StoredShift.technician_id))
        .where(_shift_of == on_it)
        .order_by(_place)
    )
    rows = await session.execute(statement, execution_options=_FRESH)
    return [(stop, shift, truck, name or "") for stop, shift, truck, name in rows]


async def tanks_of_days(
    session: AsyncSession, first: date, last: date
) -> list[tuple[date, dict[str, int]]]:
    """Return what each truck on shift carries on some days, but those that have broken down."""
    statement = select(_day, col(StoredTruck.tanks)).join(
        StoredShift, col(StoredTruck.id) == col(StoredShift.truck_id)
    )
    on_shift = (_day.between(first, last), col(StoredShift.broken_at).is_(None))
    return [(day, tanks) for day, tanks in await session.execute(statement.where(*on_shift))]


async def tanks_of_shift(session: AsyncSession, shift_id: str) -> dict[str, int]:
    """Return what the truck of a shift holds, by grade."""
    statement = select(col(StoredTruck.tanks)).join(
        StoredShift, col(StoredShift.truck_id) == col(StoredTruck.id)
    )
    return await session.scalar(statement.where(_shift == shift_id)) or {}


async def loads_of_days(
    session: AsyncSession, first: date, last: date
) -> list[tuple[date, dict[str, int] | None]]:
    """Return what each refill of some days has loaded; None for one that is done and says nothing.

    By the primary keys of shifts of these days, and their stops.
    """
    loaded, ended = col(StoredStop.loaded), col(StoredStop.ended_at)
    statement = select(_day, loaded).join(StoredShift, _shift == _shift_of)
    refills = (
        _day.between(first, last),
        col(StoredStop.booking_id).is_(None),
        or_(loaded.is_not(None), ended.is_not(None)),
    )
    return [(day, said) for day, said in await session.execute(statement.where(*refills))]


async def revisions_of_day(session: AsyncSession, day: date) -> dict[str, int]:
    """Return the revision of each of a day's routes, by its shift."""
    rows = await session.execute(select(_shift, col(StoredShift.revision)).where(_day == day))
    return {shift_id: revision for shift_id, revision in rows}


async def lock_shifts(session: AsyncSession, shift_ids: Collection[str]) -> dict[str, StoredShift]:
    """Lock shifts, always in the order of their ids, and return those that there are."""
    statement = select(StoredShift).where(_shift.in_(shift_ids)).order_by(_shift)
    rows = await session.scalars(statement.with_for_update(), execution_options=_FRESH)
    return {row.id: row for row in rows}


async def lock_day(session: AsyncSession, day: date, *, free_only: bool = False) -> list[str]:
    """Lock a day's shifts in the order of their ids.

    Args:
        free_only: Those alone that no other transaction has locked, without waiting.
    """
    statement = select(_shift).where(_day == day).order_by(_shift)
    return list(await session.scalars(statement.with_for_update(skip_locked=free_only)))


async def stops_of(session: AsyncSession, shift_ids: Collection[str]) -> list[StoredStop]:
    """Return the stops of shifts, each route in driving order."""
    statement = select(StoredStop).where(_shift_of.in_(shift_ids)).order_by(_shift_of, _place)
    return list(await session.scalars(statement, execution_options=_FRESH))


async def find_stop(session: AsyncSession, stop_id: str) -> StoredStop | None:
    """Return a stop by the id of its booking, or a refill by its own."""
    booking = col(StoredStop.booking_id)
    is_refill = (col(StoredStop.id) == stop_id) & booking.is_(None)
    statement = select(StoredStop).where((booking == stop_id) | is_refill)
    return await session.scalar(statement, execution_options=_FRESH)


async def stops_of_bookings(
    session: AsyncSession, booking_ids: Collection[str]
) -> list[StoredStop]:
    """Return the stops of those bookings that are on a route."""
    statement = select(StoredStop).where(col(StoredStop.booking_id).in_(booking_ids))
    return list(await session.scalars(statement, execution_options=_FRESH))


async def day_of_shift(session: AsyncSession, shift_id: str) -> date | None:
    """Return the day of a shift."""
    return await session.scalar(select(_day).where(_shift == shift_id))


async def replace_stops(
    session: AsyncSession, shift_ids: Collection[str], rows: Sequence[StoredStop]
) -> None:
    """Replace all stops of some shifts. Their bookings leave the routes that they were on."""
    bookings = [row.booking_id for row in rows if row.booking_id]
    publish(session, *(one(BOOKINGS, each) for each in bookings))
    former = _shift_of.in_(shift_ids) | col(StoredStop.booking_id).in_(bookings)
    await session.execute(delete(StoredStop).where(former), execution_options=_UNSYNCED)
    if rows:
        await session.execute(insert(StoredStop), [row.model_dump() for row in rows])
        await forget_unserved(session, bookings)


async def set_stop(session: AsyncSession, row_id: str, values: dict[str, Any]) -> None:
    """Set columns of a stop, such as when the technician arrived."""
    statement = update(StoredStop).where(col(StoredStop.id) == row_id)
    await session.execute(statement.values(values), execution_options=_UNSYNCED)


async def forget_places(session: AsyncSession, booking_ids: Collection[str]) -> None:
    """Empty where the cars of bookings stood as their routes were timed."""
    stops = update(StoredStop).where(col(StoredStop.booking_id).in_(booking_ids))
    await session.execute(stops.values(lat=None, lng=None), execution_options=_UNSYNCED)


async def set_load(
    session: AsyncSession, shift_id: str, row_id: str, loaded: Mapping[str, int] | None
) -> None:
    """Set what a refill of a locked shift has loaded."""
    publish(session, one(SHIFTS, shift_id))
    await set_stop(session, row_id, {"loaded": dict(loaded) if loaded is not None else None})


async def set_shift(session: AsyncSession, shift_id: str, values: dict[str, Any]) -> None:
    """Set columns of a shift that its route does not depend on."""
    publish(session, one(SHIFTS, shift_id))
    statement = update(StoredShift).where(_shift == shift_id)
    await session.execute(statement.values(values), execution_options=_UNSYNCED)


async def set_timed_by(session: AsyncSession, shift_ids: Collection[str], name: str) -> None:
    """Note the provider of the driving times of these locked shifts' plan."""
    statement = update(StoredShift).where(_shift.in_(shift_ids))
    await session.execute(statement.values(timed_by=name), execution_options=_UNSYNCED)


async def increment_revisions(session: AsyncSession, shift_ids: Collection[str]) -> None:
    """Count the revisions of locked shifts up."""
    publish(session, *(one(SHIFTS, each) for each in shift_ids))
    statement = update(StoredShift).where(_shift.in_(shift_ids))
    counted = statement.values(revision=col(StoredShift.revision) + 1)
    await session.execute(counted, execution_options=_UNSYNCED)


async def publish_day(
    session: AsyncSession, day: date, at: datetime, late: Mapping[str, datetime]
) -> None:
    """Publish a day. The arrivals of its stops are from now on what their customers know.

    Args:
        late: What they know of stops beyond their windows instead, by the ids of the rows.
    """
    session.add(PublishedDay(day=day, published_at=at))
    statement = select(_shift).where(_day == day)
    stops = update(StoredStop).where(
        _shift_of.in_(statement), col(StoredStop.booking_id).is_not(None)
    )
    told = stops.values(told_at=col(StoredStop.begins_at))
    await session.execute(told, execution_options=_UNSYNCED)
    for row_id, known in late.items():
        statement = update(StoredStop).where(col(StoredStop.id) == row_id)
        await session.execute(statement.values(told_at=known), execution_options=_UNSYNCED)


async def unpublish_day(session: AsyncSession, day: date, stop_ids: Collection[str]) -> None:
    """Open a published day again. These of its stops are planned as if they never were on it.

    Args:
        stop_ids: The ids of rows; those that have left their routes stay as they are.
    """
    await session.execute(delete(PublishedDay).where(col(PublishedDay.day) == day))
    stops = update(StoredStop).where(col(StoredStop.id).in_(stop_ids))
    await session.execute(stops.values(told_at=None), execution_options=_UNSYNCED)


async def find_publication(session: AsyncSession, day: date) -> PublishedDay | None:
    """Return a day's publication; None while it is open."""
    statement = select(PublishedDay).where(col(PublishedDay.day) == day)
    return await session.scalar(statement, execution_options=_FRESH)


async def open_days(session: AsyncSession, before: date) -> list[date]:
    """Return published days before a day that are not closed yet."""
    day = col(PublishedDay.day)
    is_open = col(PublishedDay.closed_at).is_(None)
    return list(await session.scalars(select(day).where(day < before, is_open).order_by(day)))


async def next_published(session: AsyncSession, after: date) -> date | None:
    """Return the first published day after a day."""
    day = col(PublishedDay.day)
    is_open = col(PublishedDay.closed_at).is_(None)
    return await session.scalar(select(func.min(day)).where(day > after, is_open))


async def close_day(session: AsyncSession, day: date, at: datetime) -> None:
    """Close a published day."""
    statement = update(PublishedDay).where(col(PublishedDay.day) == day)
    await session.execute(statement.values(closed_at=at), execution_options=_UNSYNCED)


async def unserved_reasons(session: AsyncSession, booking_ids: Collection[str]) -> dict[str, str]:
    """Return why the last plan left bookings out, by booking and slot ('id slot')."""
    statement = select(_unserved, col(UnservedBooking.slot_id), col(UnservedBooking.reason))
    rows = await session.execute(statement.where(_unserved.in_(booking_ids)))
    return {f"{booking} {slot}": reason for booking, slot, reason in rows}


async def forget_unserved(session: AsyncSession, booking_ids: Collection[str]) -> None:
    """Forget why the last plan left bookings out."""
    former = delete(UnservedBooking).where(_unserved.in_(booking_ids))
    await session.execute(former, execution_options=_UNSYNCED)


async def set_unserved(session: AsyncSession, left_out: Sequence[tuple[Booking, str]]) -> None:
    """Note why a plan has left bookings out, instead of what was noted before."""
    await forget_unserved(session, [booking.id for booking, _ in left_out])
    if left_out:
        rows = [
            {"booking_id": booking.id, "slot_id": booking.slot_id, "reason": reason}
            for booking, reason in left_out
        ]
        await session.execute(insert(UnservedBooking), rows)


async def notified_arrivals(
    session: AsyncSession, booking_ids: Collection[str]
) -> dict[tuple[str, str, str], datetime]:
    """Return the notified arrivals of bookings, by booking, slot and channel."""
    statement = select(NotifiedArrival).where(col(NotifiedArrival.booking_id).in_(booking_ids))
    rows = await session.scalars(statement, execution_options=_FRESH)
    return {(row.booking_id, row.slot_id, row.channel): row.begins_at for row in rows}


async def set_notified_arrival(
    session: AsyncSession, booking: Booking, channel: str, begins_at: datetime
) -> None:
    """Note the arrival that a booking's customer is told on a channel."""
    known = {"slot_id": booking.slot_id, "begins_at": begins_at}
    new = {"booking_id": booking.id, "channel": channel} | known
    await session.execute(insert_new(session, NotifiedArrival.__table__).values(new))
    statement = update(NotifiedArrival).where(
        col(NotifiedArrival.booking_id) == booking.id, col(NotifiedArrival.channel) == channel
    )
    await session.execute(statement.values(known), execution_options=_UNSYNCED)


async def store_shift(session: AsyncSession, row: StoredShift, values: dict[str, Any]) -> None:
    """Write a new or a locked shift; a refusal leaves the transaction as it was.

    Raises:
        InvalidForm: If its truck or technician is on another shift that day.
    """
    try:
        async with session.begin_nested():
            row.sqlmodel_update(values)
            session.add(row)
            await session.flush()
    except IntegrityError as error:
        if not is_unique_violation(error):
            raise
        taken = "technician" if "technician_id" in str(error.orig) else "truck"
        raise InvalidForm({taken: ON_SHIFT}) from None


async def remove_shift(session: AsyncSession, shift_id: str) -> None:
    """Delete a locked shift with its stops."""
    await session.execute(delete(StoredShift).where(_shift == shift_id))


async def empty_positions(session: AsyncSession, before: datetime) -> None:
    """Empty the positions of technicians that are older."""
    old = update(StoredShift).where(col(StoredShift.position_at) < before)
    emptied = old.values(lat=None, lng=None, position_at=None)
    await session.execute(emptied, execution_options=_UNSYNCED)


_action_id, _photo_id = col(TechnicianAction.id), col(FillPhoto.id)
_is_beside = col(FillPhoto.is_beside)
_action_data = col(TechnicianAction.data)
_FREE_TEXTS = ("note", "reason")  # in the data of an action


async def add_action(session: AsyncSession, row: TechnicianAction) -> bool:
    """Store an action. Return False if one of its id is stored, or is just being stored."""
    new = insert_new(session, TechnicianAction).returning(_action_id)
    values = row.model_dump(exclude={"number"})
    return await session.scalar(new.values(values)) is not None


async def find_outcome(session: AsyncSession, action_id: str, person_id: str) -> str | None:
    """Return the outcome of a person's stored action; None if it is another's."""
    statement = select(col(TechnicianAction.refused)).where(
        _action_id == action_id, col(TechnicianAction.person_id) == person_id
    )
    return await session.scalar(statement)


async def set_outcome(session: AsyncSession, action_id: str, why: str) -> None:
    statement = update(TechnicianAction).where(_action_id == action_id).values(refused=why)
    await session.execute(statement, execution_options=_UNSYNCED)


async def actions_of(session: AsyncSession, booking_ids: Collection[str]) -> list[TechnicianAction]:
    """Return what phones have sent about bookings, the oldest first."""
    statement = select(TechnicianAction).where(col(TechnicianAction.stop_id).in_(booking_ids))
    return list(await session.scalars(statement.order_by(col(TechnicianAction.number))))


async def empty_actions(session: AsyncSession, stop_ids: Collection[str]) -> None:
    """Empty what was typed in actions about stops, where that is not done."""
    statement = update(TechnicianAction).where(
        col(TechnicianAction.stop_id).in_(stop_ids), cast(_action_data, Text) != "{}"
    )
    await session.execute(statement.values(data={}), execution_options=_UNSYNCED)


async def empty_notes(session: AsyncSession, stop_ids: Collection[str]) -> None:
    """Empty what was written in actions about stops: the figures of fills stay."""
    is_written = or_(*(_action_data[name].as_string().is_not(None) for name in _FREE_TEXTS))
    statement = select(TechnicianAction).where(
        col(TechnicianAction.stop_id).in_(stop_ids), is_written
    )
    for row in await session.scalars(statement):
        row.data = {name: said for name, said in row.data.items() if name not in _FREE_TEXTS}
    await session.flush()


async def stops_with_actions(session: AsyncSession, first: datetime, before: datetime) -> list[str]:
    """Return the stops of which phones have sent something from one moment until another."""
    stop, received = col(TechnicianAction.stop_id), col(TechnicianAction.received_at)
    statement = select(stop).where(received >= first, received < before).distinct()
    return list(await session.scalars(statement.order_by(stop)))


async def shift_ids_of_technician(session: AsyncSession, person_id: str, day: date) -> list[str]:
    """Return the id of a technician's shift on a day, if there is one."""
    statement = select(col(StoredShift.id)).where(
        col(StoredShift.day) == day, col(StoredShift.technician_id) == person_id
    )
    return list(await session.scalars(statement))


async def shifts_ahead_of_technician(
    session: AsyncSession, person_id: str, today: date
) -> list[tuple[StoredShift, StoredTruck, bool]]:
    """Return a technician's shifts from a day on, in order, but those of closed days.

    Each with its truck, and whether its day is published.
    """
    day = col(StoredShift.day)
    statement = select(StoredShift, StoredTruck, col(PublishedDay.day).is_not(None))
    statement = statement.join(StoredTruck, col(StoredTruck.id) == col(StoredShift.truck_id))
    statement = statement.outerjoin(PublishedDay, col(PublishedDay.day) == day).where(
        col(StoredShift.technician_id) == person_id,
        day >= today,
        col(PublishedDay.closed_at).is_(None),
    )
    rows = await session.execute(statement.order_by(day))
    return [(shift, truck, is_published) for shift, truck, is_published in rows]


async def meter_of_technician(session: AsyncSession, person_id: str, day: date) -> str:
    """Return the number of the meter on a technician's truck that day; '' without a shift."""
    statement = select(col(StoredTruck.meter_number)).join(
        StoredShift, col(StoredShift.truck_id) == col(StoredTruck.id)
    )
    statement = statement.where(
        col(StoredShift.day) == day, col(StoredShift.technician_id) == person_id
    )
    return await session.scalar(statement) or ""


async def meter_of_stop(session: AsyncSession, booking_id: str) -> str:
    """Return the number of the meter on the truck whose route has a booking; '' on no route."""
    statement = select(col(StoredTruck.meter_number))
    statement = statement.join(StoredShift, col(StoredShift.truck_id) == col(StoredTruck.id))
    statement = statement.join(StoredStop, col(StoredStop.shift_id) == col(StoredShift.id))
    return await session.scalar(statement.where(col(StoredStop.booking_id) == booking_id)) or ""


async def open_days_of_technician(
    session: AsyncSession, person_id: str, first: date, before: date
) -> list[date]:
    """Return the published days from one until another on which a technician has a shift."""
    day = col(StoredShift.day)
    statement = select(day).join(PublishedDay, col(PublishedDay.day) == day)
    statement = statement.where(
        col(StoredShift.technician_id) == person_id,
        day >= first,
        day < before,
        col(PublishedDay.closed_at).is_(None),
    )
    return list(await session.scalars(statement.order_by(day)))


async def find_photo(
    session: AsyncSession, photo_id: str, *, lock: bool = False
) -> FillPhoto | None:
    statement = select(FillPhoto).where(_photo_id == photo_id)
    return await session.scalar(statement.with_for_update() if lock else statement)


async def count_photos_taken(session: AsyncSession, booking_id: str, person_id: str) -> int:
    """Count the photos that a technician has announced for a booking."""
    statement = select(func.count()).where(
        col(FillPhoto.booking_id) == booking_id, col(FillPhoto.person_id) == person_id
    )
    return await session.scalar(statement) or 0


async def photos_of(
    session: AsyncSession, booking_ids: Collection[str]
) -> list[tuple[str, str | None, str, bool]]:
    """Return the photos of bookings whose files are here, the oldest first.

    Each with its booking, technician and id, and whether it is beside the booking.
    """
    statement = select(
        col(FillPhoto.booking_id), col(FillPhoto.person_id), _photo_id, _is_beside
    ).where(col(FillPhoto.booking_id).in_(booking_ids), col(FillPhoto.file).is_not(None))
    rows = await session.execute(statement.order_by(col(FillPhoto.taken_at), _photo_id))
    return [(booking_id, person_id, photo, beside) for booking_id, person_id, photo, beside in rows]


async def adopt_photos(session: AsyncSession, booking_id: str, person_id: str | None) -> None:
    """Attach the photos of a fill kept beside a booking to the booking."""
    statement = update(FillPhoto).where(
        col(FillPhoto.booking_id) == booking_id, col(FillPhoto.person_id) == person_id
    )
    await session.execute(statement.values(is_beside=False), execution_options=_UNSYNCED)


async def count_photos(session: AsyncSession, booking_ids: Collection[str]) -> dict[str, int]:
    """Count bookings' own photos that were announced; bookings without any are left out."""
    booking = col(FillPhoto.booking_id)
    counted = select(booking, func.count()).where(booking.in_(booking_ids), ~_is_beside)
    counted = counted.group_by(booking)
    rows = await session.execute(counted)
    return {booking_id: count for booking_id, count in rows}


async def photo_times(
    session: AsyncSession, booking_ids: Collection[str]
) -> list[tuple[str, datetime]]:
    """Return when photos of bookings were taken: booking and moment, the oldest first."""
    columns = (col(FillPhoto.booking_id), col(FillPhoto.taken_at))
    statement = select(*columns).where(col(FillPhoto.booking_id).in_(booking_ids))
    rows = await session.execute(statement.order_by(col(FillPhoto.taken_at), _photo_id))
    return [(booking_id, taken_at) for booking_id, taken_at in rows]


async def remove_photo(
    session: AsyncSession, photo_id: str, booking_id: str, person_id: str
) -> None:
    """Delete a photo that a technician has announced for a booking, with its file, if it exists."""
    removed = delete(FillPhoto).where(
        _photo_id == photo_id,
        col(FillPhoto.booking_id) == booking_id,
        col(FillPhoto.person_id) == person_id,
    )
    await session.execute(removed, execution_options=_UNSYNCED)


async def remove_photos_of(session: AsyncSession, booking_ids: Collection[str]) -> None:
    """Delete the photos of bookings, with their files."""
    removed = delete(FillPhoto).where(col(FillPhoto.booking_id).in_(booking_ids))
    await session.execute(removed, execution_options=_UNSYNCED)


async def remove_old_photos(session: AsyncSession, before: datetime, most: int) -> int:
    """Delete some photos that are older, with their files. Return how many."""
    old = select(_photo_id).where(col(FillPhoto.taken_at) < before).limit(most)
    removed = delete(FillPhoto).where(_photo_id.in_(old))
    done: Any = await session.execute(removed, execution_options=_UNSYNCED)
    return done.rowcount
