"""Payments of bookings: jobs that authorize the card, replacing it, and what an end costs."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.billing.providers import stripe
from fuel_app.billing.rules.invoices import Whose
from fuel_app.billing.rules.payments import FAILED, CardNeeded, Payment, ProviderDown
from fuel_app.billing.service import cards, fill_invoices, payments
from fuel_app.bookings import queries
from fuel_app.bookings.rules.authorizations import CardState, card_alert, first_try, last_try
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, Guest
from fuel_app.bookings.rules.estimates import estimate_of
from fuel_app.bookings.rules.fills import CHECKING
from fuel_app.bookings.service import access
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.jobs import NewJob
from fuel_app.kit.legal import TERMS_VERSION
from fuel_app.kit.money import Money
from fuel_app.kit.throttle import PAYMENTS, throttle

AUTHORIZE = "bookings.authorize"
_DECLINED_SINCE = timedelta(days=3)


def bill_to(row: StoredBooking) -> Whose:
    names = (row.contact.get(each, "") for each in ("first_name", "last_name"))
    return Whose(row.id, row.person_id, row.payer_id, " ".join(filter(None, names)))


def authorization_jobs(row: StoredBooking) -> list[NewJob]:
    """Return the jobs that authorise the card for a booking's window."""
    now = clock.now()
    last = card_due_at(row, now)
    first = max(first_try(row.starts_at), now)
    return [
        authorization_job(row, "first", first, last),
        authorization_job(row, "last", last, last),
    ]


def card_due_at(row: StoredBooking, now: datetime) -> datetime:
    """Return until when a declined card may be replaced, as the jobs of the booking have it."""
    known = row.card_due_at
    return known if known and known > now else last_try(row.starts_at, now)


def authorization_job(row: StoredBooking, name: str, run_at: datetime, until: datetime) -> NewJob:
    """Return the job of one try; the booking is cancelled if the card is declined `until` then."""
    payload = {"booking": row.id, "slot": row.slot_id, "until": until.isoformat()}
    name = f"{row.id}:{row.revision}:{name}"
    return NewJob(AUTHORIZE, payload | {"try": name}, f"authorize:{name}", run_at)


async def authorize_new_card(session: AsyncSession, payer: Any) -> None:
    """Authorise a payer's new card for the bookings for which the former one was declined."""
    now = clock.now()
    declined = await fill_invoices.declined_bookings(session, payer.id, now - _DECLINED_SINCE)
    rows = await queries.open_of(session, declined)
    name = f"card:{payer.card_id}"
    again = (authorization_job(row, name, now, card_due_at(row, now)) for row in rows)
    await jobs.enqueue_all(session, list(again))


async def check_card_removable(session: AsyncSession, person_id: str) -> None:
    """Keep a card while a fill is booked, or staff are asked about its gallons."""
    if await queries.upcoming(session, person_id):
        raise CardNeeded("A fill-up is booked with this card. Please update it, or cancel first.")
    if await queries.under_check(session, person_id):
        raise CardNeeded(f"{CHECKING} of a fill-up that this card pays. Please update it.")


async def bill_without_fill(session: AsyncSession, row: StoredBooking, what: str) -> None:
    """Bill the late fee of a booking without a fill; where there is none, release the hold."""
    if row.late_fee_cents:
        await fill_invoices.bill_late_fee(
            session, bill_to(row), Money(row.late_fee_cents), f"Late fee: {what}"
        )
    else:
        await fill_invoices.release_authorizations(session, row.id)


async def card_states(bookings: Sequence[Booking]) -> dict[str, CardState]:
    """Return how the cards of bookings stand, by booking."""
    last, now = await _last_holds(bookings), clock.now()
    payers = {each.payer_id for each in bookings if each.payer_id and not each.person_id}
    lacking = await cards.lacking_card(payers)
    return {
        each.id: CardState.of(
            each, last.get(each.id), now, lacks_card=not each.person_id and each.payer_id in lacking
        )
        for each in bookings
    }


async def unpaid_ids(bookings: Sequence[Booking]) -> frozenset[str]:
    """Return those whose last hold was declined, or whose fee the customer has not chosen yet."""
    last = await _last_holds(bookings)
    declined = {booking_id for booking_id, hold in last.items() if hold.state == FAILED}
    return frozenset(each.id for each in bookings if each.fee_asked_at or each.id in declined)


async def _last_holds(bookings: Sequence[Booking]) -> dict[str, Payment]:
    if not bookings:
        return {}
    async with reading() as session:
        return await fill_invoices.last_authorizations(session, [each.id for each in bookings])


async def begin_card_update(
    by: Actor | Guest, booking_id: object, *, address: str, back: str
) -> str:
    """Begin to add another card for a booking. Return the address of the provider's page.

    A guest whom staff have booked for accepts the terms, which stand beside the button, with the
    card.

    Args:
        address: The visitor's network address, for the rate limit of guests.
        back: The address of our page, to which the provider leads back as `{back}?card=<visit>`.

    Raises:
        BookingGone: If it is not theirs.
        ProviderDown, TooManyRequests
    """
    row = await find_own(by, booking_id)
    if row.payer_id:  # of a guest, also where a person has the booking by now
        return await cards.begin_payer_checkout(
            row.payer_id,
            name=bill_to(row).name,
            email=row.guest_email,
            address=address,
            back=back,
            accepted_for=row.id if isinstance(by, Guest) and not row.terms_version else None,
        )
    return await cards.begin_checkout(row.person_id or "", back)


async def accept_terms(session: AsyncSession, booking_id: str) -> None:
    """Note that a guest whom staff have booked for has accepted the terms."""
    await queries.set_values(session, [booking_id], {"terms_version": TERMS_VERSION})


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
    row = await find_own(by, booking_id)
    await throttle().spend(PAYMENTS, row.person_id or address)
    try:
        await fill_invoices.end_checkouts(row.id)
    except (stripe.Unavailable, stripe.Rejected):
        raise ProviderDown from None
    async with transaction() as session:
        row = await access.locked(session, by, booking_id)
        booking = queries.booking_of(row)
        last = (await fill_invoices.last_authorizations(session, [row.id])).get(row.id)
        if not card_alert(booking, last, clock.now()).needs_confirmation:
            raise BookingChanged
        key, amount = f"hold:{row.id}:{row.revision}:page:{new_id()}", estimate_of(booking).hold
        begun = await fill_invoices.begin_confirmation(session, key, bill_to(row), amount)
    return await payments.open_page(*begun, back)


async def find_own(by: Actor | Guest, booking_id: object) -> StoredBooking:
    async with reading() as session:
        return access.check(by, await queries.find(session, well_formed_id(booking_id) or ""))
