"""Bookings in the database, without the way that leads to them."""

import uuid
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update
from sqlmodel import col

from fuel_app.areas.tables import StoredPrice
from fuel_app.bookings.rules.bookings import Car, Location
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.tables import BookingEvent, SlotSeat, StoredBooking, StoredFill
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading, transaction

CAR = Car("Toyota", "Camry", "2022", "Silver", "ABC 123", "FL", "regular", 160, "Unlocked")
PLACE = Location("1234 Palm Ave", "Sarasota", "FL", "34236", "Driveway", 27.33, -82.53)
FILL_COLUMNS = {*StoredFill.model_fields} - {*StoredBooking.model_fields}
OUTCOMES = {"completed": "filled", "failed": "not_filled", "cancelled": ""}
GUEST = {
    "first_name": "Gus",
    "last_name": "Guest",
    "email": "gus@example.com",
    "phone": "9415550188",
}


def unstored(
    area_id: str, person_id: str | None = None, *, days: int = 3, opens: int = 8, **differs: Any
) -> StoredBooking:
    """Return a booking some days from now, of a guest without a person."""
    day = day_of(clock.now()) + timedelta(days=days)
    slot_id = f"{area_id}-{day.isoformat()}-{opens:02}"
    values: dict[str, Any] = {
        "key": str(uuid.uuid4()),
        "person_id": person_id,
        "guest_email": "" if person_id else GUEST["email"],
        "contact": {} if person_id else GUEST,
        "area_id": area_id,
        "slot_id": slot_id,
        "starts_at": on_clock(day, opens),
        "ends_at": on_clock(day, opens + 2),
        "place": asdict(PLACE),
        "late_fee_agreed_cents": 1500,
    }
    return with_a_fill(values | differs)


def with_a_fill(values: dict[str, Any]) -> StoredBooking:
    """Return a booking with one car; the values are those of both."""
    car = {
        "vehicle": asdict(CAR),
        "grade": "regular",
        "price_mills": 3459,
        "estimated_milligallons": 9600,
        "pays_by": "fee",
        "fee_cents": 1500,
    } | {name: values[name] for name in values if name in FILL_COLUMNS}
    own = {name: values[name] for name in values if name not in FILL_COLUMNS}
    car["outcome"] = OUTCOMES.get(own.get("state", ""), "")
    booking = StoredBooking(**own)
    booking.fills = [StoredFill(booking_id=booking.id, **car)]
    return booking


async def a_booking(area_id: str, person_id: str | None = None, **differs: Any) -> StoredBooking:
    """Store a booking with its place; the arguments are those of `unstored`."""
    booking = unstored(area_id, person_id, **differs)
    async with transaction() as session:
        session.add(booking)
        await session.flush()
        session.add(
            BookingEvent(
                booking_id=booking.id,
                revision=1,
                kind="book",
                state="booked",
                actor=person_id or "guest",
                at=clock.now(),
                before={},
            )
        )
        taken = select(func.count()).where(col(SlotSeat.slot_id) == booking.slot_id)
        place = (await session.scalar(taken) or 0) + 1
        session.add(SlotSeat(slot_id=booking.slot_id, place=place, booking_id=booking.id))
    return booking


async def a_fill(
    area_id: str,
    person_id: str,
    completed_at: datetime,
    milligallons: int,
    cents: int,
    **differs: Any,
) -> StoredBooking:
    """Store a fill that is done."""
    done = {
        "state": "completed",
        "starts_at": completed_at - timedelta(hours=1),
        "ends_at": completed_at + timedelta(hours=1),
        "completed_at": completed_at,
        "filled_milligallons": milligallons,
        "total_cents": cents,
        "slot_id": str(uuid.uuid4()),
    }
    values = {"key": str(uuid.uuid4()), "person_id": person_id, "contact": {}, "area_id": area_id}
    more = {"place": asdict(PLACE), "late_fee_agreed_cents": 1500, "fee_cents": 0}
    booking = with_a_fill(values | more | done | differs)
    async with transaction() as session:
        session.add(booking)
    return booking


async def change(booking: StoredBooking, **values: Any) -> None:
    """Change a booking and its fill, as others would meanwhile."""
    await set_values(booking.id, values)


async def set_values(booking_id: str, values: dict[str, Any]) -> None:
    """Set columns of a booking and of its fills; a state that ends it ends those as well."""
    own = {name: values[name] for name in values if name not in FILL_COLUMNS}
    of_fill = {name: values[name] for name in values if name in FILL_COLUMNS}
    if own.get("state", "") in OUTCOMES:
        of_fill["outcome"] = OUTCOMES[own["state"]]
    async with transaction() as session:
        if own:
            row = update(StoredBooking).where(col(StoredBooking.id) == booking_id)
            await session.execute(row.values(**own))
        if of_fill:
            theirs = update(StoredFill).where(col(StoredFill.booking_id) == booking_id)
            await session.execute(theirs.values(**of_fill))


async def stored(booking: StoredBooking) -> StoredBooking:
    async with reading() as session:
        found = await session.get(StoredBooking, booking.id)
    assert found is not None
    return found


async def a_price(area_id: str, mills: int = 3459, *, days_ago: int = 0) -> None:
    at = clock.now() - timedelta(days=days_ago, seconds=1)
    async with transaction() as session:
        session.add(
            StoredPrice(
                area_id=area_id,
                grade="regular",
                mills=mills,
                effective_at=at,
                source="staff",
                set_by="x",
            )
        )
