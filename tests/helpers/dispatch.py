"""Trucks, technicians, shifts, and routes with bookings on them."""

from dataclasses import asdict, replace
from datetime import date, timedelta
from itertools import count
from typing import Any

from sqlalchemy import select, update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.rules.day import Day
from fuel_app.dispatch.service import days
from fuel_app.dispatch.tables import PublishedDay, StoredShift, StoredStop, StoredTruck
from fuel_app.kit import audit, clock
from fuel_app.kit.db.session import insert_new, reading, transaction
from tests.helpers.bookings import STAFF, TODAY, an_area
from tests.helpers.signed_in import a_person
from tests.helpers.stored_bookings import PLACE, a_booking

TOMORROW = TODAY + timedelta(days=1)
HOME_LAT, HOME_LNG = 27.36, -82.52
LEG_S = 600  # of every stop that a test puts on a route
_numbers = count(1)


async def a_truck(**differs: Any) -> StoredTruck:
    """Store a truck with regular gas and diesel."""
    number = next(_numbers)
    known = {
        "name": f"Truck {number}",
        "license_plate": f"FL {number}",
        "tanks": {"regular": 300_000, "diesel": 100_000},
        "meter_number": f"M-{number}",
        "meter_sealed_on": TODAY - timedelta(days=100),
        "home": "1 Depot Rd, Sarasota, FL 34236",
        "home_lat": HOME_LAT,
        "home_lng": HOME_LNG,
    }
    truck = StoredTruck(**known | differs)
    async with transaction() as session:
        session.add(truck)
    return truck


async def a_technician(number: int = 1) -> Actor:
    """Store a technician, 'Tech1 Nician' for 1."""
    named = {"first_name": f"Tech{number}", "last_name": "Nician"}
    person_id = await a_person(Role.TECHNICIAN, **named)
    return Actor(frozenset({Role.TECHNICIAN}), person_id)


async def a_shift(
    truck: StoredTruck,
    technician: Actor | None,
    day: date = TOMORROW,
    starts: int = 7,
    ends: int = 19,
    **differs: Any,
) -> StoredShift:
    """Store a shift by hours on New York's clocks."""
    shift = StoredShift(
        day=day,
        truck_id=truck.id,
        technician_id=technician.person_id if technician else None,
        starts_at=on_clock(day, starts),
        ends_at=on_clock(day, ends),
        **differs,
    )
    async with transaction() as session:
        session.add(shift)
    return shift


async def on_route(
    shift: StoredShift, *bookings: Booking | StoredBooking, published: bool = False
) -> list[StoredStop]:
    """Put bookings at the end of a shift's route; `published`: dispatched, its day published."""
    async with transaction() as session:
        former = len(await _stops(session, shift.id))
        rows = [
            StoredStop(
                shift_id=shift.id,
                place=former + place,
                booking_id=booking.id,
                slot_id=booking.slot_id,
                leg_s=LEG_S,
                begins_at=booking.starts_at,
                told_at=booking.starts_at if published else None,
            )
            for place, booking in enumerate(bookings, start=1)
        ]
        session.add_all(rows)
        if published:
            ids = [booking.id for booking in bookings]
            theirs = update(StoredBooking).where(col(StoredBooking.id).in_(ids))
            await session.execute(theirs.values(state="dispatched"))
            row = {"day": shift.day, "published_at": clock.now()}
            await session.execute(insert_new(session, PublishedDay).values(row))
    return rows


async def route(shift: StoredShift) -> list[StoredStop]:
    """Return the stops of a shift as they are now."""
    async with reading() as session:
        return await _stops(session, shift.id)


async def day_now(day: date = TOMORROW) -> Day:
    """Return a day as dispatchers see it now."""
    async with reading() as session:
        return await days.read(session, day)


async def shift_now(shift: StoredShift) -> StoredShift:
    async with reading() as session:
        return await session.get_one(StoredShift, shift.id)


async def change_stop(stop: StoredStop, **values: Any) -> None:
    """Set columns of a stop, as a technician's steps do."""
    async with transaction() as session:
        theirs = update(StoredStop).where(col(StoredStop.id) == stop.id)
        await session.execute(theirs.values(**values))


async def _stops(session: Any, shift_id: str) -> list[StoredStop]:
    theirs = select(StoredStop).where(col(StoredStop.shift_id) == shift_id)
    return list(await session.scalars(theirs.order_by(col(StoredStop.place))))


async def at_km(area_id: str, km: float, opens: int = 8, **differs: Any) -> StoredBooking:
    """Store a booking for tomorrow so many kilometers north of the trucks' home."""
    differs.setdefault("place", asdict(replace(PLACE, lat=HOME_LAT + km / 111, lng=HOME_LNG)))
    days = (TOMORROW - clock.day_of(clock.now())).days
    return await a_booking(area_id, days=days, opens=opens, **differs)


async def a_day(*kms: float, published: bool = False) -> tuple[StoredShift, list[StoredBooking]]:
    """Store a shift tomorrow, with bookings so many kilometers from home on its route."""
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician())
    bookings = [await at_km(area, km) for km in kms]
    await on_route(shift, *bookings, published=published)
    return shift, bookings


async def revisions() -> dict[str, int]:
    """Return the revisions of all routes, as a board shows them."""
    async with reading() as session:
        return {row.id: row.revision for row in await session.scalars(select(StoredShift))}


async def ids(shift: StoredShift) -> list[str]:
    """Return the bookings on a route; '' for a refill."""
    return [stop.booking_id or "" for stop in await route(shift)]


async def undo(action_id: str) -> None:
    async for _ in audit.undo(action_id, actor=str(STAFF)):
        pass


async def close(day: date) -> None:
    async with transaction() as session:
        session.add(PublishedDay(day=day, published_at=clock.now(), closed_at=clock.now()))
