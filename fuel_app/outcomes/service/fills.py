"""Fills on their way to a receipt: the draft is opened 15 minutes after Done, then settled."""

from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.invoices import (
    DRAFT,
    FILL,
    Invoice,
)
from fuel_app.billing.rules.payments import NEW, Payment
from fuel_app.billing.service import fill_invoices, invoices, payments
from fuel_app.billing.tables import StoredInvoice, StoredPayment
from fuel_app.kit.db.session import find_row, transaction
from fuel_app.outcomes.service import charges

_FIRST = "first"  # attempt to settle


# Tell the customer that a fill or late fee was paid, or could not be.
TELL: list[Callable[[AsyncSession, Invoice, Payment | None], Awaitable[None]]] = []


# What follows as the bill of a booking's fill opens, or is void, for good.
ON_OPEN: list[Callable[[AsyncSession, str], Awaitable[None]]] = []


async def open_and_settle(invoice_id: str) -> None:
    """Open a draft, settle it from the hold and by a charge, and release what is still held.

    Raises:
        stripe.Unavailable: If an outcome is not known; a second call goes on.
    """
    async with transaction() as session:
        row = await find_row(session, StoredInvoice, invoice_id, lock=True)
        if row is None:
            return
        if row.state == DRAFT:
            await fill_invoices.open_fill(session, row)
        booking_id = row.booking_id or ""
    async with transaction() as session:
        unknown = [each.id for each in await queries.holds_of(session, booking_id, NEW)]
    for payment_id in unknown:
        await fill_invoices.perform_authorization(payment_id)
    await charges.settle_invoice(invoice_id, _FIRST)
    async with transaction() as session:
        await fill_invoices.release_authorizations(session, booking_id)


async def fill_paid(
    session: AsyncSession, row: StoredInvoice, payment: StoredPayment | None
) -> None:
    """Credit who referred the customer, and tell."""
    if row.kind == FILL and row.paid_cents:
        await fill_invoices.credit_referrer(session, row)
    await _tell_paid(session, row, payment)


async def _tell_paid(
    session: AsyncSession, row: StoredInvoice, payment: StoredPayment | None
) -> None:
    invoice = invoices.invoice_of(row, await queries.lines_of(session, row.id))
    for tell in TELL:
        await tell(session, invoice, payment and payments.payment_of(payment))
