"""Staff record what was pumped, with the meter of the truck that has the booking on its route."""

from fuel_app.accounts.rules import Actor, Role
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.service import fills, road
from fuel_app.dispatch.queries import technician as queries
from fuel_app.kit.db.session import transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import BOOKINGS, signals


async def complete(
    by: Actor, booking_id: object, revision: object, form: object, *, confirmed: bool = False
) -> Booking:
    """Record a booking's fill, or correct it, as `completing.complete` does, with its errors."""
    by.require(Role.DISPATCHER)
    async with transaction() as session:
        locked = await road.lock(session, well_formed_id(booking_id) or "")
        meter = await queries.meter_of_stop(session, locked.id)
        about = {"confirmed": confirmed is True, "meter": meter}
        done = await fills.complete(session, by, locked.id, revision, form, **about)
    await signals().publish(BOOKINGS)
    return done
