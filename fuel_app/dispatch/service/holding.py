"""Bookings on hold: off their routes until we can come, or their customers choose another time."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.states import BOOKED, DISPATCHED
from fuel_app.bookings.service import notifications, road
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.service.arrivals import LIVE, PAUSE
from fuel_app.kit import clock, outbox
from fuel_app.kit.outbox import Message, Skip
from fuel_app.messages.rules.delivery import OUTDATED

WEATHER, BREAKDOWN = "weather_hold", "cannot_come"  # the messages of a hold
WHAT_NEXT = {
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
    held = await road.take_step(session, by, booking_ids, "hold", reason, reason=reason)
    for booking in held:
        more = {"reason": reason, "what_next": WHAT_NEXT[tells]}
        await notifications.weather_hold_begun(session, booking, tells, **more)
    return held


async def resume(session: AsyncSession, by: Actor, booking_ids: Collection[str]) -> list[Booking]:
    """Book held bookings again whose windows are not over, and tell their customers."""
    locked = await road.of_ids(session, booking_ids, lock=True)
    ahead = [each.id for each in locked.values() if each.ends_at > clock.now()]
    resumed = await road.take_step(session, by, ahead, "resume", reason="")
    for booking in resumed:
        when = {"wanted": clock.now() + PAUSE, "good_until": booking.ends_at}
        await notifications.weather_hold_ended(session, booking, live=True, **when)
    return resumed


@outbox.composer("on_again")
async def compose_on_again(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Promise that we come as booked, unless the day is on the road without the booking."""
    if LIVE not in row.payload:
        return {}
    found = await road.of_ids(session, [row.payload["booking"]])
    booking = found.get(row.payload["booking"])
    is_same = booking and booking.starts_at.isoformat() == row.payload["starts_at"]
    if booking is None or not is_same or booking.state not in (BOOKED, DISPATCHED):
        return Skip(OUTDATED)
    is_published = await queries.published(session, booking.day) is not None
    return {"unplaced": "yes" if booking.state == BOOKED and is_published else ""}
