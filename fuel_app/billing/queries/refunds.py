"""Queries on credit notes and refunds."""

from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.payments import NEW, SUCCEEDED
from fuel_app.billing.tables import CreditNote, Refund, StoredPayment


async def credit_note(session: AsyncSession, key: str) -> CreditNote | None:
    return await session.scalar(select(CreditNote).where(col(CreditNote.key) == key))


async def sum_of_payment(session: AsyncSession, payment_id: str) -> int:
    """Return the cents of a payment that have gone back, or are about to."""
    theirs = select(func.coalesce(func.sum(col(Refund.amount_cents)), 0)).where(
        col(Refund.payment_id) == payment_id, col(Refund.state).in_((NEW, SUCCEEDED))
    )
    return await session.scalar(theirs) or 0


async def waiting(session: AsyncSession, before: datetime, most: int) -> list[Refund]:
    """Return refunds from before a moment whose outcome is not known, the last tried at the end."""
    created = col(Refund.created_at)
    theirs = select(Refund).where(col(Refund.state) == NEW, created < before)
    in_turn = theirs.order_by(col(Refund.tried_at).nulls_first(), created)
    return list(await session.scalars(in_turn.limit(most)))


async def note_try(session: AsyncSession, row: StoredPayment | Refund, now: datetime) -> None:
    """Note that the outcome of a payment or refund is asked for: the others come first next."""
    table = type(row)
    await session.execute(update(table).where(col(table.id) == row.id).values(tried_at=now))
