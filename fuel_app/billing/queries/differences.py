"""Balances, invoices and the journal compared: each query reads its tables once."""

from typing import Any

from sqlalchemy import case, func, or_, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.corrections import WAIVED
from fuel_app.billing.rules.invoices import OPEN
from fuel_app.billing.rules.journal import RECEIVABLE
from fuel_app.billing.tables import (
    CreditEntry,
    CreditNote,
    JournalEntry,
    Payer,
    Refund,
    StoredInvoice,
    StoredPayment,
)

_paid, _waived = col(StoredInvoice.paid_cents), col(StoredInvoice.waived_cents)
_noted, _is_waived = col(CreditNote.amount_cents), col(CreditNote.way) == WAIVED
_amount, _of_payment = col(JournalEntry.amount_cents), col(Refund.payment_id)


def _refunds(*conditions: Any) -> Any:
    """Return the refunds of payments, by invoice."""
    joined = select(col(StoredPayment.invoice_id), col(Refund.amount_cents))
    return joined.join(StoredPayment, col(StoredPayment.id) == _of_payment).where(*conditions)


# Of each, rows of an id and cents, whose sum has to be nothing for each id.
_CHECKS: dict[str, tuple[Any, ...]] = {
    "credit": (
        select(col(Payer.id), col(Payer.credit_cents)),
        select(col(CreditEntry.payer_id), -col(CreditEntry.amount_cents)),
    ),
    # Paid is what was captured, without what was more than due and went back.
    "paid": (
        select(col(StoredInvoice.id), -_paid),
        select(col(StoredPayment.invoice_id), col(StoredPayment.captured_cents)),
        _refunds(
            col(Refund.credit_note_id).is_(None), col(Refund.state) != "retried"
        ).with_only_columns(col(StoredPayment.invoice_id), -col(Refund.amount_cents)),
    ),
    "waived": (
        select(col(StoredInvoice.id), _waived),
        select(col(CreditNote.invoice_id), -_noted).where(_is_waived),
    ),
    "refunded": (
        select(col(StoredInvoice.id), col(StoredInvoice.refunded_cents)),
        select(col(CreditNote.invoice_id), -_noted).where(~_is_waived),
    ),
    # Receivable is what is due, less what is on its way back to a card.
    "journal": (
        select(col(StoredInvoice.id), -(col(StoredInvoice.total_cents) - _paid - _waived)).where(
            col(StoredInvoice.state) == OPEN
        ),
        _refunds(col(Refund.state).in_(("new", "failed"))),
        select(
            col(JournalEntry.invoice_id),
            case((col(JournalEntry.debit) == RECEIVABLE, _amount), else_=-_amount),
        ).where(or_(col(JournalEntry.debit) == RECEIVABLE, col(JournalEntry.credit) == RECEIVABLE)),
    ),
}


async def differences(session: AsyncSession, most: int) -> list[dict[str, Any]]:
    """Return what differs: the check, the id of the payer or invoice, and by how many cents."""
    found = []
    for name, parts in _CHECKS.items():
        rows = union_all(*parts).subquery()
        key, cents = rows.c
        more = func.sum(cents)
        wrong = select(key, more).where(key.is_not(None)).group_by(key).having(more != 0)
        for of, by in await session.execute(wrong.order_by(key).limit(most)):
            found.append({"check": name, "of": of, "cents": int(by)})
    return found
