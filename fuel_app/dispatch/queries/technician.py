"""Queries on what technicians' phones send: actions, photos, positions."""

from collections.abc import Collection
from datetime import date, datetime
from typing import Any

from sqlalchemy import Text, cast, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.dispatch.tables import (
    FillPhoto,
    PublishedDay,
    StoredShift,
    StoredStop,
    StoredTruck,
    TechnicianAction,
)
from fuel_app.kit.db.session import insert_new

_action, _photo = col(TechnicianAction.id), col(FillPhoto.id)
_beside = col(FillPhoto.is_beside)
_data = col(TechnicianAction.data)
_WRITTEN = ("note", "reason")  # in the data of an action
_UNSYNCED = {"synchronize_session": False}


async def add_action(session: AsyncSession, row: TechnicianAction) -> bool:
    """Store an action. Return False if one of its id is stored, or is just being stored."""
    new = insert_new(session, TechnicianAction).returning(_action)
    values = row.model_dump(exclude={"number"})
    return await session.scalar(new.values(values)) is not None


async def refused(session: AsyncSession, action_id: str, person_id: str) -> str | None:
    """Return the outcome of a person's stored action; None if it is another's."""
    theirs = select(col(TechnicianAction.refused)).where(
        _action == action_id, col(TechnicianAction.person_id) == person_id
    )
    return await session.scalar(theirs)


async def set_refused(session: AsyncSession, action_id: str, why: str) -> None:
    theirs = update(TechnicianAction).where(_action == action_id).values(refused=why)
    await session.execute(theirs, execution_options=_UNSYNCED)


async def actions_of(session: AsyncSession, booking_ids: Collection[str]) -> list[TechnicianAction]:
    """Return what phones have sent about bookings, the oldest first."""
    theirs = select(TechnicianAction).where(col(TechnicianAction.stop_id).in_(booking_ids))
    return list(await session.scalars(theirs.order_by(col(TechnicianAction.number))))


async def empty_actions(session: AsyncSession, stop_ids: Collection[str]) -> None:
    """Empty what was typed in actions about stops, where that is not done."""
    theirs = update(TechnicianAction).where(
        col(TechnicianAction.stop_id).in_(stop_ids), cast(_data, Text) != "{}"
    )
    await session.execute(theirs.values(data={}), execution_options=_UNSYNCED)


async def empty_notes(session: AsyncSession, stop_ids: Collection[str]) -> None:
    """Empty what was written in actions about stops: the figures of fills stay."""
    is_written = or_(*(_data[name].as_string().is_not(None) for name in _WRITTEN))
    theirs = select(TechnicianAction).where(col(TechnicianAction.stop_id).in_(stop_ids), is_written)
    for row in await session.scalars(theirs):
        row.data = {name: said for name, said in row.data.items() if name not in _WRITTEN}
    await session.flush()


async def stops_between(session: AsyncSession, first: datetime, before: datetime) -> list[str]:
    """Return the stops of which phones have sent something from one moment until another."""
    stop, received = col(TechnicianAction.stop_id), col(TechnicianAction.received_at)
    theirs = select(stop).where(received >= first, received < before).distinct()
    return list(await session.scalars(theirs.order_by(stop)))


async def shifts_of(session: AsyncSession, person_id: str, day: date) -> list[str]:
    """Return the id of a technician's shift on a day, if there is one."""
    theirs = select(col(StoredShift.id)).where(
        col(StoredShift.day) == day, col(StoredShift.technician_id) == person_id
    )
    return list(await session.scalars(theirs))


async def shifts_ahead(
    session: AsyncSession, person_id: str, today: date
) -> list[tuple[StoredShift, StoredTruck, bool]]:
    """Return a technician's shifts from a day on, in order, but those of closed days.

    Each with its truck, and whether its day is published.
    """
    day = col(StoredShift.day)
    theirs = select(StoredShift, StoredTruck, col(PublishedDay.day).is_not(None))
    theirs = theirs.join(StoredTruck, col(StoredTruck.id) == col(StoredShift.truck_id))
    theirs = theirs.outerjoin(PublishedDay, col(PublishedDay.day) == day).where(
        col(StoredShift.technician_id) == person_id,
        day >= today,
        col(PublishedDay.closed_at).is_(None),
    )
    rows = await session.execute(theirs.order_by(day))
    return [(shift, truck, is_published) for shift, truck, is_published in rows]


async def meter_of(session: AsyncSession, person_id: str, day: date) -> str:
    """Return the number of the meter on a technician's truck that day; '' without a shift."""
    theirs = select(col(StoredTruck.meter_number)).join(
        StoredShift, col(StoredShift.truck_id) == col(StoredTruck.id)
    )
    theirs = theirs.where(col(StoredShift.day) == day, col(StoredShift.technician_id) == person_id)
    return await session.scalar(theirs) or ""


