"""Payments: a row first, then the call to Stripe, then its outcome with all consequences.

The row's id is the idempotency key. An outcome that is not known leaves the row 'new': the job
that made it asks again with the same key, a webhook reads the payment anew, and both store it here.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import Intent, Rejected
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.cards import REMOVED
from fuel_app.billing.rules.invoices import DRAFT, OPEN, PAID, VOID
from fuel_app.billing.rules.journal import RECEIVABLE, STRIPE
from fuel_app.billing.rules.payments import (
    AUTHORIZED,
    CANCELLED,
    FAILED,
    HOLD,
    HOSTED,
    NEW,
    NO_CARD,
    OPEN_STATES,
    SUCCEEDED,
    Payment,
)
from fuel_app.billing.service import invoicing, refunding
from fuel_app.billing.service.journal import post
from fuel_app.billing.tables import Payer, StoredInvoice, StoredPayment
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.rows import find_row, get_row
from fuel_app.kit.db.session import reading, tell, transaction
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import Message, Skip
from fuel_app.kit.signals import BOOKINGS, one
from fuel_app.plans.service import periods
from fuel_app.settings import settings

log = structlog.get_logger()

_KEY_KEPT = timedelta(hours=20)  # Stripe forgets idempotency keys after 24 hours
SETTLED = "It was paid or waived meanwhile."
_CARD_GONE = {"resource_missing", "payment_method_unexpected_state", "payment_method_invalid"}

Consequence = Callable[[AsyncSession, StoredInvoice, StoredPayment | None], Awaitable[None]]
# What follows for an invoice of a kind, in the transaction that stores the outcome.
ON_PAID: dict[str, Consequence] = {}  # without a payment where nothing was due (any more)
ON_DECLINED: dict[str, Consequence] = {}


async def paid(
    session: AsyncSession, invoice: StoredInvoice, payment: StoredPayment | None = None
) -> None:
    """Take the consequence of an invoice that was paid, waived or has nothing due."""
    await ON_PAID[invoice.kind](session, invoice, payment)


async def begin(session: AsyncSession, new: StoredPayment) -> StoredPayment:
    """Store a payment that `perform` will ask for; the same key returns the same one.

    The caller's transaction has to enqueue a job that performs it, should this process die.
    """
    if known := await queries.payment_by_key(session, new.key):
        return known
    session.add(new)
    await session.flush()
    return new


def new_payment(
    key: str,
    kind: str,
    payer: Payer,
    amount: Money,
    *,
    invoice: StoredInvoice | None = None,
    booking_id: str | None = None,
) -> StoredPayment:
    """Return the row of a payment by a payer's card, to be stored."""
    return StoredPayment(
        key=key,
        kind=kind,
        payer_id=payer.id,
        invoice_id=invoice.id if invoice else None,
        booking_id=booking_id,
        card_id=payer.card_id,
        card_brand=payer.card_brand,
        card_last4=payer.card_last4,
        amount_cents=amount.cents,
    )


async def perform(payment_id: str) -> Payment:
    """Ask Stripe for a new payment and store the outcome; one that has an outcome is returned.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    async with reading() as session:
        row = await get_row(session, StoredPayment, payment_id)
        payer = await get_row(session, Payer, row.payer_id)
    if row.state != NEW or row.kind == HOSTED:
        return payment_of(row)
    return await store(payment_id, await ask(row, payer))


async def ask(row: StoredPayment, payer: Payer) -> Intent:
    if not row.card_id:
        return _failed(row, NO_CARD)
    if row.provider_id:
        return await stripe.intent(row.provider_id)
    if clock.now() - row.created_at > _KEY_KEPT:
        found = await stripe.find_intent(payer.provider_id, row.id)
        if found:
            return found
    try:
        return await stripe.charge(
            row.id,
            customer_id=payer.provider_id,
            card_id=row.card_id,
            amount=Money(row.amount_cents),
            text=settings.brand_name,
            only_hold=row.kind == HOLD,
        )
    except Rejected as rejected:
        log.warning("payment.rejected", payment=row.id, code=rejected.code)
        return _failed(row, REMOVED if rejected.code in _CARD_GONE else rejected.code)


def _failed(row: StoredPayment, code: str) -> Intent:
    return Intent("", "failed", Money(0), row.id, code=code)


async def capture(payment_id: str, amount: Money, invoice_id: str) -> Payment:
    """Capture a hold for an invoice, as much of it as is due. The rest of it is released.

    A hold that has expired or was released meanwhile is cancelled here, too.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    async with transaction() as session:
        await find_row(session, StoredInvoice, invoice_id, lock=True)  # before what is to name it
        row = await get_row(session, StoredPayment, payment_id, lock=True)
        if row.state != AUTHORIZED or not row.provider_id:
            return payment_of(row)
        row.invoice_id = invoice_id
        provider_id, part = row.provider_id, min(amount, Money(row.amount_cents))
    try:
        intent = await stripe.capture(
            provider_id, amount=part, key=f"capture:{payment_id}:{part.cents}"
        )
    except Rejected as rejected:
        log.warning("payment.not_captured", payment=payment_id, code=rejected.code)
        intent = await stripe.intent(provider_id)
    return await store(payment_id, intent)


