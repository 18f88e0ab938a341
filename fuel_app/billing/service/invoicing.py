"""Invoices, in the caller's transaction: draft, open, void.

The order in which all of billing takes locks is in docs/decisions/money.md.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.invoices import (
    ACCOUNT_OF,
    DRAFT,
    OPEN,
    PAID,
    UNCOLLECTIBLE,
    VOID,
    Invoice,
    Line,
    credit_for,
    sum_of,
)
from fuel_app.billing.rules.journal import BAD_DEBT, RECEIVABLE
from fuel_app.billing.service import payers
from fuel_app.billing.service.journal import entry, post, post_all
from fuel_app.billing.tables import Payer, StoredInvoice
from fuel_app.kit.clock import now
from fuel_app.kit.db.rows import get_row
from fuel_app.kit.money import Money


async def draft(
    session: AsyncSession,
    *,
    key: str,
    kind: str,
    payer: Payer,
    lines: Sequence[Line],
    booking_id: str | None = None,
    period: date | None = None,
    details: dict[str, Any] | None = None,
) -> StoredInvoice:
    """Add an invoice that may still change; the same key returns the same one, locked."""
    if known := await queries.by_key(session, key):
        return known
    row = StoredInvoice(
        key=key,
        kind=kind,
        payer_id=payer.id,
        booking_id=booking_id,
        period=period,
        total_cents=sum_of(tuple(lines)).cents,
        details=details or {},
    )
    session.add(row)
    await session.flush()
    await queries.add_lines(session, row.id, lines)
    return row


async def spend_credit(session: AsyncSession, row: StoredInvoice) -> None:
    """Pay a draft from the customer's credit balance, as far as that reaches: a line of its own."""
    payer = await get_row(session, Payer, row.payer_id, lock=True)
    if spent := credit_for(Money(row.total_cents), Money(payer.credit_cents)).cents:
        await payers.change_credit(session, payer, f"spend:{row.id}", -spent, "Credit used")
        line = Line("credit", "Credit", Money(-spent))
        stored = await queries.lines_of(session, row.id)
        await queries.add_lines(session, row.id, [line], first=len(stored))
        row.total_cents -= spent
        await session.flush()


async def open_invoice(session: AsyncSession, row: StoredInvoice) -> None:
    """Give a locked draft its number, and write it to the journal. Nothing due: it is paid."""
    if row.state != DRAFT:
        return
    number = await queries.next_number(session, "invoice")
    row.state = OPEN if row.total_cents else PAID
    row.number, row.opened_at = number, now()
    await session.flush()
    await post_all(session, _entries(row, await queries.lines_of(session, row.id)))


def _entries(row: StoredInvoice, lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the journal's entries of an invoice that is opened."""
    return [
        entry(
            *(f"line:{row.id}:{position}", RECEIVABLE, ACCOUNT_OF[line.kind], line.amount),
            *(row.id, line.text),
        )
        for position, line in enumerate(lines)
    ]


async def open_all(
    session: AsyncSession, new: Sequence[tuple[Payer, StoredInvoice, list[Line]]]
) -> None:
    """Store new invoices of locked payers and open them, in about as many statements as one.

    The customers' credit pays first, as `spend_credit` says.
    """
    first = await queries.next_number(session, "invoice", len(new))
    for number, (payer, row, lines) in enumerate(new, first):
        total = sum_of(tuple(lines))
        if spent := credit_for(total, Money(payer.credit_cents)).cents:
            await payers.change_credit(session, payer, f"spend:{row.id}", -spent, "Credit used")
            lines.append(Line("credit", "Credit", Money(-spent)))
        row.total_cents = total.cents - spent
        row.state = OPEN if row.total_cents else PAID
        row.number, row.opened_at = number, now()
    session.add_all(row for _, row, _ in new)
    await session.flush()
    session.add_all(line for _, row, lines in new for line in queries.line_rows(row.id, lines))
    await session.flush()
    await post_all(session, [each for _, row, lines in new for each in _entries(row, lines)])


async def void(session: AsyncSession, row: StoredInvoice) -> None:
    """End a locked draft; the credit that it has spent is given back."""
    lines = await queries.lines_of(session, row.id)
    spent = -sum_of(tuple(line for line in lines if line.kind == "credit")).cents
    row.state = VOID
    await session.flush()
    if spent:
        payer = await get_row(session, Payer, row.payer_id, lock=True)
        await payers.change_credit(session, payer, f"return:{row.id}", spent, "Credit not used")


async def write_off(session: AsyncSession, row: StoredInvoice) -> None:
    """Give up what is due of a locked open invoice."""
    row.state = UNCOLLECTIBLE
    await session.flush()
    due = due_of(row)
    await post(session, f"bad_debt:{row.id}", BAD_DEBT, RECEIVABLE, due, invoice_id=row.id)


def due_of(row: StoredInvoice) -> Money:
    return Money(row.total_cents - row.paid_cents - row.waived_cents)


async def receive(session: AsyncSession, row: StoredInvoice, amount: Money) -> Money:
    """Note money received for a locked open invoice. Return what is more than was due."""
    applied = min(due_of(row), amount)
    if row.state == UNCOLLECTIBLE:
        key = f"recovered:{row.id}:{row.paid_cents}"
        await post(session, key, RECEIVABLE, BAD_DEBT, applied, invoice_id=row.id)
    row.paid_cents += applied.cents
    if not due_of(row).cents:
        row.state = PAID
    return amount - applied


def invoice_of(row: StoredInvoice, lines: tuple[Line, ...] = (), person_id: str = "") -> Invoice:
    """Return a stored invoice as its rules know it."""
    return Invoice(
        id=row.id,
        number=row.number,
        kind=row.kind,
        state=row.state,
        person_id=person_id,
        booking_id=row.booking_id or "",
        total=Money(row.total_cents),
        paid=Money(row.paid_cents),
        waived=Money(row.waived_cents),
        refunded=Money(row.refunded_cents),
        created_at=row.created_at,
        opened_at=row.opened_at,
        details=row.details,
        lines=lines,
    )


async def invoices_with_lines(
    session: AsyncSession, rows: Sequence[StoredInvoice], person_id: str
) -> list[Invoice]:
    """Return a person's stored invoices as their rules know them."""
    lines = await queries.lines_of_all(session, [row.id for row in rows])
    return [invoice_of(row, lines.get(row.id, ()), person_id) for row in rows]
