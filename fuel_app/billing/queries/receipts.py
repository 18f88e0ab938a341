"""Queries on invoices that were opened, as their customers read them."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.payments import HOSTED, SUCCEEDED
from fuel_app.billing.rules.receipts import NotePart, PaidPart
from fuel_app.billing.tables import CreditNote, Payer, Refund, StoredInvoice, StoredPayment
from fuel_app.kit.money import Money

_OPENED = col(StoredInvoice.number).is_not(None)


async def last_with(
    session: AsyncSession, column: Any, value: str
) -> tuple[StoredInvoice, str] | None:
    """Return the last invoice with a value in a column, and whose it is; empty for a guest's."""
    invoices = select(StoredInvoice, col(Payer.person_id)).where(_OPENED, column == value)
    theirs = invoices.join(Payer, col(Payer.id) == col(StoredInvoice.payer_id))
    last = theirs.order_by(col(StoredInvoice.number).desc()).limit(1)
    row = (await session.execute(last)).first()
    return (row[0], row[1] or "") if row else None


async def of_bookings(session: AsyncSession, booking_ids: Collection[str]) -> dict[str, str]:
    """Return the ids of invoices by booking."""
    columns = select(col(StoredInvoice.booking_id), col(StoredInvoice.id)).where(_OPENED)
    theirs = columns.where(col(StoredInvoice.booking_id).in_(booking_ids))
    rows = await session.execute(theirs.order_by(col(StoredInvoice.number)))
    return {booking_id: invoice_id for booking_id, invoice_id in rows if booking_id}


async def of_person(
    session: AsyncSession, person_id: str, limit: int, before: str
) -> list[StoredInvoice]:
    """Return a page of a person's invoices, the latest first; `before` is an id."""
    theirs = select(StoredInvoice).join(Payer, col(Payer.id) == col(StoredInvoice.payer_id))
    theirs = theirs.where(_OPENED, col(Payer.person_id) == person_id)
    theirs = theirs.where(col(StoredInvoice.id) < before) if before else theirs
    return list(await session.scalars(theirs.order_by(col(StoredInvoice.id).desc()).limit(limit)))


async def paid_parts(session: AsyncSession, invoice_id: str) -> list[PaidPart]:
    """Return what each payment has contributed; what was more than due has gone back."""
    returned = (
        select(func.coalesce(func.sum(col(Refund.amount_cents)), 0))
        .where(col(Refund.payment_id) == col(StoredPayment.id))
        .where(col(Refund.credit_note_id).is_(None), col(Refund.state) != "retried")
        .scalar_subquery()
    )
    theirs = select(StoredPayment, col(StoredPayment.captured_cents) - returned).where(
        col(StoredPayment.invoice_id) == invoice_id, col(StoredPayment.state) == SUCCEEDED
    )
    rows = await session.execute(theirs.order_by(col(StoredPayment.id)))
    return [_part(row, kept) for row, kept in rows if kept]


def _part(row: StoredPayment, kept_cents: int) -> PaidPart:
    at: datetime = row.settled_at or row.created_at
    if row.kind == HOSTED:  # which card it was is known to Stripe alone
        return PaidPart(Money(kept_cents), at)
    return PaidPart(Money(kept_cents), at, row.card_brand, row.card_last4)


async def notes(session: AsyncSession, invoice_id: str) -> list[NotePart]:
    """Return the credit notes of an invoice, the oldest first."""
    theirs = select(CreditNote).where(col(CreditNote.invoice_id) == invoice_id)
    rows = await session.scalars(theirs.order_by(col(CreditNote.number)))
    return [NotePart(row.number, row.way, Money(row.amount_cents), row.at) for row in rows]
