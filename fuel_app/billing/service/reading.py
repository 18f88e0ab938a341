"""Reading invoices and receipts: a customer's own, any for staff."""

import asyncio
from collections.abc import Collection
from typing import Any

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.billing.providers import pdf
from fuel_app.billing.queries import invoices as lines
from fuel_app.billing.queries import receipts as queries
from fuel_app.billing.rules.invoices import Invoice
from fuel_app.billing.rules.receipts import Receipt, receipt_of
from fuel_app.billing.service.invoicing import invoice_of, invoices_with_lines
from fuel_app.billing.tables import StoredInvoice
from fuel_app.kit import attachments
from fuel_app.kit.attachments import Pdf
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id

PAGE = 12


async def invoices_of(by: Actor, *, limit: int = PAGE, before: str = "") -> list[Invoice]:
    """Return a customer's own invoices, the latest first; `before` is the last id of a page."""
    by.require(Role.CUSTOMER)
    async with reading() as session:
        rows = await queries.of_person(session, by.person_id, limit, before)
        return await invoices_with_lines(session, rows, by.person_id)


async def receipt(by: Actor, invoice_id: object) -> Receipt | None:
    """Return a receipt: a customer's own, any for staff; else None."""
    return await _receipt(by, StoredInvoice.id, well_formed_id(invoice_id) or "")


async def receipt_of_booking(booking_id: str) -> Receipt | None:
    """Return the receipt of a booking, whose reader the caller has checked."""
    return await _receipt(SYSTEM, StoredInvoice.booking_id, booking_id)


async def receipts_of(booking_ids: Collection[str]) -> dict[str, str]:
    """Return the ids of receipts by booking."""
    async with reading() as session:
        return await queries.of_bookings(session, booking_ids)


async def file_of(receipt: Receipt) -> Pdf:
    """Return a receipt as a PDF; the same receipt is always the same file."""
    return Pdf(receipt.file_name, await asyncio.to_thread(pdf.render, receipt))


async def attached(invoice_id: str) -> Pdf | None:
    """Return the PDF that a mail about an invoice brings along."""
    found = await receipt(SYSTEM, invoice_id)
    return await file_of(found) if found else None


attachments.MAKERS["invoice"] = attached


async def _receipt(by: Actor, column: Any, value: str) -> Receipt | None:
    async with reading() as session:
        found = await queries.last_with(session, column, value)
        if found is None or not _reaches(by, found[1]):
            return None
        row, person_id = found
        invoice = invoice_of(row, await lines.lines_of(session, row.id), person_id)
        paid = await queries.paid_parts(session, row.id)
        notes = await queries.notes(session, row.id)
    names = await directory.names([person_id] if person_id else [])
    sold_to = names.get(person_id) or invoice.details.get("sold_to", "")
    return receipt_of(invoice, sold_to=sold_to, paid=paid, notes=notes)


def _reaches(by: Actor, person_id: str) -> bool:
    is_own = bool(by.person_id) and by.person_id == person_id and by.may(Role.CUSTOMER)
    return is_own or by.may(Role.DISPATCHER)
