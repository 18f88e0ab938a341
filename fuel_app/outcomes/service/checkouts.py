"""The return from the provider's checkout, where a card is added or a payment confirmed.

A checkout is finished when the browser comes back, or by the provider's webhook: whichever is
first. A new card settles what is unpaid and authorizes what is booked.
"""

from fuel_app.accounts.rules import Actor, Session
from fuel_app.billing.providers import stripe
from fuel_app.billing.queries import invoices as invoice_queries
from fuel_app.billing.queries import payers as queries
from fuel_app.billing.rules.invoices import Debt
from fuel_app.billing.rules.payments import (
    CANCELLED,
    FAILED,
    NEW,
    CardNeeded,
    NotAdded,
    NotConfirmed,
    NotPaid,
    OtherCheckout,
)
from fuel_app.billing.service import cards, invoices
from fuel_app.billing.tables import Checkout, Payer, StoredPayment
from fuel_app.bookings.rules.bookings import Guest
from fuel_app.bookings.service import authorizations
from fuel_app.customers.service import account
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import end_reading, find_row, get_row, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.outcomes.service import charges, consequences, plans
from fuel_app.plans.rules.plans import ACTIVE, PAST_DUE
from fuel_app.plans.service import subscriptions


async def remove_card(by: Session) -> None:
    """Remove a customer's card; pressed twice, it is removed once.

    Raises:
        CardNeeded, Debt: While something depends on it.
        PaymentPending: While it pays for the start of a plan.
    """
    async with transaction() as session:
        customer = await account.facts(session, by.person_id, lock=True)
        payer = await invoices.payer_of_person(session, by.person_id, lock=True)
        plan = await subscriptions.subscription_of(session, by.person_id)
        if not customer.has_card:
            return
        if plan and plan.state in (ACTIVE, PAST_DUE):
            raise CardNeeded(cards.PLAN_NEEDS_IT)
        await plans.refuse_pending(session, by.person_id)
        if await invoice_queries.debts(session, [by.person_id]):
            raise Debt
        await authorizations.check_card_removable(session, by.person_id)
        await cards.detach_later(session, payer)
        await cards.clear_card(session, payer, str(by.actor))


async def finish_checkout(person_id: str, checkout_id: str) -> None:
    """Store the card, or the payment, of a customer who comes back; a second time is the same.

    What is unpaid is charged to a new card at once: the customer sees what has come of it.

    Args:
        checkout_id: The provider's; or ours, where the customer has left without confirming.

    Raises:
        OtherCheckout, NotAdded, NotConfirmed
    """
    await _finish_checkout(f"person:{person_id}", checkout_id)
    await charges.settle_open(person_id)


async def finish_guest_checkout(key: str, checkout_id: str) -> None:
    """Store the card of a guest who comes back; `finish_checkout` says the rest."""
    await _finish_checkout(f"guest:{key}", checkout_id)


async def finish_booking_checkout(by: Actor | Guest, booking_id: object, checkout_id: str) -> None:
    """Store what a checkout that was begun for a booking has brought.

    Raises:
        BookingGone: If the booking is not theirs.
        OtherCheckout, NotAdded, NotConfirmed
    """
    booking = await authorizations.find_own(by, booking_id)
    if booking.payer_id:
        async with reading() as session:
            payer = await get_row(session, Payer, booking.payer_id)
        await _finish_checkout(payer.key, checkout_id)
    else:
        await finish_checkout(booking.person_id or "", checkout_id)


async def _finish_checkout(payer_key: str, checkout_id: str) -> None:
    left = well_formed_id(checkout_id)  # the provider's ids are letters, digits and underscores
    if not left and not checkout_id.isidentifier():
        raise OtherCheckout
    async with reading() as session:
        checkout = await queries.checkout_of(session, payer_key, left or checkout_id)
        payment = await find_row(session, StoredPayment, checkout.id) if checkout else None
    if checkout is None or (left and payment is None):
        raise OtherCheckout
    await end_reading()
    try:
        if left:
            await charges.end_checkout(checkout.id)
        else:
            page = await stripe.read_session(checkout_id)
            if not page.is_complete:
                raise NotPaid if payment else NotAdded
            await _store_checkout(page)
    except (stripe.Unavailable, stripe.Rejected):
        raise NotConfirmed from None
    if left:
        await _check_paid(checkout.id)


async def _check_paid(payment_id: str) -> None:
    """Refuse where a customer has left the provider's page without confirming the payment."""
    async with reading() as session:
        payment = await get_row(session, StoredPayment, payment_id)
    if payment.state == NEW:
        raise NotConfirmed
    if payment.state in (CANCELLED, FAILED):
        raise NotPaid


async def complete_checkout(session_id: str) -> bool:
    """Store what a checkout has brought, read anew: for the webhook. Return False if not ours.

    Raises:
        Unavailable
    """
    return await _store_checkout(await stripe.read_session(session_id))


async def expire_checkout(setup_id: str) -> None:
    """End a checkout from which no browser came back.

    Raises:
        Unavailable
    """
    async with reading() as session:
        checkout = await session.get_one(Checkout, setup_id)
        payment = await session.get(StoredPayment, setup_id)
    if payment:
        await charges.end_checkout(setup_id)
    elif checkout.session_id and checkout.done_at is None:
        await complete_checkout(checkout.session_id)


async def _store_checkout(page: stripe.CheckoutSession) -> bool:
    if page.intent_id:
        return await charges.sync_payment(page.intent_id)
    card = await stripe.read_card(page.card_id) if page.card_id else None
    async with transaction() as session:
        checkout = await find_row(session, Checkout, page.setup_id, lock=True)
        if checkout is None:
            return False
        is_new = card is not None and checkout.done_at is None
        if is_new and checkout.accepted_for:  # lock order: booking before payer
            await authorizations.accept_terms(session, checkout.accepted_for)
        payer = await cards.lock_payer(session, checkout.payer_id)
        # A card that has no customer was removed meanwhile.
        if card and is_new and card.customer_id == payer.provider_id:
            checkout.done_at = now()
            await cards.keep_card(session, payer, card)
            await consequences.new_card(session, payer)
    return True
