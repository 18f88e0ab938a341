"""The card of a booking: replaced, or its hold confirmed, on the provider's page."""

from fuel_app.accounts.rules import Actor
from fuel_app.billing.providers import stripe
from fuel_app.billing.rules.cards import ProviderDown
from fuel_app.billing.service import holds, hosted, visits
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import BookingChanged, Guest
from fuel_app.bookings.rules.estimates import estimate_of
from fuel_app.bookings.rules.holds import card_alert
from fuel_app.bookings.service import access, charging
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.throttle import PAYMENTS, throttle


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


async def begin_confirmation(
    by: Actor | Guest, booking_id: object, *, address: str, back: str
) -> str:
    """Begin to confirm the hold of a booking. Return the address of the provider's page.

    A former visit ends with it, so that nothing is held twice.

    Raises:
        BookingGone: If it is not theirs.
        BookingChanged: If there is nothing to confirm (any more).
        PaymentPending, ProviderDown, TooManyRequests
    """
    row = await _own(by, booking_id)
    await throttle().spend(PAYMENTS, row.person_id or address)
    try:
        await holds.end_visits(row.id)
    except (stripe.Unavailable, stripe.Rejected):
        raise ProviderDown from None
    async with transaction() as session:
        row = await access.locked(session, by, booking_id)
        booking = queries.booking_of(row)
        last = (await holds.last_of(session, [row.id])).get(row.id)
        if not card_alert(booking, last, clock.now()).needs_confirmation:
            raise BookingChanged
        key, amount = f"hold:{row.id}:{row.revision}:page:{new_id()}", estimate_of(booking).hold
        begun = await holds.begin_confirmation(session, key, charging.whose(row), amount)
    return await hosted.open_page(*begun, back)


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
