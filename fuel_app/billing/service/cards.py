"""A payer's card: kept, replaced, removed."""

from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Session
from fuel_app.billing.providers import stripe
from fuel_app.billing.queries import cards as queries
from fuel_app.billing.queries import invoices, plans
from fuel_app.billing.rules.cards import REMOVED, CardNeeded, CardOnFile
from fuel_app.billing.rules.invoices import Debt
from fuel_app.billing.rules.payments import under_way
from fuel_app.billing.service import payers, settling
from fuel_app.billing.tables import Payer
from fuel_app.customers.service import facts
from fuel_app.kit import audit, jobs
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.rows import get_row
from fuel_app.kit.db.session import reading, transaction
from fuel_app.plans.rules.subscriptions import ACTIVE, PAST_DUE
from fuel_app.plans.service import subscriptions

DETACH = "billing.detach_card"
PLAN_NEEDS_IT = "Your plan is paid with this card. Please update it, or cancel the plan first."

NO_CARD = {"card_id": "", "card_brand": "", "card_last4": "", "card_month": 0, "card_year": 0}
NO_CARD |= {"card_fingerprint": "", "card_problem": ""}

# What follows a new card, in its transaction: jobs that try again what the former one held up.
ON_NEW_CARD: list[Callable[[AsyncSession, Payer], Awaitable[None]]] = []
# Checks of a person that raise CardNeeded while something depends on the card.
BEFORE_REMOVAL: list[Callable[[AsyncSession, str], Awaitable[None]]] = []


async def locked(session: AsyncSession, payer_id: str) -> Payer:
    """Lock a payer, and the customer before, as bookings do."""
    if person_id := (await get_row(session, Payer, payer_id)).person_id:
        await facts.facts_of(session, [person_id], lock=True)
    return await get_row(session, Payer, payer_id, lock=True)


async def keep(session: AsyncSession, payer: Payer, card: stripe.Card) -> None:
    """Store a new card in place of the old one, and try again what that one held up."""
    if payer.card_id not in ("", card.id):
        await detach_later(session, payer)
    _put(payer, card)
    payer.card_problem = ""
    await _note(session, payer, "card_added", payer.person_id or "", card_of(payer).name)
    await try_again(session, payer)


async def try_again(session: AsyncSession, payer: Payer) -> None:
    """Settle by a new card what is unpaid, and do what else the former one held up."""
    for invoice in await invoices.open_invoices(session, payer.id):
        await settling.settle_later(session, invoice.id, settling.by_card(payer))
    for each in ON_NEW_CARD:
        await each(session, payer)


async def detach_later(session: AsyncSession, payer: Payer) -> None:
    """Detach a payer's card at the provider after the commit."""
    card_id = payer.card_id
    await jobs.enqueue(session, DETACH, {"card_id": card_id}, key=f"{DETACH}:{card_id}")


def _put(payer: Payer, card: stripe.Card) -> None:
    payer.card_id, payer.card_brand, payer.card_last4 = card.id, card.brand, card.last4
    payer.card_month, payer.card_year = card.month, card.year
    payer.card_fingerprint = card.fingerprint


async def _clear(session: AsyncSession, payer: Payer, actor: str) -> None:
    was = card_of(payer).name
    payer.sqlmodel_update(NO_CARD)
    await _note(session, payer, "card_removed", actor, was)


async def _note(session: AsyncSession, payer: Payer, kind: str, actor: str, card: str) -> None:
    """Let the customer's account and the audit log know of a change of the card."""
    if payer.person_id is None:
        return
    await facts.set_card(session, payer.person_id, has_card=payer.card_id != "")
    change = Change(payer.person_id, None, {"what": card})
    await audit.record(session, Action("person", kind, actor), [change])


async def reread(card_id: str) -> bool:
    """Read a card anew, after it was detached or updated. One of no payer is left alone.

    Returns:
        True: there is nothing to match.

    Raises:
        Unavailable
    """
    async with reading() as session:
        known = await queries.with_card(session, card_id)
    if known is None:
        return True
    card = await stripe.card(card_id)
    async with transaction() as session:
        payer = await locked(session, known)
        if payer.card_id != card_id:  # replaced meanwhile
            return True
        if card.customer_id:
            _put(payer, card)
        else:
            await _clear(session, payer, str(SYSTEM))
            payer.card_problem = REMOVED
    return True


async def remove(by: Session) -> None:
    """Remove a customer's card; pressed twice, it is removed once.

    Raises:
        CardNeeded, Debt: While something depends on it.
        PaymentPending: While it pays for the start of a plan.
    """
    async with transaction() as session:
        known = await facts.facts(session, by.person_id, lock=True)
        payer = await payers.of_person(session, by.person_id, lock=True)
        plan = await subscriptions.of(session, by.person_id)
        if not known.has_card:
            return
        if plan and plan.state in (ACTIVE, PAST_DUE):
            raise CardNeeded(PLAN_NEEDS_IT)
        if paying := await plans.under_way(session, by.person_id):
            raise under_way(paying[1].kind)
        if await invoices.debts(session, [by.person_id]):
            raise Debt
        for check in BEFORE_REMOVAL:
            await check(session, by.person_id)
        await detach_later(session, payer)
        await _clear(session, payer, str(by.actor))


async def on_file(by: Session) -> CardOnFile:
    """Return a customer's card."""
    return await on_file_of(by.person_id)


async def on_file_of(person_id: str) -> CardOnFile:
    """Return the card of a customer whom the caller may read."""
    return await _read(f"person:{person_id}")


async def on_guests_file(key: str) -> CardOnFile:
    """Return the card of a guest."""
    return await _read(f"guest:{key}")


async def _read(key: str) -> CardOnFile:
    async with reading() as session:
        payer = await queries.payer(session, key)
    return card_of(payer) if payer else CardOnFile()


async def guests_payer(key: str) -> str:
    """Return the id of a guest's payer who has a card; empty without one."""
    async with reading() as session:
        payer = await queries.payer(session, f"guest:{key}")
    return payer.id if payer and payer.card_id else ""


def card_of(payer: Payer) -> CardOnFile:
    """Return a stored payer's card as its rules know it."""
    expires = payer.card_month, payer.card_year
    return CardOnFile(payer.card_brand, payer.card_last4, *expires, payer.card_problem)
