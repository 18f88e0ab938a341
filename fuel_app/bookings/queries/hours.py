"""Queries on the bookings of an area's windows."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.bookings.rules.bookings import Car
from fuel_app.bookings.rules.hours import CANCELLABLE, Booked
from fuel_app.bookings.rules.slots import SlotId, parse_slot_id
from fuel_app.bookings.tables import StoredBooking


async def ahead(session: AsyncSession, area_id: str, at: datetime) -> list[Booked]:
    """Return the bookings of an area that can be cancelled and whose windows are not over."""
    theirs = select(StoredBooking).where(
        col(StoredBooking.area_id) == area_id,
        col(StoredBooking.ends_at) > at,
        col(StoredBooking.state).in_(CANCELLABLE),
    )
    in_order = theirs.order_by(col(StoredBooking.starts_at), col(StoredBooking.id))
    rows = await session.scalars(in_order)
    return [_booked(row, slot) for row in rows if (slot := parse_slot_id(row.slot_id))]


def _booked(row: StoredBooking, slot: SlotId) -> Booked:
    name = f"{row.contact.get('first_name', '')} {row.contact.get('last_name', '')}".strip()
    car, times = Car(**row.vehicle).name, (row.starts_at, row.ends_at)
    return Booked(row.id, row.person_id or "", name, car, slot.day, slot.opens, *times)
