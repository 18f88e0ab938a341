"""Queries on the invoices of plans."""

from collections.abc import Collection
from datetime import date

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.invoices import DRAFT, RENEWAL, START, SWITCH
from fuel_app.billing.rules.payments import NEW
from fuel_app.billing.tables import Payer, StoredInvoice, StoredPayment

_of_payer = col(StoredInvoice.payer_id) == col(Payer.id)
_kind, _state = col(StoredInvoice.kind), col(StoredInvoice.state)


async def of_period(session: AsyncSession, person_id: str, starts: date) -> StoredInvoice | None:
    """Return the invoice by which a period was paid; the last one of a day with several."""
    theirs = (
        select(StoredInvoice)
        .join(Payer, _of_payer)
        .where(
            col(Payer.person_id) == person_id,
            col(StoredInvoice.period) == starts,
            _kind.in_((START, SWITCH, RENEWAL)),
            col(StoredInvoice.opened_at).is_not(None),
        )
    )
    return await session.scalar(theirs.order_by(col(StoredInvoice.number).desc()).limit(1))


async def under_way(
    session: AsyncSession, person_id: str
) -> tuple[StoredInvoice, StoredPayment] | None:
    """Return the start or switch whose payment has no outcome yet, unlocked."""
    theirs = (
        select(StoredInvoice, StoredPayment)
        .join(Payer, _of_payer)
        .join(StoredPayment, col(StoredPayment.invoice_id) == col(StoredInvoice.id))
        .where(
            col(Payer.person_id) == person_id,
            _kind.in_((START, SWITCH)),
            _state == DRAFT,
            col(StoredPayment.state) == NEW,
        )
    )
    row = (await session.execute(theirs.limit(1))).first()
    return (row[0], row[1]) if row else None


async def with_payment_under_way(session: AsyncSession, person_ids: Collection[str]) -> set[str]:
    """Return the customers whose start or switch has no outcome yet."""
    theirs = (
        select(col(Payer.person_id))
        .join(StoredInvoice, _of_payer)
        .where(col(Payer.person_id).in_(person_ids), _kind.in_((START, SWITCH)), _state == DRAFT)
    )
    return {each for each in await session.scalars(theirs) if each}


async def by_key(
    session: AsyncSession, key: str
) -> tuple[StoredInvoice, StoredPayment | None] | None:
    """Return an invoice with its last payment, unlocked."""
    found = (
        select(StoredInvoice, StoredPayment)
        .outerjoin(StoredPayment, col(StoredPayment.invoice_id) == col(StoredInvoice.id))
        .where(col(StoredInvoice.key) == key)
        .order_by(col(StoredPayment.id).desc())
    )
    row = (await session.execute(found.limit(1))).first()
    return (row[0], row[1]) if row else None
