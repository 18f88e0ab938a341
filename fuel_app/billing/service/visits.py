"""Visits to the provider's page, where a card is added or a payment is confirmed.

A visit is begun, the browser is redirected there, and the visit is finished when it comes back, or
by the webhook when it does not.
"""

import hashlib

from fuel_app import routes
from fuel_app.accounts.rules import Session
from fuel_app.billing.providers import stripe
from fuel_app.billing.queries import cards as queries
from fuel_app.billing.rules.cards import (
    NotAdded,
    NotConfirmed,
    NotPaid,
    OtherVisit,
    ProviderDown,
)
from fuel_app.billing.rules.payments import CANCELLED, FAILED, NEW
from fuel_app.billing.service import cards, hosted, payers, paying, settling
from fuel_app.billing.tables import CardSetup, Payer, StoredPayment
from fuel_app.customers.service import facts
from fuel_app.kit.clock import now
from fuel_app.kit.db.rows import find_row, get_row
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.throttle import CARDS, throttle


async def begin(by: Session, back: str) -> str:
    """Begin to add a customer's card. Return the address of the provider's page.

    Args:
        back: The address of our page, to which the provider leads back as `{back}?card=<visit>`.

    Raises:
        ProviderDown, TooManyRequests
        AccountGone: If the person is no customer.
    """
    return await begin_for(by.person_id, back)


async def begin_for(person_id: str, back: str) -> str:
    """Begin to add a card of a customer, as `begin` says."""
    await throttle().spend(CARDS, person_id)
    async with transaction() as session:
        known = await facts.facts(session, person_id)
        payer = await payers.of_person(session, person_id)
        setup = await hosted.add_visit(session, CardSetup(payer_id=payer.id))
    return await _begin(payer, setup, known.name, known.email, back)


async def begin_guest(key: str, *, name: str, email: str, address: str, back: str) -> str:
    """Begin to add a guest's card. Return the address of the provider's page.

    The server made the `key` for the tab; the throttle counts by the network's `address`.
    """
    await throttle().spend(CARDS, address)
    async with transaction() as session:
        payer = await payers.of_guest(session, key)
        setup = await hosted.add_visit(session, CardSetup(payer_id=payer.id))
    return await _begin(payer, setup, name, email, back)


async def begin_again(payer_id: str, *, address: str, back: str) -> str:
    """Begin to add another card of a guest who has one. Return the address of the page."""
    await throttle().spend(CARDS, address)
    async with transaction() as session:
        payer = await get_row(session, Payer, payer_id)
        setup = await hosted.add_visit(session, CardSetup(payer_id=payer_id))
    return await _begin(payer, setup, "", "", back)


async def _begin(payer: Payer, setup: CardSetup, name: str, email: str, back: str) -> str:
    try:
        visit = await stripe.begin_setup(
            setup.id,
            customer_id=payer.provider_id or await _customer(payer, name, email),
            success_url=f"{back}?{routes.CARD_VISIT}={{CHECKOUT_SESSION_ID}}",
            cancel_url=back,
        )
    except (stripe.Unavailable, stripe.Rejected):
        raise ProviderDown from None
    await hosted.begun(setup.id, visit.id)
    return visit.url


async def _customer(payer: Payer, name: str, email: str) -> str:
    """Make the provider's customer of a payer, once. Return its id."""
    # The same key with other parameters would be refused.
    given = hashlib.sha256(f"{name}\n{email}".encode()).hexdigest()[:16]
    made = await stripe.create_customer(f"{payer.id}:{given}", name=name, email=email)
    async with transaction() as session:
        row = await get_row(session, Payer, payer.id, lock=True)
        row.provider_id = row.provider_id or made
        return row.provider_id


async def finish(by: Session, session_id: str) -> None:
    """Store the card, or the payment, of a customer who comes back; a second time is the same.

    What is unpaid is charged to a new card at once: the customer sees what has come of it.

    Raises:
        OtherVisit, NotAdded, NotConfirmed
    """
    await finish_for(by.person_id, session_id)


async def finish_for(person_id: str, session_id: str) -> None:
    """Finish a visit of a customer, as `finish` says."""
    await _finish(f"person:{person_id}", session_id)
    await settling.settle_open(person_id)


async def finish_guest(key: str, session_id: str) -> None:
    """Store the card of a guest who comes back; `finish` says the rest."""
    await _finish(f"guest:{key}", session_id)


async def finish_again(payer_id: str, session_id: str) -> None:
    """Finish a visit that `begin_again` began."""
    async with reading() as session:
        payer = await get_row(session, Payer, payer_id)
    await _finish(payer.key, session_id)


async def _finish(key: str, session_id: str) -> None:
    if payment_id := well_formed_id(session_id):
        await _leave(key, payment_id)
        return
    if not session_id.isidentifier():  # the provider's ids are letters, digits and underscores
        raise OtherVisit
    async with reading() as session:
        is_theirs = await queries.is_visit_of(session, session_id, key)
        is_payment = is_theirs and await queries.is_payment(session, session_id)
    if not is_theirs:
        raise OtherVisit
    try:
        visit = await stripe.checkout_session(session_id)
        if visit.is_complete:
            await _store(visit)
    except (stripe.Unavailable, stripe.Rejected):
        raise NotConfirmed from None
    if not visit.is_complete:
        raise NotPaid if is_payment else NotAdded


async def _leave(key: str, payment_id: str) -> None:
    """End the visit of a payment whose customer has left the page without confirming it.

    Raises:
        OtherVisit: If it is not theirs.
        NotPaid: If nothing was confirmed.
    """
    async with reading() as session:
        is_theirs = await queries.has_visit(session, payment_id, key)
        payment = await find_row(session, StoredPayment, payment_id)
    if not is_theirs or payment is None:
        raise OtherVisit
    try:
        await hosted.end(payment_id)
    except (stripe.Unavailable, stripe.Rejected):
        raise NotConfirmed from None
    async with reading() as session:
        state = (await get_row(session, StoredPayment, payment_id)).state
    if state == NEW:
        raise NotConfirmed
    if state in (CANCELLED, FAILED):
        raise NotPaid


async def complete(session_id: str) -> bool:
    """Store what a visit has brought, read anew: for the webhook. Return False for one not ours.

    Raises:
        Unavailable
    """
    return await _store(await stripe.checkout_session(session_id))


async def end(setup_id: str) -> None:
    """End a visit from which no browser came back.

    Raises:
        Unavailable
    """
    async with reading() as session:
        setup = await session.get_one(CardSetup, setup_id)
        payment = await session.get(StoredPayment, setup_id)
    if payment:
        await hosted.end(setup_id)
    elif setup.session_id and setup.done_at is None:
        await complete(setup.session_id)


async def _store(visit: stripe.CheckoutSession) -> bool:
    if visit.intent_id:
        return await paying.sync(visit.intent_id)
    card = await stripe.card(visit.card_id) if visit.card_id else None
    async with transaction() as session:
        setup = await find_row(session, CardSetup, visit.setup_id, lock=True)
        if setup is None:
            return False
        payer = await cards.locked(session, setup.payer_id)
        # A card that has no customer was removed meanwhile.
        if card and setup.done_at is None and card.customer_id == payer.provider_id:
            setup.done_at = now()
            await cards.keep(session, payer, card)
    return True
