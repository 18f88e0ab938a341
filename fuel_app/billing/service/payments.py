"""Payments: a row first, then the call to Stripe, then its outcome with all consequences.

The row's id is the idempotency key. An outcome that is not known leaves the row 'new': the job
`billing.reconcile` asks again. Also: refunds and credit notes, and payments that the customer
confirms on the provider's page. `outcomes/service/charges.py` calls Stripe and settles.
"""

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any, Literal

import structlog
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import Intent, RefundInfo, Rejected
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.corrections import TO_CARD, TO_CREDIT, WAIVED, most_of
from fuel_app.billing.rules.invoices import (
    CUSTOMER_CREDIT,
    DRAFT,
    OPEN,
    PAID,
    PROMOTIONS,
    RECEIVABLE,
    RETURNS,
    STRIPE,
    UNCOLLECTIBLE,
    VOID,
)
from fuel_app.billing.rules.payments import (
    AUTHORIZED,
    CANCELLED,
    FAILED,
    HOLD,
    HOSTED,
    NEW,
    NO_CARD,
    OPEN_STATES,
    REMOVED,
    SUCCEEDED,
    Payment,
    PaymentPending,
    ProviderDown,
    TooMuch,
)
from fuel_app.billing.service import invoices
from fuel_app.billing.service.invoices import post_entry
from fuel_app.billing.tables import (
    Checkout,
    CreditEntry,
    CreditNote,
    Payer,
    Refund,
    StoredInvoice,
    StoredPayment,
)
from fuel_app.kit import clock, jobs, outbox
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import find_row, get_row, publish, reading, transaction
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import Message, Skip
from fuel_app.kit.signals import BOOKINGS, one
from fuel_app.settings import settings

REFUND_JOB = "billing.refund"
# Of an invoice; `paid_late` by a payment that had been given up.
Outcome = Literal["paid", "paid_late", "declined", ""]


async def begin_refund(
    session: AsyncSession,
    payment: StoredPayment,
    amount: Money,
    *,
    credit_note_id: str | None = None,
) -> Refund:
    """Store a refund of a locked payment, and the job that performs it."""
    row = Refund(payment_id=payment.id, credit_note_id=credit_note_id, amount_cents=amount.cents)
    session.add(row)
    await session.flush()
    await jobs.enqueue(session, REFUND_JOB, {"id": row.id}, key=f"{REFUND_JOB}:{row.id}")
    return row


async def perform_refund(refund_id: str) -> None:
    """Ask Stripe for a refund and store the outcome.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    async with reading() as session:
        row = await session.get_one(Refund, refund_id)
        payment = await session.get_one(StoredPayment, row.payment_id)
    if row.state == NEW:
        try:
            info = await stripe.refund(
                row.id, intent_id=payment.provider_id or "", amount=Money(row.amount_cents)
            )
        except Rejected:
            info = RefundInfo("", FAILED, row.id)
        await _store_refund(info)


async def sync_refund(provider_id: str) -> bool:
    """Read a refund of Stripe anew and store its outcome. Return whether it is one of ours."""
    try:
        return await _store_refund(await stripe.read_refund(provider_id))
    except Rejected:
        return False


async def _store_refund(info: RefundInfo) -> bool:
    """Store an outcome. A refund that has succeeded may still fail later: the money comes back."""
    async with transaction() as session:
        known = await find_row(session, Refund, info.refund_id)
        if known is None:
            return False
        payment = await get_row(session, StoredPayment, known.payment_id, lock=True)
        row = await find_row(session, Refund, info.refund_id, lock=True) or known
        before, row.provider_id = row.state, info.id or row.provider_id
        is_new = before in {NEW, SUCCEEDED} - {info.status}
        if is_new and info.status in (SUCCEEDED, FAILED):
            row.state = info.status
            sign = 1 if info.status == SUCCEEDED else -1
            if sign == 1 or before == SUCCEEDED:
                cents = sign * row.amount_cents
                payment.refunded_cents += cents
                await post_entry(
                    session,
                    f"refund:{row.id}:{row.state}",
                    RECEIVABLE,
                    STRIPE,
                    Money(cents),
                    invoice_id=payment.invoice_id,
                )
        await session.flush()
    return True


log = structlog.get_logger()

_KEY_KEPT = timedelta(hours=20)  # Stripe forgets idempotency keys after 24 hours
SETTLED = "It was paid or waived meanwhile."
_CARD_GONE = {"resource_missing", "payment_method_unexpected_state", "payment_method_invalid"}


async def begin_payment(
    session: AsyncSession,
    key: str,
    kind: str,
    payer: Payer,
    amount: Money,
    *,
    invoice: StoredInvoice | None = None,
    booking_id: str | None = None,
) -> StoredPayment:
    """Store a payment that `ask_provider` will ask for; the same key returns the same one.

    The caller's transaction has to enqueue a job that performs it, should this process die. That of
    a hosted one is enqueued here: it ends the checkout for a browser that never comes back.
    """
    if stored := await queries.row_by(session, StoredPayment, key=key):
        return stored
    row = new_payment(key, kind, payer, amount, invoice=invoice, booking_id=booking_id)
    session.add(row)
    await session.flush()
    if kind == HOSTED:
        await add_checkout(session, Checkout(id=row.id, payer_id=payer.id))
    return row


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


async def ask_about(payment_id: str) -> tuple[Payment, Intent | None]:
    """Return a payment; with what Stripe says of it, where it was asked for by us and is new.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    async with reading() as session:
        row = await get_row(session, StoredPayment, payment_id)
        payer = await get_row(session, Payer, row.payer_id)
    is_open = row.state == NEW and row.kind != HOSTED
    return payment_of(row), await ask_provider(row, payer) if is_open else None


