"""A payer's card: added at the provider's checkout, replaced, removed.

A checkout is begun, the browser is redirected there, and the checkout is finished when it comes
back, or by the provider's webhook: whichever is first.
"""

import hashlib
from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.providers import stripe
from fuel_app.billing.queries.invoices import payer_with_debt, row_by
from fuel_app.billing.queries.payers import lacking_cards
from fuel_app.billing.rules.payments import REMOVED, CardOnFile, ProviderDown
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import Checkout, Payer
from fuel_app.customers.service import account
from fuel_app.kit import audit, jobs
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import get_row, reading, transaction
from fuel_app.kit.money import Money
from fuel_app.kit.throttle import CARDS, throttle

DETACH = "billing.detach_card"
PLAN_NEEDS_IT = "Your plan is paid with this card. Please update it, or cancel the plan first."

NO_CARD = {"card_id": "", "card_brand": "", "card_last4": "", "card_month": 0, "card_year": 0}
NO_CARD |= {"card_fingerprint": "", "card_problem": ""}


async def lock_payer(session: AsyncSession, payer_id: str) -> Payer:
    """Lock a payer, and the customer before, as bookings do."""
    if person_id := (await get_row(session, Payer, payer_id)).person_id:
        await account.facts_of(session, [person_id], lock=True)
    return await get_row(session, Payer, payer_id, lock=True)


async def keep_card(session: AsyncSession, payer: Payer, card: stripe.Card) -> None:
    """Store a new card in place of the old one; `consequences.new_card` says what follows."""
    if payer.card_id not in ("", card.id):
        await detach_later(session, payer)
    _put_card(payer, card)
    payer.card_problem = ""
    await _note_event(session, payer, "card_added", payer.person_id or "", card_of(payer).name)


async def detach_later(session: AsyncSession, payer: Payer) -> None:
    """Detach a payer's card at the provider after the commit."""
    card_id = payer.card_id
    await jobs.enqueue(session, DETACH, {"card_id": card_id}, key=f"{DETACH}:{card_id}")


def _put_card(payer: Payer, card: stripe.Card) -> None:
    payer.card_id, payer.card_brand, payer.card_last4 = card.id, card.brand, card.last4
    payer.card_month, payer.card_year = card.month, card.year
    payer.card_fingerprint = card.fingerprint


async def clear_card(session: AsyncSession, payer: Payer, actor: str) -> None:
    former = card_of(payer).name
    payer.sqlmodel_update(NO_CARD)
    await _note_event(session, payer, "card_removed", actor, former)


async def _note_event(
    session: AsyncSession, payer: Payer, kind: str, actor: str, card: str
) -> None:
    """Let the customer's account and the audit log know of a change of the card."""
    if payer.person_id:
        await account.set_card(session, payer.person_id, has_card=payer.card_id != "")
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
        former = await row_by(session, Payer, card_id=card_id)
    if former is None:
        return True
    card = await stripe.read_card(card_id)
    async with transaction() as session:
        payer = await lock_payer(session, former.id)
        if payer.card_id != card_id:  # replaced meanwhile
            return True
        if card.customer_id:
            _put_card(payer, card)
        else:
            await clear_card(session, payer, str(SYSTEM))
            payer.card_problem = REMOVED
    return True


async def on_file(person_id: str) -> CardOnFile:
    """Return the card of a customer whom the caller may read."""
    return await _card_by_key(f"person:{person_id}")


async def on_file_with_debt(person_id: str) -> tuple[CardOnFile, Money]:
    """Return the card of a customer whom the caller may read, and what they owe: one statement."""
    async with reading() as session:
        payer, owed = await payer_with_debt(session, person_id)
    return card_of(payer) if payer else CardOnFile(), Money(owed)


async def on_guests_file(key: str) -> CardOnFile:
    """Return the card of a guest."""
    return await _card_by_key(f"guest:{key}") if key else CardOnFile()


async def _card_by_key(key: str) -> CardOnFile:
    async with reading() as session:
        payer = await row_by(session, Payer, key=key)
    return card_of(payer) if payer else CardOnFile()


