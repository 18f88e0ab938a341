"""Invoices in the caller's transaction: draft, open, receive, void; their journal and their payers.

Also what customers and staff read: lists and receipts. The order in which all of billing takes
locks is in docs/decisions/money.md.
"""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Table, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.billing.providers import pdf
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.queries import payers as payer_queries
from fuel_app.billing.rules.invoices import (
    ACCOUNT_OF,
    BAD_DEBT,
    DRAFT,
    FILL,
    OPEN,
    PAID,
    RECEIVABLE,
    UNCOLLECTIBLE,
    VOID,
    Invoice,
    Line,
    credit_for,
    sum_of,
)
from fuel_app.billing.rules.receipts import Receipt, receipt_of
from fuel_app.billing.tables import CreditEntry, JournalEntry, Payer, StoredInvoice
from fuel_app.kit import outbox
from fuel_app.kit.clock import day_of, now
from fuel_app.kit.db.session import get_row, insert_new, reading
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import Pdf

_TABLE: Table = JournalEntry.__table__  # pyright: ignore[reportAttributeAccessIssue]


async def post_entry(
    session: AsyncSession,
    key: str,
    debit: str,
    credit: str,
    amount: Money,
    *,
    invoice_id: str | None = None,
    text: str = "",
) -> None:
    """Move an amount from one account to another, once for a key; below nothing, the other way."""
    await post_entries(session, [journal_entry(key, debit, credit, amount, invoice_id, text)])


def journal_entry(
    key: str, debit: str, credit: str, amount: Money, invoice_id: str | None, text: str
) -> dict[str, Any]:
    """Return one movement, for `post_entries`."""
    if amount.cents < 0:
        debit, credit = credit, debit
    at = now()
    found = {"key": key, "day": day_of(at), "at": at, "debit": debit, "credit": credit}
    return found | {"amount_cents": abs(amount.cents), "invoice_id": invoice_id, "text": text[:200]}


async def post_entries(session: AsyncSession, entries: Iterable[dict[str, Any]]) -> None:
    """Store several movements; one of nothing is left out."""
    if moving := [each for each in entries if each["amount_cents"]]:
        await session.execute(insert_new(session, _TABLE), moving)


async def payer_of_person(session: AsyncSession, person_id: str, *, lock: bool = False) -> Payer:
    """Return a customer's payer, made if there is none; `lock` keeps it until the commit."""
    return await _payer_of(session, f"person:{person_id}", person_id, lock=lock)


async def payer_of_guest(session: AsyncSession, key: str) -> Payer:
    """Return a guest's payer by the key of their tab, made if there is none."""
    return await _payer_of(session, f"guest:{key}", None, lock=False)


async def _payer_of(session: AsyncSession, key: str, person_id: str | None, *, lock: bool) -> Payer:
    statement = select(Payer).where(col(Payer.key) == key)
    found = await session.scalar(statement.with_for_update() if lock else statement)
    if found:
        return found
    row = {"id": new_id(), "key": key, "person_id": person_id, "created_at": now()}
    await session.execute(insert_new(session, Payer).values(**Payer(**row).model_dump()))
    return (await session.scalars(statement.with_for_update())).one()


async def change_credit(
    session: AsyncSession, payer: Payer, key: str, cents: int, text: str, actor: str = "system"
) -> None:
    """Add an entry to a locked payer's credit, once for a key."""
    entry = CreditEntry(key=key, payer_id=payer.id, amount_cents=cents, text=text, actor=actor)
    session.add(entry)
    await session.flush()


async def credit_of(session: AsyncSession, payer: Payer) -> Money:
    """Return a payer's credit; lock the payer before it is spent."""
    return (await payer_queries.credits_of(session, [payer.id])).get(payer.id, Money(0))


async def payers_of(
    session: AsyncSession, person_ids: Collection[str], *, lock: bool = False
) -> dict[str, Payer]:
    """Return the payers of customers, by person; `lock` keeps them until the commit."""
    theirs = select(Payer).where(col(Payer.person_id).in_(person_ids)).order_by(col(Payer.id))
    theirs = theirs.with_for_update() if lock else theirs
    rows = await session.scalars(theirs.execution_options(populate_existing=True))
    return {row.person_id or "": row for row in rows}


