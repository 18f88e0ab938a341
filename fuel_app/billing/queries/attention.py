"""Queries on money that waits for staff: the first rows of each kind, with how many there are.

Each is one statement by an index of what is open.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.corrections import NEEDS_RESPONSE
from fuel_app.billing.rules.invoices import OPEN, RENEWAL
from fuel_app.billing.rules.payments import FAILED, NEW
from fuel_app.billing.tables import (
    CorrectionRequest,
    Payer,
    Refund,
    StoredInvoice,
    StoredPayment,
)
from fuel_app.kit.attention import MOST

_TOTAL = func.count().over()
_person, _payer = col(Payer.person_id), col(Payer.id)
_payment, _of_payer = col(StoredPayment.id), col(StoredPayment.payer_id)
DUE = (
    col(StoredInvoice.total_cents) - col(StoredInvoice.paid_cents) - col(StoredInvoice.waived_cents)
)

# The payment, the person, the amount in cents, until when it is answered, how many.
Dispute = tuple[str, str | None, int, datetime | None, int]


async def unanswered_disputes(session: AsyncSession) -> Sequence[Dispute]:
    """Return the disputes that wait for our evidence, the first to be answered first."""
    dispute, due_at = col(StoredPayment.dispute), col(StoredPayment.dispute_due_at)
    amount = col(StoredPayment.captured_cents)  # a hold was of more
    statement = (
        select(_payment, _person, amount, due_at, _TOTAL)
        .join(Payer, _payer == _of_payer)
        .where(dispute != "", dispute.in_(NEEDS_RESPONSE))
        .order_by(due_at.nulls_last(), _payment)
        .limit(MOST)
    )
    return await _rows(session, statement)


async def owed_in_all(session: AsyncSession) -> tuple[int, int]:
    """Return how many owe something, and the cents of it: by the index of open invoices."""
    payers = func.count(func.distinct(col(StoredInvoice.payer_id)))
    sums = select(payers, func.sum(DUE)).where(col(StoredInvoice.state) == OPEN)
    count, cents = (await session.execute(sums)).one()
    return count, int(cents or 0)


async def disputed_in_all(session: AsyncSession) -> tuple[int, int]:
    """Return how many disputes wait for our evidence, and the cents of them."""
    dispute = col(StoredPayment.dispute)
    sums = select(func.count(), func.sum(col(StoredPayment.captured_cents)))
    waiting = sums.where(dispute != "", dispute.in_(NEEDS_RESPONSE))
    count, cents = (await session.execute(waiting)).one()
    return count, int(cents or 0)


# The refund, the person, the amount in cents, when it was begun, how many.
FailedRefund = tuple[str, str | None, int, datetime, int]


async def failed_refunds(session: AsyncSession, most: int = MOST) -> Sequence[FailedRefund]:
    """Return the refunds that failed and were not tried again, the oldest first."""
    created, amount = col(Refund.created_at), col(Refund.amount_cents)
    statement = (
        select(col(Refund.id), _person, amount, created, _TOTAL)
        .join(StoredPayment, _payment == col(Refund.payment_id))
        .join(Payer, _payer == _of_payer)
        .where(col(Refund.state) == FAILED)
        .order_by(created, col(Refund.id))
        .limit(most)
    )
    return await _rows(session, statement)


async def failed_renewals(
    session: AsyncSession,
) -> Sequence[tuple[str, str | None, int, date, str, int]]:
    """Return the unpaid renewals whose last charge failed, the oldest first.

    Each with its invoice, person, cents due, period, why, and how many there are.
    """

    def payments(*conditions: Any) -> Any:
        return select(col(StoredPayment.code)).where(
            col(StoredPayment.invoice_id) == col(StoredInvoice.id), *conditions
        )

    last = payments(col(StoredPayment.state) == FAILED).order_by(_payment.desc()).limit(1)
    is_charged = exists(payments(col(StoredPayment.state) == NEW))
    code, period = last.scalar_subquery(), col(StoredInvoice.period)
    statement = (
        select(col(StoredInvoice.id), _person, DUE, period, code, _TOTAL)
        .join(Payer, _payer == col(StoredInvoice.payer_id))
        .where(col(StoredInvoice.state) == OPEN, col(StoredInvoice.kind) == RENEWAL)
        .where(code.is_not(None), ~is_charged)
        .order_by(period, col(StoredInvoice.id))
        .limit(MOST)
    )
    return await _rows(session, statement)


async def _rows(session: AsyncSession, statement: Any) -> Sequence[Any]:
    return [tuple(row) for row in await session.execute(statement)]


# The request, whose payer's it is, how many.
Asked = tuple[CorrectionRequest, str | None, int]


async def open_requests(session: AsyncSession) -> Sequence[Asked]:
    """Return what admins are asked for, the oldest first, each with whose it is."""
    asked = col(CorrectionRequest.answer) == ""
    statement = (
        select(CorrectionRequest, _person, _TOTAL)
        .join(Payer, _payer == col(CorrectionRequest.payer_id))
        .where(asked)
        .order_by(col(CorrectionRequest.id))
        .limit(MOST)
    )
    return await _rows(session, statement)
