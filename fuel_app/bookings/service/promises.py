"""The promise of a free first fill, as long as a customer can have it."""

from collections.abc import Iterable

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import FreeFillUse
from fuel_app.customers.rules.vehicles import bare_plate


async def free_fill_used(
    session: AsyncSession, person_id: str, phone: str, license_plates: Iterable[str]
) -> str | None:
    """Return for what the free first fill was used before; None while one can still be had.

    Any of the customer's cars will do; one who has none yet has only to have the phone to
    themselves.
    """
    plates = [bare_plate(each) for each in license_plates] or [""]
    wanted = [FreeFillUse(person_id, each, phone) for each in plates]
    known = await queries.free_fills_used(session, wanted)
    used = [each.used_by(known) for each in wanted]
    return None if None in used else used[0]
