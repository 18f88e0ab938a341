"""Bookings on hold: off their routes until we can come, or their customers choose another time."""

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.service import dispatching, telling
from fuel_app.kit import clock

WEATHER, BREAKDOWN = "weather_hold", "cannot_come"  # the messages of a hold
_WHAT_NEXT = {
    WEATHER: "We come when it has passed. Or choose another time on your booking's page, "
    "free of charge.",
    BREAKDOWN: "Please choose another time on your booking's page, free of charge.",
}


async def hold(
    session: AsyncSession, by: Actor, booking_ids: Collection[str], reason: str, tells: str
) -> list[Booking]:
    """Hold bookings that no technician has begun, and tell their customers.

    Args:
        reason: The customers read it.
        tells: The kind of message, `WEATHER` or `BREAKDOWN`.

    Returns:
        Those that are on hold now.
    """
    held = await dispatching.take(session, by, booking_ids, "hold", reason, reason=reason)
    for booking in held:
        more = {"reason": reason, "what_next": _WHAT_NEXT[tells]}
        await telling.on_hold(session, booking, tells, **more)
    return held


async def resume(session: AsyncSession, by: Actor, booking_ids: Collection[str]) -> list[Booking]:
    """Book held bookings again whose windows are not over, and tell their customers."""
    locked = await dispatching.of_ids(session, booking_ids, lock=True)
    ahead = [each.id for each in locked.values() if each.ends_at > clock.now()]
    resumed = await dispatching.take(session, by, ahead, "resume", reason="")
    for booking in resumed:
        await telling.on_again(session, booking)
    return resumed