async def guests_payer(key: str) -> str:
    """Return the id of a guest's payer who has a card; empty without one, or without a key."""
    if not key:
        return ""
    async with reading() as session:
        payer = await row_by(session, Payer, key=f"guest:{key}")
    return payer.id if payer and payer.card_id else ""


async def callers_payer(key: str) -> str:
    """Return the id of the payer of a guest whom staff book for, made without a card."""
    async with transaction() as session:
        return (await invoices.payer_of_guest(session, key)).id


async def lacking_card(payer_ids: Collection[str]) -> set[str]:
    """Return those of these payers who have no card."""
    if not payer_ids:
        return set()
    async with reading() as session:
        return await lacking_cards(session, payer_ids)


def card_of(payer: Payer) -> CardOnFile:
    """Return a stored payer's card as its rules know it."""
    return CardOnFile(
        brand=payer.card_brand,
        last4=payer.card_last4,
        month=payer.card_month,
        year=payer.card_year,
        problem=payer.card_problem,
    )


async def begin_checkout(person_id: str, back: str) -> str:
    """Begin to add a customer's card. Return the address of the provider's page.

    Args:
        back: The address of our page, to which the provider leads back as `{back}?card=<checkout>`.

    Raises:
        ProviderDown, TooManyRequests
        AccountGone: If the person is no customer.
    """
    await throttle().spend(CARDS, person_id)
    async with transaction() as session:
        customer = await account.facts(session, person_id)
        payer = await invoices.payer_of_person(session, person_id)
        setup = await payments.add_checkout(session, Checkout(payer_id=payer.id))
    return await _begin_checkout(payer, setup, customer.name, customer.email, back)


async def begin_guest_checkout(key: str, *, name: str, email: str, address: str, back: str) -> str:
    """Begin to add a guest's card. Return the address of the provider's page.

    The server made the `key` for the tab; the throttle counts by the network's `address`.
    """
    await throttle().spend(CARDS, address)
    async with transaction() as session:
        payer = await invoices.payer_of_guest(session, key)
        setup = await payments.add_checkout(session, Checkout(payer_id=payer.id))
    return await _begin_checkout(payer, setup, name, email, back)


async def begin_payer_checkout(
    payer_id: str,
    *,
    name: str,
    email: str,
    address: str,
    back: str,
    accepted_for: str | None = None,
) -> str:
    """Begin to add a card of a guest's payer, another one or the first. Return the page's address.

    The provider has the first card's name and e-mail already.

    Args:
        accepted_for: The booking whose guest accepts the terms by adding the card.
    """
    await throttle().spend(CARDS, address)
    async with transaction() as session:
        payer = await get_row(session, Payer, payer_id)
        setup = await payments.add_checkout(
            session, Checkout(payer_id=payer_id, accepted_for=accepted_for)
        )
    return await _begin_checkout(payer, setup, name, email, back)


async def _begin_checkout(payer: Payer, setup: Checkout, name: str, email: str, back: str) -> str:
    try:
        checkout = await stripe.begin_setup(
            setup.id,
            customer_id=payer.provider_id or await _provider_customer(payer, name, email),
            success_url=f"{back}?{routes.CARD_VISIT}={{CHECKOUT_SESSION_ID}}",
            cancel_url=back,
        )
    except (stripe.Unavailable, stripe.Rejected):
        raise ProviderDown from None
    await payments.checkout_begun(setup.id, checkout.id)
    return checkout.url


async def _provider_customer(payer: Payer, name: str, email: str) -> str:
    """Make the provider's customer of a payer, once. Return its id."""
    # The same key with other parameters would be refused.
    given = hashlib.sha256(f"{name}\n{email}".encode()).hexdigest()[:16]
    made = await stripe.create_customer(f"{payer.id}:{given}", name=name, email=email)
    async with transaction() as session:
        row = await get_row(session, Payer, payer.id, lock=True)
        row.provider_id = row.provider_id or made
        return row.provider_id
