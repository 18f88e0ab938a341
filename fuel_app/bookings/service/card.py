"""The card of a booking, replaced on the provider's page by its customer or guest."""

from fuel_app.accounts.rules import Actor
from fuel_app.billing.service import visits
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import Guest
from fuel_app.bookings.service import access
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id


async def begin_update(by: Actor | Guest, booking_id: object, *, address: str, back: str) -> str:
    """Begin to add another card for a booking. Return the address of the provider's page.

    Args:
        address: The visitor's network address, for the rate limit of guests.
        back: The address of our page, to which the provider leads back as `{back}?card=<visit>`.

    Raises:
        BookingGone: If it is not theirs.
        ProviderDown, TooManyRequests
    """
    row = await _own(by, booking_id)
    if row.payer_id:  # of a guest, also where a person has the booking by now
        return await visits.begin_again(row.payer_id, address=address, back=back)
    return await visits.begin_for(row.person_id or "", back)


async def finish(by: Actor | Guest, booking_id: object, visit: str) -> None:
    """Store what a visit that was begun for a booking has brought; a second time is the same.

    Raises:
        BookingGone: If the booking is not theirs.
        OtherVisit, NotAdded, NotConfirmed
    """
    row = await _own(by, booking_id)
    if row.payer_id:
        await visits.finish_again(row.payer_id, visit)
    else:
        await visits.finish_for(row.person_id or "", visit)


async def _own(by: Actor | Guest, booking_id: object) -> StoredBooking:
    async with reading() as session:
        return access.check(by, await queries.find(session, well_formed_id(booking_id) or ""))