async def ask_provider(row: StoredPayment, payer: Payer) -> Intent:
    if not row.card_id:
        return _failed_intent(row, NO_CARD)
    if row.provider_id:
        return await stripe.read_intent(row.provider_id)
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
        return _failed_intent(row, REMOVED if rejected.code in _CARD_GONE else rejected.code)


def _failed_intent(row: StoredPayment, code: str) -> Intent:
    return Intent("", "failed", Money(0), row.id, code=code)


def may_become(row: StoredPayment, intent: Intent) -> bool:
    """Return whether a payment is still open, or was paid after we had given it up."""
    return row.state in OPEN_STATES or (intent.status == "succeeded" and row.state != SUCCEEDED)


async def apply_outcome(
    session: AsyncSession, row: StoredPayment, intent: Intent, invoice: StoredInvoice | None
) -> Outcome:
    """Store what has become of a locked payment. Only steps forwards are taken.

    Returns:
        What has become of its locked invoice, for `consequences` to follow.
    """
    outcome: Outcome = ""
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
        return outcome
    row.settled_at = clock.now()
    if row.booking_id:  # its open page shows it
        publish(session, one(BOOKINGS, row.booking_id))
    if row.state == SUCCEEDED:
        if await _receive_payment(session, row, invoice):
            outcome = "paid_late" if row.code else "paid"
        row.code = ""
    elif invoice and row.kind != HOLD:
        outcome = "declined"
    payer = await session.get_one(Payer, row.payer_id)
    if row.state != CANCELLED and payer.card_problem != row.code:
        statement = update(Payer).where(
            col(Payer.id) == payer.id, col(Payer.card_id) == row.card_id
        )
        await session.execute(
            statement.values(card_problem=row.code),
            execution_options={"synchronize_session": False},
        )
    return outcome


def _name_card(row: StoredPayment, intent: Intent) -> None:
    """Store the card that was used; on the provider's page it may be another."""
    if row.kind == HOSTED and intent.last4:
        row.card_brand, row.card_last4 = intent.brand[:20], intent.last4


async def _receive_payment(
    session: AsyncSession, row: StoredPayment, invoice: StoredInvoice | None
) -> bool:
    """Put received money on its invoice; what is more than was due goes back.

    Returns:
        Whether that has paid the invoice.
    """
    is_paid = False
    more = Money(row.captured_cents)
    invoice_id = invoice.id if invoice else None
    await post_entry(session, f"payment:{row.id}", STRIPE, RECEIVABLE, more, invoice_id=invoice_id)
    if invoice and invoice.state != VOID:
        if invoice.state == DRAFT:
            await get_row(session, Payer, invoice.payer_id, lock=True)  # before the counter
            await invoices.open_invoice(session, invoice)
        was_paid = invoice.state == PAID
        more = await invoices.receive_amount(session, invoice, more)
        is_paid = invoice.state == PAID and not was_paid
    if more.cents:
        log.error("payment.more_than_due", payment=row.id, cents=more.cents)
        await begin_refund(session, row, more)
    return is_paid


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


