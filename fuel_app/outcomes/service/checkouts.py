"""The return from the provider's checkout, where a card is added or a payment confirmed.

A checkout is finished when the browser comes back, or by the provider's webhook: whichever is
first. A new card settles what is unpaid and authorizes what is booked.
"""

from fuel_app.accounts.rules import Actor, Session
from fuel_app.billing.providers import stripe
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.queries import payers as payer_queries
from fuel_app.billing.rules.invoices import Debt
from fuel_app.billing.rules.payments import (
    CANCELLED,
    FAILED,
    NEW,
    CardNeeded,
    NotAdded,
    NotConfirmed,
    NotPaid,
    OtherVisit,
    under_way,
)
from fuel_app.billing.service import cards, invoices
from fuel_app.billing.tables import CardSetup, Payer, StoredPayment
from fuel_app.bookings.rules.bookings import Guest
from fuel_app.bookings.service import authorizations
from fuel_app.customers.service import account
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import find_row, get_row, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.outcomes.service import charges, consequences
from fuel_app.plans.rules.plans import ACTIVE, PAST_DUE
from fuel_app.plans.service import subscriptions


async def remove_card(by: Session) -> None:
    """Remove a customer's card; pressed twice, it is removed once.

    Raises:
        CardNeeded, Debt: While something depends on it.
        PaymentPending: While it pays for the start of a plan.
    """
    async with transaction() as session:
        known = await account.facts(session, by.person_id, lock=True)
        payer = await invoices.payer_of_person(session, by.person_id, lock=True)
        plan = await subscriptions.subscription_of(session, by.person_id)
        if not known.has_card:
            return
        if plan and plan.state in (ACTIVE, PAST_DUE):
            raise CardNeeded(cards.PLAN_NEEDS_IT)
        if paying := await payer_queries.charge_under_way(session, by.person_id):
            raise under_way(paying[1].kind)
        if await queries.debts(session, [by.person_id]):
            raise Debt
        await authorizations.check_card_removable(session, by.person_id)
        await cards.detach_later(session, payer)
        await cards.clear_card(session, payer, str(by.actor))


async def finish_checkout(by: Session, session_id: str) -> None:
    """Store the card, or the payment, of a customer who comes back; a second time is the same.

    What is unpaid is charged to a new card at once: the customer sees what has come of it.

    Raises:
        OtherVisit, NotAdded, NotConfirmed
    """
    await finish_checkout_for(by.person_id, session_id)


async def finish_checkout_for(person_id: str, session_id: str) -> None:
    """Finish a checkout of a customer, as `finish_checkout` says."""
    await _finish_checkout(f"person:{person_id}", session_id)
    await charges.settle_open(person_id)


async def finish_guest_checkout(key: str, session_id: str) -> None:
    """Store the card of a guest who comes back; `finish_checkout` says the rest."""
    await _finish_checkout(f"guest:{key}", session_id)


async def finish_payer_checkout(payer_id: str, session_id: str) -> None:
    """Finish a checkout that `begin_payer_checkout` began."""
    async with reading() as session:
        payer = await get_row(session, Payer, payer_id)
    await _finish_checkout(payer.key, session_id)


async def _finish_checkout(key: str, session_id: str) -> None:
    if payment_id := well_formed_id(session_id):
        await _leave_checkout(key, payment_id)
        return
    if not session_id.isidentifier():  # the provider's ids are letters, digits and underscores
        raise OtherVisit
    async with reading() as session:
        is_theirs = await payer_queries.is_checkout_of(session, session_id, key)
        is_payment = is_theirs and await payer_queries.is_payment_page(session, session_id)
    if not is_theirs:
        raise OtherVisit
    try:
        visit = await stripe.read_session(session_id)
        if visit.is_complete:
            await _store_checkout(visit)
    except (stripe.Unavailable, stripe.Rejected):
        raise NotConfirmed from None
    if not visit.is_complete:
        raise NotPaid if is_payment else NotAdded


async def _leave_checkout(key: str, payment_id: str) -> None:
    """End the visit of a payment whose customer has left the page without confirming it.

    Raises:
        OtherVisit: If it is not theirs.
        NotPaid: If nothing was confirmed.
    """
    async with reading() as session:
        is_theirs = await payer_queries.has_checkout(session, payment_id, key)
        payment = await find_row(session, StoredPayment, payment_id)
    if not is_theirs or payment is None:
        raise OtherVisit
    try:
        await charges.end_checkout(payment_id)
    except (stripe.Unavailable, stripe.Rejected):
        raise NotConfirmed from None
    async with reading() as session:
        state = (await get_row(session, StoredPayment, payment_id)).state
    if state == NEW:
        raise NotConfirmed
    if state in (CANCELLED, FAILED):
        raise NotPaid


async def complete_checkout(session_id: str) -> bool:
    """Store what a visit has brought, read anew: for the webhook. Return False for one not ours.

    Raises:
        Unavailable
    """
    return await _store_checkout(await stripe.read_session(session_id))


async def expire_checkout(setup_id: str) -> None:
    """End a visit from which no browser came back.

    Raises:
        Unavailable
    """
    async with reading() as session:
        setup = await session.get_one(CardSetup, setup_id)
        payment = await session.get(StoredPayment, setup_id)
    if payment:
        await charges.end_checkout(setup_id)
    elif setup.session_id and setup.done_at is None:
        await complete_checkout(setup.session_id)


async def _store_checkout(visit: stripe.CheckoutSession) -> bool:
    if visit.intent_id:
        return await charges.sync_payment(visit.intent_id)
    card = await stripe.read_card(visit.card_id) if visit.card_id else None
    async with transaction() as session:
        setup = await find_row(session, CardSetup, visit.setup_id, lock=True)
        if setup is None:
            return False
        payer = await cards.lock_payer(session, setup.payer_id)
        # A card that has no customer was removed meanwhile.
        if card and setup.done_at is None and card.customer_id == payer.provider_id:
            setup.done_at = now()
            await cards.keep_card(session, payer, card)
            await consequences.new_card(session, payer)
    return True


async def finish_booking_checkout(by: Actor | Guest, booking_id: object, visit: str) -> None:
    """Store what a visit that was begun for a booking has brought; a second time is the same.

    Raises:
        BookingGone: If the booking is not theirs.
        OtherVisit, NotAdded, NotConfirmed
    """
    row = await authorizations.find_own(by, booking_id)
    if row.payer_id:
        await finish_payer_checkout(row.payer_id, visit)
    else:
        await finish_checkout_for(row.person_id or "", visit)
