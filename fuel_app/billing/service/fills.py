"""Bills of fills: a draft at Done, opened and settled 15 minutes later; late fees at once."""

from collections.abc import Awaitable, Callable, Collection
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.fills import (
    OPENED_AFTER,
    InvoiceIsOpen,
    PaymentDisputed,
    PaymentOpen,
    Whose,
)
from fuel_app.billing.rules.invoices import DRAFT, FILL, LATE_FEE, PAID, Invoice, Line
from fuel_app.billing.rules.payments import NEW, Payment
from fuel_app.billing.service import holds, invoicing, paying, referring, settling
from fuel_app.billing.tables import StoredInvoice, StoredPayment
from fuel_app.kit import clock, jobs
from fuel_app.kit.db.rows import find_row
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money

JOB = "billing.open_fill"
_FIRST = "first"  # attempt to settle

# Tell the customer that a fill or late fee was paid, or could not be.
TELL: list[Callable[[AsyncSession, Invoice, Payment | None], Awaitable[None]]] = []
# What follows as the bill of a booking's fill opens, or is void, for good.
ON_OPEN: list[Callable[[AsyncSession, str], Awaitable[None]]] = []


async def bill(
    session: AsyncSession, whose: Whose, lines: tuple[Line, ...], details: dict[str, Any]
) -> None:
    """Draft the bill of a fill, or rewrite the draft; one without lines will be void.

    Raises:
        InvoiceIsOpen: If it is too late to rewrite it.
    """
    key = f"{FILL}:{whose.booking_id}"
    known = await queries.by_key(session, key)
    if known is None:
        payer = await holds.payer_of(session, whose)
        more = {"lines": lines, "booking_id": whose.booking_id, "details": details}
        row = await invoicing.draft(session, key=key, kind=FILL, payer=payer, **more)
        run_at = clock.now() + OPENED_AFTER
        await jobs.enqueue(session, JOB, {"id": row.id}, key=f"{JOB}:{row.id}", run_at=run_at)
    elif known.state == DRAFT:
        await queries.rewrite(session, known, lines, details)
    else:
        raise InvoiceIsOpen


async def late_fee(session: AsyncSession, whose: Whose, amount: Money, text: str) -> None:
    """Open the bill of a late fee; a job settles it after the commit."""
    key = f"{LATE_FEE}:{whose.booking_id}"
    payer = await holds.payer_of(session, whose)
    more = {"lines": [Line(LATE_FEE, text, amount)], "booking_id": whose.booking_id}
    details = {"sold_to": whose.name}
    row = await invoicing.draft(
        session, key=key, kind=LATE_FEE, payer=payer, details=details, **more
    )
    await _open(session, row)
    await jobs.enqueue(session, JOB, {"id": row.id}, key=f"{JOB}:{row.id}")


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
            await _open(session, row)
        booking_id = row.booking_id or ""
    async with transaction() as session:
        unknown = [each.id for each in await queries.holds_of(session, booking_id, NEW)]
    for payment_id in unknown:
        await holds.perform(payment_id)
    await settling.settle(invoice_id, _FIRST)
    async with transaction() as session:
        await holds.release(session, booking_id)


async def _open(session: AsyncSession, row: StoredInvoice) -> None:
    for each in ON_OPEN if row.kind == FILL else ():
        await each(session, row.booking_id or "")
    if not await queries.lines_of(session, row.id):
        await invoicing.void(session, row)
        return
    await invoicing.spend_credit(session, row)
    await invoicing.open_invoice(session, row)
    if row.state == PAID:
        await paying.paid(session, row)


async def paid(session: AsyncSession, row: StoredInvoice, payment: StoredPayment | None) -> None:
    """Credit who referred the customer, and tell."""
    if row.kind == FILL and row.paid_cents:
        await referring.credit(session, row)
    await _tell(session, row, payment)


async def _tell(session: AsyncSession, row: StoredInvoice, payment: StoredPayment | None) -> None:
    invoice = invoicing.invoice_of(row, await queries.lines_of(session, row.id))
    for tell in TELL:
        await tell(session, invoice, payment and paying.payment_of(payment))


paying.ON_PAID.update({FILL: paid, LATE_FEE: paid})
paying.ON_DECLINED.update({FILL: _tell, LATE_FEE: _tell})


async def refusals_of(session: AsyncSession, person_ids: Collection[str]) -> dict[str, Refusal]:
    """Return why customers may not book, by person: a debt, or a dispute."""
    debts = await queries.debts(session, person_ids)
    found: dict[str, Refusal] = {
        person_id: PaymentDisputed() for person_id in await queries.disputed(session, person_ids)
    }
    return found | {person_id: PaymentOpen(amount) for person_id, amount in debts.items()}
