"""Tracking: how far the technician is, for the one who has the link of a booking."""

from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.bookings.service import dispatching
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.rules.day import TruckRoute
from fuel_app.dispatch.rules.tracking import LinkUnknown, Tracked, tracked
from fuel_app.dispatch.service.figures import service_times
from fuel_app.dispatch.service.reading import names_of, shift_of, stop_of
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import reading
from fuel_app.kit.throttle import LINKS, throttle
from fuel_app.messages.rules.kinds import TRACKED


async def arrive(token: object, address: str) -> Tracked:
    """Return what the link of a booking shows now.

    Args:
        token: Of the link, sent by a browser.
        address: The visitor's network address.

    Raises:
        LinkUnknown: If it is none of ours, or too old.
        TooManyRequests: After 20 such links from one address in 15 minutes.
    """
    async with throttle().failing(LINKS, address):
        if found := await look(token):
            return found
        raise LinkUnknown


async def look(token: object) -> Tracked | None:
    """Return what the link of a booking shows now; None for one that is not ours, or too old.

    Links are handed out once a day is published, and good for 24 hours after the stop has ended.
    """
    booking_id = secrets.row_of(TRACKED, token)
    if booking_id is None:
        return None
    async with reading() as session:
        booking = (await dispatching.of_ids(session, [booking_id])).get(booking_id)
        if booking is None:
            return None
        route = await _route_of(session, booking_id)
        times = await service_times(session)
    found = tracked(booking, route, clock.now(), times)
    return found and replace(found, booking_id=booking_id)


async def _route_of(session: AsyncSession, booking_id: str) -> TruckRoute | None:
    """Return the route that a booking is on."""
    stop = await queries.stop_of_booking(session, booking_id)
    if stop is None:
        return None
    shift, truck = await queries.shift(session, stop.shift_id)
    rows = await queries.stops_of(session, [shift.id])
    ids = {row.booking_id for row in rows if row.booking_id}
    bookings = await dispatching.of_ids(session, ids)
    names = await names_of(session, bookings.values(), [shift.technician_id or ""])
    stops = tuple(stop_of(row, bookings, names) for row in rows)
    return TruckRoute(shift_of(shift, truck, names), stops)
