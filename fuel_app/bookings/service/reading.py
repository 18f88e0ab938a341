"""Reading bookings: a customer's own, a guest's one, any for staff."""

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.rules.bookings import Booking, Event, Guest


async def guest_of(token: object) -> Guest | None:
    """Return the holder of a booking's link; None for a token that is not ours."""
    raise NotImplementedError


async def find(by: Actor | Guest, booking_id: object) -> Booking | None:
    """Return a booking: a customer's own, any for staff, that one for a guest; else None."""
    raise NotImplementedError


async def events(by: Actor | Guest, booking_id: object) -> tuple[Event, ...]:
    """Return the steps of a booking that `find` returns, the oldest first."""
    raise NotImplementedError


async def upcoming(by: Actor, *, customer_id: object = "") -> tuple[Booking, ...]:
    """Return a customer's bookings that are neither ended nor over, the soonest first.

    Args:
        by: The customer, or a member of the staff.
        customer_id: Whose, for staff.

    Raises:
        NotAllowed
    """
    raise NotImplementedError


async def past(by: Actor, *, customer_id: object = "", most: int = 100) -> tuple[Booking, ...]:
    """Return a customer's last bookings that have ended, the latest first.

    Raises:
        NotAllowed
    """
    raise NotImplementedError


async def of_person(session: AsyncSession, person_id: str) -> tuple[Booking, ...]:
    """Return all bookings of a person, the oldest first."""
    raise NotImplementedError


async def of_slots(session: AsyncSession, slot_ids: Collection[str]) -> tuple[Booking, ...]:
    """Return the bookings that take places of these slots, by slot."""
    raise NotImplementedError
