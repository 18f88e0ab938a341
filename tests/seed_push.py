"""Notify a booking's customer on their devices."""

import fuel_app.fuel_app  # noqa: F401 (every table and job)
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import outbox
from fuel_app.kit.db.session import transaction
from tests.helpers.outbox import VALUES


async def notify(booking_id: str) -> None:
    async with transaction() as session:
        booking = await session.get_one(StoredBooking, booking_id)
        await outbox.add(
            session,
            "arrived",
            channel=outbox.PUSH,
            person_id=booking.person_id,
            payload=VALUES
            | {"booking": booking_id, "submission": None, "token": None, "code": None, "at": None},
        )
