"""Money that goes back to a card, by a job."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import RefundInfo, Rejected
from fuel_app.billing.queries import refunds as queries
from fuel_app.billing.rules.journal import RECEIVABLE, STRIPE
from fuel_app.billing.rules.payments import FAILED, NEW, SUCCEEDED
from fuel_app.billing.service.journal import post
from fuel_app.billing.tables import Refund, StoredPayment
from fuel_app.kit import jobs
from fuel_app.kit.db.rows import find_row, get_row
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.money import Money

JOB = "billing.refund"


async def begin(
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
    await jobs.enqueue(session, JOB, {"id": row.id}, key=f"{JOB}:{row.id}")
    return row


async def refundable(session: AsyncSession, payment: StoredPayment) -> Money:
    """Return what of a payment has not gone back, and is not about to."""
    return Money(payment.captured_cents - await queries.sum_of_payment(session, payment.id))


async def perform(refund_id: str) -> None:
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
        await _store(info)


async def sync(provider_id: str) -> bool:
    """Read a refund of Stripe anew and store its outcome. Return whether it is one of ours."""
    try:
        return await _store(await stripe.read_refund(provider_id))
    except Rejected:
        return False


async def _store(info: RefundInfo) -> bool:
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
                await post(
                    *(session, f"refund:{row.id}:{row.state}", RECEIVABLE, STRIPE, Money(cents)),
                    invoice_id=payment.invoice_id,
                )
        await session.flush()
    return True
