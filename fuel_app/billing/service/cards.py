"""A payer's card: added at the provider's checkout, replaced, removed.

A checkout is begun, the browser is redirected there, and the checkout is finished when it comes
back, or by the provider's webhook: whichever is first.
"""

import hashlib
from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.accounts.rules import SYSTEM, Session
from fuel_app.billing.providers import stripe
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.queries import payers as payer_queries
from fuel_app.billing.rules.invoices import Debt
from fuel_app.billing.rules.payments import (
    CANCELLED,
    FAILED,
    NEW,
    REMOVED,
    CardNeeded,
    CardOnFile,
    NotAdded,
    NotConfirmed,
    NotPaid,
    OtherVisit,
    ProviderDown,
    under_way,
)
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import CardSetup, Payer, StoredPayment
from fuel_app.customers.service import facts
from fuel_app.kit import audit, jobs
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import find_row, get_row, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.throttle import CARDS, throttle
from fuel_app.plans.rules.plans import ACTIVE, PAST_DUE
from fuel_app.plans.service import subscriptions

DETACH = "billing.detach_card"
PLAN_NEEDS_IT = "Your plan is paid with this card. Please update it, or cancel the plan first."

NO_CARD = {"card_id": "", "card_brand": "", "card_last4": "", "card_month": 0, "card_year": 0}
NO_CARD |= {"card_fingerprint": "", "card_problem": ""}

# What follows a new card, in its transaction: jobs that try again what the former one held up.
ON_NEW_CARD: list[Callable[[AsyncSession, Payer], Awaitable[None]]] = []
# Checks of a person that raise CardNeeded while something depends on the card.
BEFORE_REMOVAL: list[Callable[[AsyncSession, str], Awaitable[None]]] = []


async def lock_payer(session: AsyncSession, payer_id: str) -> Payer:
    """Lock a payer, and the customer before, as bookings do."""
    if person_id := (await get_row(session, Payer, payer_id)).person_id:
        await facts.facts_of(session, [person_id], lock=True)
    return await get_row(session, Payer, payer_id, lock=True)


async def keep_card(session: AsyncSession, payer: Payer, card: stripe.Card) -> None:
    """Store a new card in place of the old one, and try again what that one held up."""
    if payer.card_id not in ("", card.id):
        await detach_later(session, payer)
    _put_card(payer, card)
    payer.card_problem = ""
    await _note_event(session, payer, "card_added", payer.person_id or "", card_of(payer).name)
    await retry_debts(session, payer)


async def retry_debts(session: AsyncSession, payer: Payer) -> None:
    """Settle by a new card what is unpaid, and do what else the former one held up."""
    for invoice in await queries.open_invoices(session, payer.id):
        await payments.settle_later(session, invoice.id, payments.by_card(payer))
    for each in ON_NEW_CARD:
        await each(session, payer)


async def detach_later(session: AsyncSession, payer: Payer) -> None:
    """Detach a payer's card at the provider after the commit."""
    card_id = payer.card_id
    await jobs.enqueue(session, DETACH, {"card_id": card_id}, key=f"{DETACH}:{card_id}")


def _put_card(payer: Payer, card: stripe.Card) -> None:
    payer.card_id, payer.card_brand, payer.card_last4 = card.id, card.brand, card.last4
    payer.card_month, payer.card_year = card.month, card.year
    payer.card_fingerprint = card.fingerprint


async def _clear_card(session: AsyncSession, payer: Payer, actor: str) -> None:
    was = card_of(payer).name
    payer.sqlmodel_update(NO_CARD)
    await _note_event(session, payer, "card_removed", actor, was)


async def _note_event(
    session: AsyncSession, payer: Payer, kind: str, actor: str, card: str
) -> None:
    """Let the customer's account and the audit log know of a change of the card."""
    if payer.person_id is None:
        return
    await facts.set_card(session, payer.person_id, has_card=payer.card_id != "")
    change = Change(payer.person_id, None, {"what": card})
    await audit.record(session, Action("person", kind, actor), [change])


async def reread_card(card_id: str) -> bool:
    """Read a card anew, after it was detached or updated. One of no payer is left alone.

    Returns:
        True: there is nothing to match.

    Raises:
        Unavailable
    """
    async with reading() as session:
        known = await payer_queries.payer_with_card(session, card_id)
    if known is None:
        return True
    card = await stripe.read_card(card_id)
    async with transaction() as session:
        payer = await lock_payer(session, known)
        if payer.card_id != card_id:  # replaced meanwhile
            return True
        if card.customer_id:
            _put_card(payer, card)
        else:
            await _clear_card(session, payer, str(SYSTEM))
            payer.card_problem = REMOVED
    return True


async def remove_card(by: Session) -> None:
    """Remove a customer's card; pressed twice, it is removed once.

    Raises:
        CardNeeded, Debt: While something depends on it.
        PaymentPending: While it pays for the start of a plan.
    """
    async with transaction() as session:
        known = await facts.facts(session, by.person_id, lock=True)
        payer = await invoices.payer_of_person(session, by.person_id, lock=True)
        plan = await subscriptions.subscription_of(session, by.person_id)
        if not known.has_card:
            return
        if plan and plan.state in (ACTIVE, PAST_DUE):
            raise CardNeeded(PLAN_NEEDS_IT)
        if paying := await payer_queries.charge_under_way(session, by.person_id):
            raise under_way(paying[1].kind)
        if await queries.debts(session, [by.person_id]):
            raise Debt
        for check in BEFORE_REMOVAL:
            await check(session, by.person_id)
        await detach_later(session, payer)
        await _clear_card(session, payer, str(by.actor))