async def add_credit_note(
    session: AsyncSession,
    invoice: StoredInvoice,
    amount: Money,
    way: str,
    *,
    reason: str,
    actor: Actor,
    key: str,
) -> CreditNote:
    """Correct a locked invoice; the same key returns the same credit note.

    Args:
        way: `WAIVED`: off what is due. `TO_CARD`, `TO_CREDIT`: back, of what was paid.

    Raises:
        TooMuch: If that is more than is due, or than was paid and has not gone back.
    """
    if known := await queries.row_by(session, CreditNote, key=key):
        return known
    if not Money(0) < amount <= most_of(invoices.invoice_of(invoice), way):
        raise TooMuch
    row = CreditNote(
        key=key,
        number=await queries.next_number(session, "credit_note"),
        invoice_id=invoice.id,
        way=way,
        amount_cents=amount.cents,
        reason=reason,
        actor=str(actor),
    )
    session.add(row)
    await session.flush()
    account = CUSTOMER_CREDIT if way == TO_CREDIT else RECEIVABLE
    await post_entry(session, f"note:{row.id}", RETURNS, account, amount, invoice_id=invoice.id)
    if way == WAIVED:
        await _waive(session, invoice, amount)
    else:
        invoice.refunded_cents += amount.cents
        await session.flush()
        if way == TO_CARD:
            await _to_card(session, invoice, row)
        else:
            payer = await get_row(session, Payer, invoice.payer_id, lock=True)
            note = f"note:{row.id}"
            await invoices.change_credit(session, payer, note, amount.cents, reason, str(actor))
    return row


async def _waive(session: AsyncSession, invoice: StoredInvoice, amount: Money) -> None:
    if invoice.state == UNCOLLECTIBLE:
        key = f"waived:{invoice.id}:{invoice.waived_cents}"
        await post_entry(session, key, RECEIVABLE, invoices.BAD_DEBT, amount, invoice_id=invoice.id)
    invoice.waived_cents += amount.cents
    if not invoices.due_of(invoice).cents:
        invoice.state = PAID
    await session.flush()


async def _to_card(session: AsyncSession, invoice: StoredInvoice, row: CreditNote) -> None:
    """Return an amount to the cards that it came from, the last payment first."""
    left = Money(row.amount_cents)
    for payment in reversed(await queries.payments_of(session, invoice.id)):
        gone = await queries.refunded_cents(session, payment.id)
        part = min(left, Money(payment.captured_cents - gone))
        if part.cents > 0:
            await begin_refund(session, payment, part, credit_note_id=row.id)
            left -= part
    if left.cents:
        raise TooMuch


async def add_credit(
    session: AsyncSession, payer: Payer, amount: Money, *, text: str, actor: Actor, key: str
) -> None:
    """Give a locked payer credit; the same key again does nothing."""
    if await queries.row_by(session, CreditEntry, key=key):
        return
    await invoices.change_credit(session, payer, key, amount.cents, text, str(actor))
    await post_entry(session, f"credit:{key}", PROMOTIONS, CUSTOMER_CREDIT, amount)


END_CHECKOUT = "billing.end_visit"
_CHECKOUT_LASTS = timedelta(hours=1)


