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
    check,
    is_taken,
    most_of,
)
from fuel_app.billing.rules.invoices import OPEN, PAID, InvoiceGone, Whose
from fuel_app.billing.service import fill_invoices, invoices, payments
from fuel_app.billing.tables import (
    CreditNote,
    Payer,
    StoredInvoice,
    StoredPayment,
    WaivedFee,
)
from fuel_app.kit import audit, clock, policies
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import get_row
from fuel_app.kit.limits import WITHIN, Room
from fuel_app.kit.money import Money
from fuel_app.kit.policies import policy

REFUND_LIMIT = policy(
    "refund_limit",
    "Given to a customer in 24 hours without an admin, at most",
    unit="cents",
    default=5000,
    least=0,
    most=100_000,
)
STAFF_LIMIT = policy(
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
    values = await policies.values(session)
    own = await payer_queries.given_by(session, str(actor), since)
    given = await payer_queries.given_to(session, payer_id, since)
    unlimited = await directory.admins_among(session, [each.actor for each in given])
    counted = [each for each in given if each.actor not in unlimited]
    return min(
        Room.of(REFUND_LIMIT, values[REFUND_LIMIT.name], counted, "for this customer"),
        Room.of(STAFF_LIMIT, values[STAFF_LIMIT.name], own, "to give to all customers"),
        key=lambda each: each.left,
    )


LOWERED = "The technician has corrected the gallons."


async def lower_fill(
    session: AsyncSession,
    actor: Actor,
    booking_id: str,
    amount: Money,
    key: str,
    *,
    only: str = "",
) -> None:
    """Lower the open bill of a fill as its technician corrects it, in the caller's transaction.

    What is still due is waived, else it goes back to the card. The same key again does nothing.

    Args:
        only: The car that has a bill of its own; '' for the bill of the visit.

    Raises:
        Refusal: As `apply_correction` does.
    """
    bill_key = fill_invoices.bill_key(booking_id, only)
    invoice = await queries.row_by(session, StoredInvoice, key=bill_key, lock=True)
    if invoice is None:
        raise InvoiceGone
    is_due = most_of(invoices.invoice_of(invoice), WAIVED) >= amount
    form = Correction.model_construct(None, amount=amount, reason=LOWERED)
    way = WAIVED if is_due else TO_CARD
    if await apply_correction(session, actor, invoice, way, form, key) and invoice.paid_cents:
        await fill_invoices.credit_referrer(session, invoice)


async def apply_correction(
    session: AsyncSession,
    actor: Actor,
    invoice: StoredInvoice,
    way: str,
    form: Correction,
    key: str,
) -> bool:
    """Correct a locked invoice. Return whether nothing is due any more for it."""
    if await queries.row_by(session, CreditNote, key=key):
        return False
    if way != WAIVED:
        for payment in await queries.payments_of(session, invoice.id):
            locked = await get_row(session, StoredPayment, payment.id, lock=True)
            if is_taken(locked.dispute):
                raise Disputed
    most = most_of(invoices.invoice_of(invoice), way)
    check(form.amount, most, await locked_room(session, actor, invoice.payer_id))
    was_open = invoice.state == OPEN
    about = {"reason": form.reason, "actor": actor, "key": key}
    await payments.add_credit_note(session, invoice, form.amount, way, **about)
    kind = "invoice_waived" if way == WAIVED else "invoice_refunded"
    await log_invoice(session, actor, kind, invoice, f"{form.amount}, {form.reason}")
    return was_open and invoice.state == PAID


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


async def log_invoice(
    session: AsyncSession, actor: Actor, kind: str, invoice: StoredInvoice, what: str
) -> None:
    name = invoices.invoice_of(invoice).name
    await log_correction(session, actor, kind, invoice.payer_id, f"{name}, {what}")


async def log_correction(
    session: AsyncSession, actor: Actor, kind: str, payer_id: str, what: str
) -> None:
    """Write to the customer's audit log; for a guest, to the payer's."""
    payer = await get_row(session, Payer, payer_id)
    change = Change(payer.person_id or payer.id, None, {"what": what})
    await audit.record(session, Action("person", kind, str(actor)), [change])
