"""Fills on their way to a receipt: the draft is opened 15 minutes after Done, then settled."""

from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.invoices import DRAFT, PAID
from fuel_app.billing.rules.payments import NEW
from fuel_app.billing.service import fill_invoices
from fuel_app.billing.tables import StoredInvoice
from fuel_app.bookings.service import fills as booked_fills
from fuel_app.kit.db.session import find_row, transaction
from fuel_app.outcomes.service import charges, consequences

_FIRST = "first"  # attempt to settle


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
            await booked_fills.use_plan_fill(session, row.booking_id or "")
            await fill_invoices.open_fill(session, row)
            if row.state == PAID:
                await consequences.invoice_paid(session, row)
        booking_id = row.booking_id or ""
    async with transaction() as session:
        unknown = [each.id for each in await queries.holds_of(session, booking_id, NEW)]
    for payment_id in unknown:
        await fill_invoices.perform_authorization(payment_id)
    await charges.settle_invoice(invoice_id, _FIRST)
    async with transaction() as session:
        await fill_invoices.release_authorizations(session, booking_id)
