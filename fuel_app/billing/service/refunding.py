"""Money that goes back to a card, by a job."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import RefundInfo, Rejected
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.journal import RECEIVABLE, STRIPE
from fuel_app.billing.service.journal import post
from fuel_app.billing.tables import Refund, StoredPayment
from fuel_app.kit import jobs
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.money import Money

JOB = "billing.refund"
_NOT_FAILED = ("new", "succeeded")


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
    theirs = select(func.coalesce(func.sum(col(Refund.amount_cents)), 0)).where(
        col(Refund.payment_id) == payment.id, col(Refund.state).in_(_NOT_FAILED)
    )
    return Money(payment.captured_cents - (await session.scalar(theirs) or 0))


async def perform(refund_id: str) -> None:
    """Ask Stripe for a refund and store the outcome.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    async with reading() as session:
        row = await session.get_one(Refund, refund_id)
        payment = await session.get_one(StoredPayment, row.payment_id)
    if row.state == "new":
        try:
            info = await stripe.refund(
                row.id, intent_id=payment.provider_id or "", amount=Money(row.amount_cents)
            )
        except Rejected:
            info = RefundInfo("", "failed", row.id)
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
        found = select(Refund).where(col(Refund.id) == info.refund_id)
        known = await session.scalar(found)
        if known is None:
            return False
        payment = await queries.payment_by_id(session, known.payment_id, lock=True)
        again = found.with_for_update().execution_options(populate_existing=True)
        row = (await session.scalars(again)).one()
        before, row.provider_id = row.state, info.id or row.provider_id
        if info.status in ("succeeded", "failed") and before in {*_NOT_FAILED} - {info.status}:
            row.state = info.status
            sign = 1 if info.status == "succeeded" else -1
            if sign == 1 or before == "succeeded":
                cents = sign * row.amount_cents
                payment.refunded_cents += cents
                await post(
                    *(session, f"refund:{row.id}:{row.state}", RECEIVABLE, STRIPE, Money(cents)),
                    invoice_id=payment.invoice_id,
                )
        await session.flush()
    return True
