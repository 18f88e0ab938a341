"""Queries on credit notes and refunds."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.payments import NEW, SUCCEEDED
from fuel_app.billing.tables import CreditNote, Refund


async def credit_note(session: AsyncSession, key: str) -> CreditNote | None:
    return await session.scalar(select(CreditNote).where(col(CreditNote.key) == key))


async def sum_of_payment(session: AsyncSession, payment_id: str) -> int:
    """Return the cents of a payment that have gone back, or are about to."""
    theirs = select(func.coalesce(func.sum(col(Refund.amount_cents)), 0)).where(
        col(Refund.payment_id) == payment_id, col(Refund.state).in_((NEW, SUCCEEDED))
    )
    return await session.scalar(theirs) or 0