async def meter_of_stop(session: AsyncSession, booking_id: str) -> str:
    """Return the number of the meter on the truck whose route has a booking; '' on no route."""
    theirs = select(col(StoredTruck.meter_number))
    theirs = theirs.join(StoredShift, col(StoredShift.truck_id) == col(StoredTruck.id))
    theirs = theirs.join(StoredStop, col(StoredStop.shift_id) == col(StoredShift.id))
    return await session.scalar(theirs.where(col(StoredStop.booking_id) == booking_id)) or ""


async def unclosed_days(
    session: AsyncSession, person_id: str, first: date, before: date
) -> list[date]:
    """Return the published days from one until another on which a technician has a shift."""
    day = col(StoredShift.day)
    theirs = select(day).join(PublishedDay, col(PublishedDay.day) == day)
    theirs = theirs.where(
        col(StoredShift.technician_id) == person_id,
        day >= first,
        day < before,
        col(PublishedDay.closed_at).is_(None),
    )
    return list(await session.scalars(theirs.order_by(day)))


async def photo(session: AsyncSession, photo_id: str, *, lock: bool = False) -> FillPhoto | None:
    found = select(FillPhoto).where(_photo == photo_id)
    return await session.scalar(found.with_for_update() if lock else found)


async def photos_taken(session: AsyncSession, booking_id: str, person_id: str) -> int:
    """Count the photos that a technician has announced for a booking."""
    theirs = select(func.count()).where(
        col(FillPhoto.booking_id) == booking_id, col(FillPhoto.person_id) == person_id
    )
    return await session.scalar(theirs) or 0


async def photo_ids(session: AsyncSession, booking_ids: Collection[str]) -> list[tuple[str, str]]:
    """Return bookings' own photos whose files are here: booking and photo, the oldest first."""
    theirs = select(col(FillPhoto.booking_id), _photo).where(
        col(FillPhoto.booking_id).in_(booking_ids), col(FillPhoto.file).is_not(None), ~_beside
    )
    rows = await session.execute(theirs.order_by(col(FillPhoto.taken_at), _photo))
    return [(booking_id, photo_id) for booking_id, photo_id in rows]


async def photos_by(
    session: AsyncSession, booking_ids: Collection[str]
) -> list[tuple[str, str | None, str]]:
    """Return all photos of bookings whose files are here: booking, technician, photo."""
    theirs = select(col(FillPhoto.booking_id), col(FillPhoto.person_id), _photo).where(
        col(FillPhoto.booking_id).in_(booking_ids), col(FillPhoto.file).is_not(None)
    )
    rows = await session.execute(theirs.order_by(col(FillPhoto.taken_at), _photo))
    return [(booking_id, person_id, photo_id) for booking_id, person_id, photo_id in rows]


async def adopt_photos(session: AsyncSession, booking_id: str, person_id: str | None) -> None:
    """Make a technician's photos beside a booking the booking's own."""
    theirs = update(FillPhoto).where(
        col(FillPhoto.booking_id) == booking_id, col(FillPhoto.person_id) == person_id
    )
    await session.execute(theirs.values(is_beside=False), execution_options=_UNSYNCED)


async def photo_counts(session: AsyncSession, booking_ids: Collection[str]) -> dict[str, int]:
    """Count bookings' own photos that were announced; bookings without any are left out."""
    booking = col(FillPhoto.booking_id)
    counted = select(booking, func.count()).where(booking.in_(booking_ids), ~_beside)
    counted = counted.group_by(booking)
    rows = await session.execute(counted)
    return {booking_id: count for booking_id, count in rows}


async def photo_times(
    session: AsyncSession, booking_ids: Collection[str]
) -> list[tuple[str, datetime]]:
    """Return when photos of bookings were taken: booking and moment, the oldest first."""
    columns = (col(FillPhoto.booking_id), col(FillPhoto.taken_at))
    theirs = select(*columns).where(col(FillPhoto.booking_id).in_(booking_ids))
    rows = await session.execute(theirs.order_by(col(FillPhoto.taken_at), _photo))
    return [(booking_id, taken_at) for booking_id, taken_at in rows]


async def remove_photos_of(session: AsyncSession, booking_ids: Collection[str]) -> None:
    """Delete the photos of bookings, with their files."""
    removed = delete(FillPhoto).where(col(FillPhoto.booking_id).in_(booking_ids))
    await session.execute(removed, execution_options=_UNSYNCED)


async def remove_photos(session: AsyncSession, before: datetime, most: int) -> int:
    """Delete some photos that are older, with their files. Return how many."""
    old = select(_photo).where(col(FillPhoto.taken_at) < before).limit(most)
    removed = delete(FillPhoto).where(_photo.in_(old))
    done: Any = await session.execute(removed, execution_options=_UNSYNCED)
    return done.rowcount
