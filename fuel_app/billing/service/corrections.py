"""Staff correct invoices: refunds, waivers, credit, charging now; each with a reason, logged.

What staff without the admin role give is limited for a customer and in all, in 24 hours. Refunds,
waivers, credit by hand and late fees waived with a fill all count.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.queries import payers as payer_queries
from fuel_app.billing.rules.corrections import (
    TO_CARD,
    WAIVED,
    Correction,
    Disputed,
    LimitReached,
    NothingLeft,
    Reason,
    RefundGone,
    check,
    is_taken,
    most_of,
)
from fuel_app.billing.rules.invoices import FILL, OPEN, InvoiceGone, Whose
from fuel_app.billing.service import fill_invoices, invoices, payments, renewals
from fuel_app.billing.tables import (
    CreditEntry,
    CreditNote,
    Payer,
    Refund,
    StoredInvoice,
    StoredPayment,
    WaivedFee,
)
from fuel_app.kit import audit, clock, figures
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import find_row, get_row, reading, transaction
from fuel_app.kit.figures import figure
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.limits import WITHIN, Room
from fuel_app.kit.money import Money

REFUND_LIMIT = figure(
    "refund_limit",
    "Given to a customer in 24 hours without an admin, at most",
    unit="cents",
    default=5000,
    least=0,
    most=100_000,
)
STAFF_LIMIT = figure(
    "staff_limit",
    "Given by one of the staff in 24 hours without an admin, at most",
    unit="cents",
    default=30_000,
    least=0,
    most=1_000_000,
)


async def locked_room(session: AsyncSession, actor: Actor, payer_id: str) -> Room | None:
    """Return what an actor may still give a payer; None for any amount.

    Both stay locked until the commit, so that what is given at once is counted one by one.
    """
    await get_row(session, Payer, payer_id, lock=True)
    if actor.may(Role.ADMIN):
        return None
    await directory.lock(session, actor.person_id)
    return await room_now(session, actor, payer_id)


async def room_now(session: AsyncSession, actor: Actor, payer_id: str) -> Room | None:
    """Return what an actor may give a payer now: what is less of both limits."""
    if actor.may(Role.ADMIN):
        return None
    since = clock.now() - WITHIN
    values = await figures.values(session)
    own = await payer_queries.given_by(session, str(actor), since)
    given = await payer_queries.given_to(session, payer_id, since)
    unlimited = await directory.unlimited(session, [each.actor for each in given])
    counted = [each for each in given if each.actor not in unlimited]
    return min(
        Room.of(REFUND_LIMIT, values[REFUND_LIMIT.name], counted, "for this customer"),
        Room.of(STAFF_LIMIT, values[STAFF_LIMIT.name], own, "for you to give"),
        key=lambda each: each.left,
    )


LOWERED = "The technician has corrected the gallons."


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
        InvalidForm: If it is more than what is left, or than the actor may give.
    """
    async with transaction() as session:
        invoice = await _lock_invoice(session, actor, invoice_id)
        await _correct(session, actor, invoice, way, form, key)


async def lower_fill(
    session: AsyncSession, actor: Actor, booking_id: str, amount: Money, key: str
) -> None:
    """Lower the open bill of a fill as its technician corrects it, in the caller's transaction.

    What is still due is waived, else it goes back to the card. The same key again does nothing.

    Raises:
        Refusal: As `correct` does.
    """
    invoice = await queries.by_key(session, f"{FILL}:{booking_id}")
    if invoice is None:
        raise InvoiceGone
    is_due = most_of(invoices.invoice_of(invoice), WAIVED) >= amount
    form = Correction.model_construct(None, amount=amount, reason=LOWERED)
    await _correct(session, actor, invoice, WAIVED if is_due else TO_CARD, form, key)


async def _correct(
    session: AsyncSession,
    actor: Actor,
    invoice: StoredInvoice,
    way: str,
    form: Correction,
    key: str,
) -> None:
    if await payer_queries.has_row(session, CreditNote.key, key):
        return
    if way != WAIVED:
        for payment in await queries.payments_of(session, invoice.id):
            locked = await get_row(session, StoredPayment, payment.id, lock=True)
            if is_taken(locked.dispute):
                raise Disputed
    most = most_of(invoices.invoice_of(invoice), way)
    check(form.amount, most, await locked_room(session, actor, invoice.payer_id))
    about = {"reason": form.reason, "actor": actor, "key": key}
    await payments.add_credit_note(session, invoice, form.amount, way, **about)
    kind = "invoice_waived" if way == WAIVED else "invoice_refunded"
    await _log_of(session, actor, kind, invoice, f"{form.amount}, {form.reason}")