async def open_page(payment: StoredPayment, payer: Payer, back: str) -> str:
    """Open the provider's page for a hosted payment. Return the page's address.

    One without an invoice is only a hold. Where no page opens the payment is given up at once, so
    that it is not in the way of anything.

    Args:
        back: The address of our page. The provider leads back to `{back}?payment=<checkout>`,
            or `{back}?left=<payment>` where the customer leaves the page without confirming.

    Raises:
        PaymentPending: If the payment was ended meanwhile, as by another tab.
        ProviderDown
    """
    try:
        checkout = await stripe.begin_hosted(
            payment.id,
            customer_id=payer.provider_id,
            amount=Money(payment.amount_cents),
            text=settings.brand_name,
            success_url=f"{back}?{routes.PAYMENT_VISIT}={{CHECKOUT_SESSION_ID}}",
            cancel_url=f"{back}?{routes.LEFT_VISIT}={payment.id}",
            only_hold=payment.invoice_id is None,
        )
    except (stripe.Unavailable, stripe.Rejected):
        async with transaction() as session:  # no customer has the address, even if it was lost
            await cancel_unconfirmed(session, payment.id, "")
        raise ProviderDown from None
    try:
        if not await checkout_begun(payment.id, checkout.id):
            await stripe.expire_session(checkout.id)
            raise PaymentPending
    except (stripe.Unavailable, stripe.Rejected):
        raise ProviderDown from None
    return checkout.url


async def add_checkout(session: AsyncSession, checkout: Checkout) -> Checkout:
    """Store a checkout, and the job that ends it for a browser that never comes back."""
    session.add(checkout)
    later = now() + _CHECKOUT_LASTS
    await jobs.enqueue(
        session,
        END_CHECKOUT,
        {"id": checkout.id},
        key=f"{END_CHECKOUT}:{checkout.id}",
        run_at=later,
    )
    return checkout


async def close_page(payment_id: str) -> tuple[str, Intent | None]:
    """Expire the provider's page of a payment, where nothing can be confirmed any more.

    Returns:
        The page's id, empty if no browser has its address; and the payment, if it was confirmed.

    Raises:
        stripe.Unavailable
    """
    async with reading() as session:
        checkout = await session.get_one(Checkout, payment_id)
    if not checkout.session_id:
        return "", None
    await stripe.expire_session(checkout.session_id)
    page = await stripe.read_session(checkout.session_id)
    intent = await stripe.read_intent(page.intent_id) if page.is_complete else None
    return checkout.session_id, intent


async def cancel_unconfirmed(session: AsyncSession, payment_id: str, page_id: str) -> bool:
    """Cancel a payment whose page is closed, and void the draft that was to be paid there.

    Returns:
        False if another page was opened meanwhile.
    """
    row = await get_row(session, StoredPayment, payment_id)
    invoice = await find_row(session, StoredInvoice, row.invoice_id, lock=True)
    row = await get_row(session, StoredPayment, payment_id, lock=True)
    if ((await session.get_one(Checkout, payment_id)).session_id or "") != page_id:
        return False  # a browser has its address since
    if row.state != NEW:
        return True
    row.state, row.settled_at = CANCELLED, now()
    if invoice and invoice.state == DRAFT:
        await invoices.void_invoice(session, invoice)
    return True


async def checkout_begun(setup_id: str, session_id: str) -> bool:
    """Store the provider's id of a checkout. Return False if its payment has ended meanwhile."""
    async with transaction() as session:
        payment = await find_row(session, StoredPayment, setup_id, lock=True)
        statement = update(Checkout).where(col(Checkout.id) == setup_id)
        await session.execute(statement.values(session_id=session_id))
        return payment is None or payment.state == NEW


SETTLE_JOB = "billing.settle"


async def settle_later(session: AsyncSession, invoice_id: str, attempt: str) -> None:
    """Enqueue an attempt to settle an invoice; each attempt is made once."""
    payload = {"id": invoice_id, "attempt": attempt}
    await jobs.enqueue(session, SETTLE_JOB, payload, key=f"{SETTLE_JOB}:{invoice_id}:{attempt}")


def by_card(payer: Payer) -> str:
    """Return the name of the attempt that a payer's card is given when it is new."""
    return f"card:{payer.card_id}"


async def begin_payment_now(session: AsyncSession, invoice: StoredInvoice) -> str:
    """Enqueue an attempt to settle a locked invoice, for `settle_now`. Return its name."""
    attempt = f"now{len(await queries.payments_of(session, invoice.id))}"
    await settle_later(session, invoice.id, attempt)
    return attempt


async def owed_by(person_ids: Collection[str] | None = None) -> dict[str, Money]:
    """Return what customers owe, by default all of them, where they owe anything, by person."""
    async with reading() as session:
        return await queries.debts(session, person_ids)
