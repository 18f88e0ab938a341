"""Names of those whose bookings they are."""

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.service import directory
from fuel_app.bookings.rules.bookings import Booking


async def names_of(
    session: AsyncSession, bookings: Iterable[Booking], people: Collection[str] = ()
) -> dict[str, str]:
    """Return the names of the customers of bookings, and of these people, by their ids."""
    wanted = {*(each.person_id for each in bookings), *people} - {""}
    return await directory.names_in(session, wanted)


def customer_of(booking: Booking, names: Mapping[str, str]) -> str:
    """Return the name of a booking's customer or guest."""
    if booking.person_id:
        return names[booking.person_id]
    parts = (booking.contact.get(each, "") for each in ("first_name", "last_name"))
    return " ".join(filter(None, parts)) or "Guest"