async def on_file(by: Session) -> CardOnFile:
    """Return a customer's card."""
    return await on_file_of(by.person_id)


async def on_file_of(person_id: str) -> CardOnFile:
    """Return the card of a customer whom the caller may read."""
    return await _read_card(f"person:{person_id}")


async def on_guests_file(key: str) -> CardOnFile:
    """Return the card of a guest."""
    return await _read_card(f"guest:{key}")


async def _read_card(key: str) -> CardOnFile:
    async with reading() as session:
        payer = await payer_queries.payer_by_key(session, key)
    return card_of(payer) if payer else CardOnFile()


async def guests_payer(key: str) -> str:
    """Return the id of a guest's payer who has a card; empty without one."""
    async with reading() as session:
        payer = await payer_queries.payer_by_key(session, f"guest:{key}")
    return payer.id if payer and payer.card_id else ""


def card_of(payer: Payer) -> CardOnFile:
    """Return a stored payer's card as its rules know it."""
    expires = payer.card_month, payer.card_year
    return CardOnFile(payer.card_brand, payer.card_last4, *expires, payer.card_problem)


async def begin_checkout(by: Session, back: str) -> str:
    """Begin to add a customer's card. Return the address of the provider's page.

    Args:
        back: The address of our page, to which the provider leads back as `{back}?card=<visit>`.

    Raises:
        ProviderDown, TooManyRequests
        AccountGone: If the person is no customer.
    """
    return await begin_checkout_for(by.person_id, back)


async def begin_checkout_for(person_id: str, back: str) -> str:
    """Begin to add a card of a customer, as `begin` says."""
    await throttle().spend(CARDS, person_id)
    async with transaction() as session:
        known = await facts.facts(session, person_id)
        payer = await invoices.payer_of_person(session, person_id)
        setup = await payments.add_checkout(session, CardSetup(payer_id=payer.id))
    return await _begin_checkout(payer, setup, known.name, known.email, back)


async def begin_guest_checkout(key: str, *, name: str, email: str, address: str, back: str) -> str:
    """Begin to add a guest's card. Return the address of the provider's page.

    The server made the `key` for the tab; the throttle counts by the network's `address`.
    """
    await throttle().spend(CARDS, address)
    async with transaction() as session:
        payer = await invoices.payer_of_guest(session, key)
        setup = await payments.add_checkout(session, CardSetup(payer_id=payer.id))
    return await _begin_checkout(payer, setup, name, email, back)


async def begin_payer_checkout(payer_id: str, *, address: str, back: str) -> str:
    """Begin to add another card of a guest who has one. Return the address of the page."""
    await throttle().spend(CARDS, address)
    async with transaction() as session:
        payer = await get_row(session, Payer, payer_id)
        setup = await payments.add_checkout(session, CardSetup(payer_id=payer_id))
    return await _begin_checkout(payer, setup, "", "", back)


async def _begin_checkout(payer: Payer, setup: CardSetup, name: str, email: str, back: str) -> str:
    try:
        visit = await stripe.begin_setup(
            setup.id,
            customer_id=payer.provider_id or await _provider_customer(payer, name, email),
            success_url=f"{back}?{routes.CARD_VISIT}={{CHECKOUT_SESSION_ID}}",
            cancel_url=back,
        )
    except (stripe.Unavailable, stripe.Rejected):
        raise ProviderDown from None
    await payments.checkout_begun(setup.id, visit.id)
    return visit.url


async def _provider_customer(payer: Payer, name: str, email: str) -> str:
    """Make the provider's customer of a payer, once. Return its id."""
    # The same key with other parameters would be refused.
    given = hashlib.sha256(f"{name}\n{email}".encode()).hexdigest()[:16]
    made = await stripe.create_customer(f"{payer.id}:{given}", name=name, email=email)
    async with transaction() as session:
        row = await get_row(session, Payer, payer.id, lock=True)
        row.provider_id = row.provider_id or made
        return row.provider_id


async def finish_checkout(by: Session, session_id: str) -> None:
    """Store the card, or the payment, of a customer who comes back; a second time is the same.

    What is unpaid is charged to a new card at once: the customer sees what has come of it.

    Raises:
        OtherVisit, NotAdded, NotConfirmed
    """
    await finish_checkout_for(by.person_id, session_id)


async def finish_checkout_for(person_id: str, session_id: str) -> None:
    """Finish a visit of a customer, as `finish` says."""
    await _finish_checkout(f"person:{person_id}", session_id)
    await payments.settle_open(person_id)


async def finish_guest_checkout(key: str, session_id: str) -> None:
    """Store the card of a guest who comes back; `finish` says the rest."""
    await _finish_checkout(f"guest:{key}", session_id)


async def finish_payer_checkout(payer_id: str, session_id: str) -> None:
    """Finish a visit that `begin_again` began."""
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
        await payments.end_checkout(payment_id)
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
        await payments.end_checkout(setup_id)
    elif setup.session_id and setup.done_at is None:
        await complete_checkout(setup.session_id)


async def _store_checkout(visit: stripe.CheckoutSession) -> bool:
    if visit.intent_id:
        return await payments.sync_payment(visit.intent_id)
    card = await stripe.read_card(visit.card_id) if visit.card_id else None
    async with transaction() as session:
        setup = await find_row(session, CardSetup, visit.setup_id, lock=True)
        if setup is None:
            return False
        payer = await lock_payer(session, setup.payer_id)
        # A card that has no customer was removed meanwhile.
        if card and setup.done_at is None and card.customer_id == payer.provider_id:
            setup.done_at = now()
            await keep_card(session, payer, card)
    return True
