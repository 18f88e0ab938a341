"""Settling open invoices: capture the hold, then charge the rest."""

from collections.abc import Collection
from contextlib import suppress

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Session
from fuel_app.billing.providers import stripe
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.queries.accounts import payer_of
from fuel_app.billing.rules.corrections import WAIVED
from fuel_app.billing.rules.invoices import LEAST_CHARGE, OPEN, Invoice, InvoiceGone
from fuel_app.billing.rules.payments import (
    AUTHORIZED,
    CHARGE,
    FAILED,
    HOLD,
    HOSTED,
    Payment,
    PaymentDeclined,
    PaymentPending,
)
from fuel_app.billing.service import crediting, hosted, invoicing, payers, paying
from fuel_app.billing.service.paying import new_payment
from fuel_app.billing.tables import Payer, StoredInvoice, StoredPayment
from fuel_app.kit import jobs
from fuel_app.kit.db.rows import find_row, get_row
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.throttle import PAYMENTS, throttle

JOB = "billing.settle"


async def settle_later(session: AsyncSession, invoice_id: str, attempt: str) -> None:
    """Enqueue an attempt to settle an invoice; each attempt is made once."""
    payload = {"id": invoice_id, "attempt": attempt}
    await jobs.enqueue(session, JOB, payload, key=f"{JOB}:{invoice_id}:{attempt}")


async def settle(invoice_id: str, attempt: str) -> Payment | None:
    """Settle an open invoice: by the hold of its booking, else and for the rest by a charge.

    The same attempt charges once. Return the last payment; None where nothing is due.

    Raises:
        stripe.Unavailable: If the outcome is not known; the same attempt goes on.
    """
    last: Payment | None = None
    while True:
        async with transaction() as session:
            invoice = await find_row(session, StoredInvoice, invoice_id, lock=True)
            if invoice is None or invoice.state != OPEN:
                return last
            due = invoicing.due_of(invoice)
            holds = await queries.holds_of(session, invoice.booking_id or "")
            is_held = holds and due >= LEAST_CHARGE
            row = holds[0] if is_held else await _charge(session, invoice, due, attempt)
        if row is None:
            continue
        if row.kind == HOSTED:
            if not await hosted.end(row.id):  # the bank is still at it
                raise stripe.Unavailable(row.id)
            continue
        if row.kind != HOLD:
            return await paying.perform(row.id)
        last = await paying.capture(row.id, due, invoice_id)
        if last.state == AUTHORIZED:  # Stripe captures nothing of it just now
            raise stripe.Unavailable(last.id)


async def _charge(
    session: AsyncSession, invoice: StoredInvoice, due: Money, attempt: str
) -> StoredPayment | None:
    """Return the charge of an attempt; another one that is still under way is waited for.

    None where so little is due that it was waived.
    """
    under_way = await queries.new_payment(session, invoice.id)
    if under_way:
        return under_way
    if due < LEAST_CHARGE:
        about = {"reason": "Too little to charge", "actor": SYSTEM, "key": f"little:{invoice.id}"}
        await crediting.note(session, invoice, due, WAIVED, **about)
        return None
    payer = await get_row(session, Payer, invoice.payer_id)
    key = f"charge:{invoice.id}:{attempt}"
    return await paying.begin(session, new_payment(key, CHARGE, payer, due, invoice=invoice))


def by_card(payer: Payer) -> str:
    """Return the name of the attempt that a payer's card is given when it is new."""
    return f"card:{payer.card_id}"


async def settle_open(person_id: str) -> None:
    """Settle what a customer owes by a new card, as its jobs do, which go on if this ends early."""
    async with reading() as session:
        payer = await payer_of(session, person_id)
        if payer is None or not payer.card_id:
            return
        owed = await queries.open_invoices(session, payer.id)
    with suppress(stripe.Unavailable):  # the first timeout is enough for who waits
        for invoice in owed:
            await settle(invoice.id, by_card(payer))


async def pay_now(by: Session, invoice_id: object) -> None:
    """Charge one's own open invoice to the card.

    Raises:
        InvoiceGone: If it is not theirs.
        PaymentDeclined: With the reason.
        PaymentPending: If the outcome is not known; a job goes on.
    """
    known_id = well_formed_id(invoice_id) or ""
    await throttle().spend(PAYMENTS, by.person_id)
    async with transaction() as session:
        invoice = await find_row(session, StoredInvoice, known_id, lock=True)
        payer = await payers.of_person(session, by.person_id)
        if invoice is None or invoice.payer_id != payer.id:
            raise InvoiceGone
        attempt = await begin_now(session, invoice)
    await settle_now(known_id, attempt)


async def begin_now(session: AsyncSession, invoice: StoredInvoice) -> str:
    """Enqueue an attempt to settle a locked invoice, for `settle_now`. Return its name."""
    attempt = f"now{len(await queries.payments_of(session, invoice.id))}"
    await settle_later(session, invoice.id, attempt)
    return attempt


async def settle_now(invoice_id: str, attempt: str) -> None:
    """Settle an invoice while its customer waits.

    Raises:
        PaymentDeclined: With the reason.
        PaymentPending: If the outcome is not known; a job goes on.
    """
    try:
        payment = await settle(invoice_id, attempt)
    except stripe.Unavailable:
        raise PaymentPending from None
    if payment and payment.state == FAILED:
        raise PaymentDeclined(payment.code)


async def owed_by(person_ids: Collection[str] | None = None) -> dict[str, Money]:
    """Return what customers owe, by default all of them, where they owe anything, by person."""
    async with reading() as session:
        return await queries.debts(session, person_ids)


async def open_of(person_id: str) -> list[Invoice]:
    """Return a customer's unpaid invoices, the oldest first."""
    async with reading() as session:
        payer = await payer_of(session, person_id)
        rows = await queries.open_invoices(session, payer.id) if payer else []
        return await invoicing.invoices_with_lines(session, rows, person_id)