async def draft_invoice(
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
    if stored := await queries.row_by(session, StoredInvoice, key=key, lock=True):
        return stored
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
    credit = await credit_of(session, payer)
    if spent := credit_for(Money(row.total_cents), credit).cents:
        await change_credit(session, payer, f"spend:{row.id}", -spent, "Credit used")
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
    await post_entries(session, _entries(row, await queries.lines_of(session, row.id)))


def _entries(row: StoredInvoice, lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the journal's entries of an invoice that is opened."""
    return [
        journal_entry(
            f"line:{row.id}:{position}",
            RECEIVABLE,
            ACCOUNT_OF[line.kind],
            line.amount,
            row.id,
            line.text,
        )
        for position, line in enumerate(lines)
    ]


async def open_all(
    session: AsyncSession, new: Sequence[tuple[Payer, StoredInvoice, list[Line]]]
) -> None:
    """Store new invoices of locked payers and open them, in about as many statements as one.

    The customers' credit pays first, as `spend_credit` says.
    """
    credits = await payer_queries.credits_of(session, [payer.id for payer, _, _ in new])
    first = await queries.next_number(session, "invoice", len(new))
    for number, (payer, row, lines) in enumerate(new, first):
        total = sum_of(tuple(lines))
        if spent := credit_for(total, credits.get(payer.id, Money(0))).cents:
            await change_credit(session, payer, f"spend:{row.id}", -spent, "Credit used")
            lines.append(Line("credit", "Credit", Money(-spent)))
        row.total_cents = total.cents - spent
        row.state = OPEN if row.total_cents else PAID
        row.number, row.opened_at = number, now()
    session.add_all(row for _, row, _ in new)
    await session.flush()
    session.add_all(line for _, row, lines in new for line in queries.line_rows(row.id, lines))
    await session.flush()
    await post_entries(session, [each for _, row, lines in new for each in _entries(row, lines)])


async def void_invoice(session: AsyncSession, row: StoredInvoice) -> None:
    """End a locked draft; the credit that it has spent is given back."""
    lines = await queries.lines_of(session, row.id)
    spent = -sum_of(tuple(line for line in lines if line.kind == "credit")).cents
    row.state = VOID
    await session.flush()
    if spent:
        payer = await get_row(session, Payer, row.payer_id, lock=True)
        await change_credit(session, payer, f"return:{row.id}", spent, "Credit not used")


async def write_off_invoice(session: AsyncSession, row: StoredInvoice) -> None:
    """Give up what is due of a locked open invoice."""
    row.state = UNCOLLECTIBLE
    await session.flush()
    due = due_of(row)
    await post_entry(session, f"bad_debt:{row.id}", BAD_DEBT, RECEIVABLE, due, invoice_id=row.id)


def due_of(row: StoredInvoice) -> Money:
    return Money(row.total_cents - row.paid_cents - row.waived_cents)


async def receive_amount(session: AsyncSession, row: StoredInvoice, amount: Money) -> Money:
    """Note money received for a locked open invoice. Return what is more than was due."""
    applied = min(due_of(row), amount)
    if row.state == UNCOLLECTIBLE:
        key = f"recovered:{row.id}:{row.paid_cents}"
        await post_entry(session, key, RECEIVABLE, BAD_DEBT, applied, invoice_id=row.id)
    row.paid_cents += applied.cents
    if not due_of(row).cents:
        row.state = PAID
    return amount - applied


def fill_billed(key: str) -> str:
    """Return the one fill that the invoice of a key bills; '' for any other invoice."""
    kind, _, of = key.partition(":")
    return of.partition(":")[2] if kind == FILL else ""


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
        fill_id=fill_billed(row.key or ""),
        details=row.details,
        lines=lines,
    )


async def invoices_with_lines(
    session: AsyncSession, rows: Sequence[StoredInvoice], person_id: str
) -> list[Invoice]:
    """Return a person's stored invoices as their rules know them."""
    lines = await queries.lines_of_all(session, [row.id for row in rows])
    return [invoice_of(row, lines.get(row.id, ()), person_id) for row in rows]


PAGE = 12


async def invoices_of(by: Actor, *, limit: int = PAGE, before: str = "") -> list[Invoice]:
    """Return a customer's own invoices, the latest first; `before` is the last id of a page."""
    by.require(Role.CUSTOMER)
    async with reading() as session:
        rows = await queries.opened_of_person(session, by.person_id, limit, before)
        return await invoices_with_lines(session, rows, by.person_id)


async def find_receipt(by: Actor, invoice_id: object) -> Receipt | None:
    """Return a receipt: a customer's own, any for staff; else None."""
    return await _find_receipt(by, StoredInvoice.id, well_formed_id(invoice_id) or "")


async def receipt_of_booking(booking_id: str) -> Receipt | None:
    """Return the receipt of a booking, whose reader the caller has checked."""
    return await _find_receipt(SYSTEM, StoredInvoice.booking_id, booking_id)


async def receipts_of(booking_ids: Collection[str]) -> dict[str, str]:
    """Return the ids of receipts by booking."""
    if not booking_ids:
        return {}
    async with reading() as session:
        return await queries.receipts_of_bookings(session, booking_ids)


async def receipt_pdf(receipt: Receipt) -> Pdf:
    """Return a receipt as a PDF; the same receipt is always the same file."""
    return Pdf(receipt.file_name, await asyncio.to_thread(pdf.render, receipt))


async def attached_receipt(invoice_id: str) -> Pdf | None:
    """Return the PDF that a mail about an invoice brings along."""
    found = await find_receipt(SYSTEM, invoice_id)
    return await receipt_pdf(found) if found else None


outbox.MAKERS["invoice"] = attached_receipt

next_number = queries.next_number  # also of series that other packages name


async def _find_receipt(by: Actor, column: Any, value: str) -> Receipt | None:
    async with reading() as session:
        found = await queries.last_with(session, column, value)
        if found is None or not _reaches(by, found[1]):
            return None
        row, person_id = found
        invoice = invoice_of(row, await queries.lines_of(session, row.id), person_id)
        paid = await queries.paid_parts(session, row.id)
        notes = await queries.note_parts(session, row.id)
    names = await directory.names([person_id] if person_id else [])
    sold_to = names.get(person_id) or invoice.details.get("sold_to", "")
    return receipt_of(invoice, sold_to=sold_to, paid=paid, notes=notes)


def _reaches(by: Actor, person_id: str) -> bool:
    is_own = bool(by.person_id) and by.person_id == person_id and by.may(Role.CUSTOMER)
    return is_own or by.may(Role.DISPATCHER)
