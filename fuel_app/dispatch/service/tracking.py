"""Tracking: how far the technician is, for the one who has the link of a booking."""

from dataclasses import replace

from fuel_app.bookings.service import road
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.rules.tracking import LinkUnknown, Tracked, tracked
from fuel_app.dispatch.service.figures import service_times
from fuel_app.dispatch.service.reading import read_part
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
        booking = (await road.of_ids(session, [booking_id])).get(booking_id)
        if booking is None:
            return None
        stop = await queries.stop(session, booking_id)
        part = await read_part(session, booking.day, [stop.shift_id] if stop else [])
        times = await service_times(session)
    found = tracked(booking, next(iter(part.routes), None), clock.now(), times)
    return found and replace(found, booking_id=booking_id)
