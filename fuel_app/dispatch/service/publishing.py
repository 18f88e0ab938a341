"""Publishing a day: technicians see its routes, and its bookings are dispatched."""

from collections.abc import Mapping

from fuel_app.accounts.rules import Actor, Role
from fuel_app.bookings.service import road
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.rules.day import (
    DayClosed,
    DayOver,
    NothingToPublish,
    RouteChanged,
    parse_day,
)
from fuel_app.dispatch.service import arrivals
from fuel_app.dispatch.service.reading import read
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import BOOKINGS, SHIFTS, signals


async def publish(by: Actor, day: object, seen: Mapping[str, int]) -> int:
    """Publish a day. A second press changes nothing.

    Args:
        day: A date, or its text.
        seen: The revisions of all routes of the day on the screen.

    Returns:
        How many bookings are dispatched by it.

    Raises:
        NoSuchDay, DayOver, DayClosed, RouteChanged, NothingToPublish
    """
    by.require(Role.DISPATCHER)
    chosen = parse_day(day)
    if chosen < clock.day_of(clock.now()):
        raise DayOver
    async with transaction() as session:
        shift_ids = await queries.lock_day(session, chosen)
        stops = await queries.stops_of(session, shift_ids)
        await road.of_ids(session, {stop.booking_id or "" for stop in stops}, lock=True)
        found = await read(session, chosen)
        if found.closed_at:
            raise DayClosed
        if found.published_at:
            return 0
        if seen != found.revisions:
            raise RouteChanged
        waiting = {
            stop.row_id: (stop, stop.booking)
            for route in found.routes
            for stop in route.waiting
            if stop.booking
        }
        if not waiting:
            raise NothingToPublish
        # Nothing said so far but the window: an arrival beyond it is told.
        late = {
            row_id: booking.ends_at
            for row_id, (stop, booking) in waiting.items()
            if stop.begins_at > booking.ends_at
        }
        await queries.publish(session, chosen, clock.now(), late)
        ids = [booking.id for _, booking in waiting.values()]
        dispatched = len(await road.take_step(session, by, ids, "publish"))
        await arrivals.published(session, chosen, shift_ids)
    await signals().publish(SHIFTS, BOOKINGS)
    return dispatched