async def release(payment_id: str) -> Payment:
    """Release a hold; one that is captured or released stays as it is.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    async with reading() as session:
        row = await get_row(session, StoredPayment, payment_id)
    if row.state != AUTHORIZED or not row.provider_id:
        return payment_of(row)
    intent = await stripe.release(row.provider_id, key=f"release:{row.id}")
    return await store(payment_id, intent)


async def sync(intent_id: str) -> bool:
    """Read a payment of Stripe anew and store its outcome. Return whether it is one of ours."""
    try:
        intent = await stripe.intent(intent_id)
    except Rejected:
        return False
    async with reading() as session:
        row = await find_row(session, StoredPayment, intent.payment_id)
    if row is None:
        return False
    await store(row.id, intent)
    return True


async def store(payment_id: str, intent: Intent) -> Payment:
    """Store what Stripe says of a payment, with all consequences."""
    async with transaction() as session:
        row = await get_row(session, StoredPayment, payment_id)
        invoice = await find_row(session, StoredInvoice, row.invoice_id, lock=True)
        row = await get_row(session, StoredPayment, payment_id, lock=True)
        is_late = intent.status == "succeeded" and row.state != SUCCEEDED  # after we gave it up
        if row.state in OPEN_STATES or is_late:
            await become(session, row, intent, invoice)
        return payment_of(row)


async def become(
    session: AsyncSession, row: StoredPayment, intent: Intent, invoice: StoredInvoice | None
) -> None:
    """Store what has become of a locked payment. Only steps forwards are taken."""
    row.provider_id = intent.id or row.provider_id
    if intent.status == "succeeded":
        row.state, row.captured_cents = SUCCEEDED, intent.received.cents
        _name_card(row, intent)
    elif intent.status == "requires_capture" and row.state == NEW:
        row.state, row.capture_before = AUTHORIZED, intent.capture_before
        _name_card(row, intent)
        row.kind = HOLD  # one that was confirmed is as any other from here on
    elif intent.status == "canceled":
        row.state = CANCELLED
    elif intent.status == "failed" and row.kind != HOSTED:  # there the customer tries another card
        row.state, row.code = FAILED, intent.code
    else:
        await session.flush()
        return
    row.settled_at = clock.now()
    if row.booking_id:  # its open page shows it
        tell(session, one(BOOKINGS, row.booking_id))
    if row.state == SUCCEEDED:
        await _received(session, row, invoice)
        row.code = ""  # of one that was given up before
    elif invoice and row.kind != HOLD and invoice.kind in ON_DECLINED:
        await ON_DECLINED[invoice.kind](session, invoice, row)
    payer = await session.get_one(Payer, row.payer_id)
    if row.state != CANCELLED and payer.card_problem != row.code:
        same = update(Payer).where(col(Payer.id) == payer.id, col(Payer.card_id) == row.card_id)
        await session.execute(
            same.values(card_problem=row.code), execution_options={"synchronize_session": False}
        )


def _name_card(row: StoredPayment, intent: Intent) -> None:
    """Store the card that was used; on the provider's page it may be another."""
    if row.kind == HOSTED and intent.last4:
        row.card_brand, row.card_last4 = intent.brand[:20], intent.last4


async def _received(
    session: AsyncSession, row: StoredPayment, invoice: StoredInvoice | None
) -> None:
    """Put received money on its invoice; what is more than was due goes back."""
    amount = Money(row.captured_cents)
    invoice_id = invoice.id if invoice else None
    await post(session, f"payment:{row.id}", STRIPE, RECEIVABLE, amount, invoice_id=invoice_id)
    more = amount
    if invoice and invoice.state != VOID:
        if invoice.state == DRAFT:
            payer = await get_row(session, Payer, invoice.payer_id)
            # The plan that it starts, and the payer, before the counter: as renewals lock them.
            await periods.lock(session, [payer.person_id or ""])
            await get_row(session, Payer, payer.id, lock=True)
            await invoicing.open_invoice(session, invoice)
        was_paid = invoice.state == PAID
        more = await invoicing.receive(session, invoice, amount)
        if invoice.state == PAID and not was_paid:
            await paid(session, invoice, row)
    if more.cents:
        log.error("payment.more_than_due", payment=row.id, cents=more.cents)
        await refunding.begin(session, row, more)


def payment_of(row: StoredPayment) -> Payment:
    """Return a stored payment as its rules know it."""
    return Payment(
        id=row.id,
        kind=row.kind,
        state=row.state,
        amount=Money(row.amount_cents),
        captured=Money(row.captured_cents),
        refunded=Money(row.refunded_cents),
        code=row.code,
        created_at=row.created_at,
        dispute=row.dispute,
    )


@outbox.composer("payment_failed")
async def compose_failed(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Say that a payment has failed, unless it was settled since: at night the message waits."""
    payment = await find_row(session, StoredPayment, row.payload.get("payment"))
    invoice = await find_row(session, StoredInvoice, payment.invoice_id) if payment else None
    return Skip(SETTLED) if invoice and invoice.state != OPEN else {}
