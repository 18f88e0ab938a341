"""Staff correct invoices: refunds, waivers, credit, charging now; each with a reason, logged."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.queries.payers import GIVEN
from fuel_app.billing.rules.corrections import (
    TO_CARD,
    TO_CREDIT,
    WAIVED,
    Correction,
    Disputed,
    NothingLeft,
    Reason,
    RefundGone,
    check,
    is_taken,
)
from fuel_app.billing.rules.invoices import OPEN, InvoiceGone
from fuel_app.billing.rules.receipts import description_of
from fuel_app.billing.service import corrections, invoices, payments
from fuel_app.billing.tables import (
    CreditEntry,
    Payer,
    Refund,
    StoredInvoice,
    StoredPayment,
)
from fuel_app.bookings.service import notifications, road
from fuel_app.kit import outbox
from fuel_app.kit.db.session import find_row, get_row, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.limits import Room
from fuel_app.kit.money import Money
from fuel_app.messages import service as messages
from fuel_app.outcomes.service import charges, consequences, renewals


async def correct_invoice(
    actor: Actor, invoice_id: object, way: str, form: Correction, key: str
) -> None:
    """Give back a part of what was paid, or waive a part of what is due; or all of it.

    Args:
        key: Made by the server for each dialog: the same one again does nothing.

    Raises:
        NotAllowed, InvoiceGone
        Disputed: If the bank takes a payment back, or has.
        NothingLeft
        InvalidForm: If it is more than what is left, or than the actor may give (AboveLimit).
    """
    async with transaction() as session:
        invoice = await lock_invoice(session, actor, invoice_id)
        await correct_locked(session, actor, invoice, way, form, key)


async def correct_locked(
    session: AsyncSession,
    actor: Actor,
    invoice: StoredInvoice,
    way: str,
    form: Correction,
    key: str,
) -> None:
    """Correct a locked invoice, with what follows, in the caller's transaction."""
    is_settled = await corrections.apply_correction(session, actor, invoice, way, form, key)
    await _notify_corrected(session, invoice, way, form.amount, key)
    if is_settled:
        await consequences.follow(session, "paid", invoice)


_WHERE = {
    TO_CARD: "goes back to your card, within 5 to 10 days",
    TO_CREDIT: "is your credit, which pays first next time",
    WAIVED: "was taken off your bill",
}


async def _notify_corrected(
    session: AsyncSession, row: StoredInvoice, way: str, amount: Money, key: str
) -> None:
    """Tell the customer or guest once what they get back, or need not pay."""
    invoice = invoices.invoice_of(row, await queries.lines_of(session, row.id))
    says: dict[str, Any] = {
        "number": invoice.name,
        "what": description_of(invoice),
        "amount": str(amount),
        "where": _WHERE[way],
        "invoice": invoice.id,  # whose PDF comes along
    }
    bookings = await road.of_ids(session, [row.booking_id]) if row.booking_id else {}
    if booking := bookings.get(row.booking_id or ""):
        drafts = notifications.drafts_about(booking, "refunded", once=key, **says)
    else:
        payer = await get_row(session, Payer, row.payer_id)
        drafts = messages.drafts("refunded", payer.person_id, says, key=f"refunded:{key}")
    await outbox.add_all(session, drafts)


async def give_credit(actor: Actor, person_id: object, form: Correction, key: str) -> None:
    """Add to a customer's credit balance. The same key again does nothing.

    Raises:
        NotAllowed
        InvalidForm: If it is more than the actor may give (AboveLimit).
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, well_formed_id(person_id) or "", lock=True)
        await credit_locked(session, actor, payer, form, key)


async def credit_locked(
    session: AsyncSession, actor: Actor, payer: Payer, form: Correction, key: str
) -> None:
    """Add to the credit of a locked payer, once for a key, in the caller's transaction."""
    key = f"{GIVEN}{key}"
    if await queries.row_by(session, CreditEntry, key=key):
        return
    check(form.amount, None, await corrections.locked_room(session, actor, payer.id))
    about = {"text": form.reason, "actor": actor, "key": key}
    await payments.add_credit(session, payer, form.amount, **about)
    await corrections.log_correction(
        session, actor, "credit_given", payer.id, f"{form.amount}, {form.reason}"
    )


async def room_for(actor: Actor, person_id: object) -> Room | None:
    """Return what an actor may still give a customer now; None for any amount.

    Raises:
        NotAllowed
    """
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        payer = await queries.row_by(session, Payer, person_id=well_formed_id(person_id) or "")
        return await corrections.room_now(session, actor, payer.id if payer else "")


async def charge_invoice(actor: Actor, invoice_id: object, form: Reason) -> None:
    """Charge what is due to the customer's card.

    Raises:
        NotAllowed, InvoiceGone
        NothingLeft: If nothing is due.
        PaymentDeclined: With the reason.
        PaymentPending: If the outcome is not known; a job goes on.
    """
    async with transaction() as session:
        invoice = await lock_invoice(session, actor, invoice_id, OPEN)
        attempt = await payments.begin_payment_now(session, invoice)
        await corrections.log_invoice(session, actor, "invoice_charged", invoice, form.reason)
    await charges.settle_now(invoice.id, attempt)


async def write_off_open(actor: Actor, invoice_id: object, form: Reason) -> None:
    """Mark an open invoice as uncollectible: it blocks booking no more. An unpaid plan ends.

    Raises:
        NotAllowed, InvoiceGone
        NothingLeft: If nothing is due.
    """
    actor.require(Role.ADMIN)
    async with transaction() as session:
        invoice = await lock_invoice(session, actor, invoice_id, OPEN)
        await renewals.write_off_renewal(session, invoice, actor)
        await corrections.log_invoice(session, actor, "invoice_written_off", invoice, form.reason)


async def retry_refund(actor: Actor, refund_id: object) -> None:
    """Try a refund that has failed again, under a new key. Each one is tried again once.

    Raises:
        NotAllowed
        RefundGone: If it has not failed, or was tried again already.
        Disputed: If the bank takes the payment back, or has.
    """
    actor.require(Role.DISPATCHER)
    async with transaction() as session:
        row = await session.get(Refund, well_formed_id(refund_id) or "")
        if row is None:
            raise RefundGone
        payment = await get_row(session, StoredPayment, row.payment_id, lock=True)
        await session.refresh(row, with_for_update=True)
        if row.state != "failed":
            raise RefundGone
        if is_taken(payment.dispute):
            raise Disputed
        row.state, amount = "retried", Money(row.amount_cents)
        await payments.begin_refund(session, payment, amount, credit_note_id=row.credit_note_id)
        await corrections.log_correction(
            session, actor, "refund_retried", payment.payer_id, str(amount)
        )


async def lock_invoice(
    session: AsyncSession, actor: Actor, invoice_id: object, state: str = ""
) -> StoredInvoice:
    """Lock and return an invoice for staff. Raises NotAllowed, InvoiceGone, NothingLeft."""
    actor.require(Role.DISPATCHER)
    found = await find_row(session, StoredInvoice, well_formed_id(invoice_id), lock=True)
    if found is None:
        raise InvoiceGone
    if state and found.state != state:
        raise NothingLeft
    return found