async def give_credit(actor: Actor, person_id: object, form: Correction, key: str) -> None:
    """Add to a customer's credit balance. The same key again does nothing.

    Raises:
        NotAllowed
        InvalidForm: If it is more than the actor may give.
    """
    actor.require(Role.DISPATCHER)
    key = f"{payer_queries.GIVEN}{key}"
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, well_formed_id(person_id) or "", lock=True)
        if await payer_queries.has_row(session, CreditEntry.key, key):
            return
        check(form.amount, None, await locked_room(session, actor, payer.id))
        about = {"text": form.reason, "actor": actor, "key": key}
        await payments.add_credit(session, payer, form.amount, **about)
        await _log(session, actor, "credit_given", payer.id, f"{form.amount}, {form.reason}")


async def waive_late_fee(session: AsyncSession, actor: Actor, whose: Whose, amount: Money) -> None:
    """Note that a locked booking is left without its late fee, once, in the caller's transaction.

    Raises:
        LimitReached: If it is more than the actor may give.
    """
    if await session.get(WaivedFee, whose.booking_id):
        return
    payer = await fill_invoices.lock_payer_of(session, whose)
    left = await locked_room(session, actor, payer.id)
    if left and amount.cents > left.left:
        raise LimitReached(left.refusal)
    about = {"payer_id": payer.id, "amount_cents": amount.cents, "actor": str(actor)}
    session.add(WaivedFee(booking_id=whose.booking_id, **about))
    await session.flush()


async def room_for(actor: Actor, person_id: object) -> Room | None:
    """Return what an actor may still give a customer now; None for any amount.

    Raises:
        NotAllowed
    """
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        payer = await payer_queries.payer_of(session, well_formed_id(person_id) or "")
        return await room_now(session, actor, payer.id if payer else "")


async def charge_invoice(actor: Actor, invoice_id: object, form: Reason) -> None:
    """Charge what is due to the customer's card.

    Raises:
        NotAllowed, InvoiceGone
        NothingLeft: If nothing is due.
        PaymentDeclined: With the reason.
        PaymentPending: If the outcome is not known; a job goes on.
    """
    async with transaction() as session:
        invoice = await _lock_invoice(session, actor, invoice_id, OPEN)
        attempt = await payments.begin_payment_now(session, invoice)
        await _log_of(session, actor, "invoice_charged", invoice, form.reason)
    await payments.settle_now(invoice.id, attempt)


async def write_off_open(actor: Actor, invoice_id: object, form: Reason) -> None:
    """Mark an open invoice as uncollectible: it blocks booking no more. An unpaid plan ends.

    Raises:
        NotAllowed, InvoiceGone
        NothingLeft: If nothing is due.
    """
    actor.require(Role.ADMIN)
    async with transaction() as session:
        invoice = await _lock_invoice(session, actor, invoice_id, OPEN)
        await renewals.write_off_renewal(session, invoice, actor)
        await _log_of(session, actor, "invoice_written_off", invoice, form.reason)


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
        await _log(session, actor, "refund_retried", payment.payer_id, str(amount))


async def _lock_invoice(
    session: AsyncSession, actor: Actor, invoice_id: object, state: str = ""
) -> StoredInvoice:
    actor.require(Role.DISPATCHER)
    found = await find_row(session, StoredInvoice, well_formed_id(invoice_id), lock=True)
    if found is None:
        raise InvoiceGone
    if state and found.state != state:
        raise NothingLeft
    return found


async def _log_of(
    session: AsyncSession, actor: Actor, kind: str, invoice: StoredInvoice, what: str
) -> None:
    name = invoices.invoice_of(invoice).name
    await _log(session, actor, kind, invoice.payer_id, f"{name}, {what}")


async def _log(session: AsyncSession, actor: Actor, kind: str, payer_id: str, what: str) -> None:
    """Write to the customer's audit log; for a guest, to the payer's."""
    payer = await get_row(session, Payer, payer_id)
    change = Change(payer.person_id or payer.id, None, {"what": what})
    await audit.record(session, Action("person", kind, str(actor)), [change])
