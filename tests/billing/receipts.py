"""Invoices of fills and plans, opened and paid, without the way that leads to them."""

import uuid
from dataclasses import asdict
from typing import Any

from fuel_app.billing.rules.invoices import FILL, OPEN, PAID, RENEWAL, Line
from fuel_app.billing.rules.receipts import FillDetails
from fuel_app.billing.service import invoices
from fuel_app.billing.tables import StoredInvoice, StoredPayment
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.money import Money

DETAILS = FillDetails(
    filled_at="2026-11-24T14:05:00+00:00",
    place="100 Main St, Sarasota, FL 34236",
    grade="regular",
    vehicle="2020 Toyota Camry",
    plate="ABC123 (FL)",
    ticket="004211",
    meter_start=1_204_118,
    meter_end=1_215_500,
)
FUEL = (
    Line("fuel", "Regular", Money(3937), 11_382, 3459),
    Line("convenience_fee", "Convenience fee", Money(1500)),
)
PLAN = (Line("plan", "Family plan", Money(4400)),)


async def an_invoice(
    person_id: str | None = None,
    *,
    lines: tuple[Line, ...] = FUEL,
    booking_id: str | None = None,
    state: str = PAID,
    sold_to: str = "",
) -> str:
    """Store a fill's invoice, or with `PLAN` a plan's. Return its id."""
    key, is_fill = str(uuid.uuid4()), lines is FUEL
    details: dict[str, Any] = asdict(DETAILS) | {"sold_to": sold_to} if is_fill else {}
    async with transaction() as session:
        payer = await (
            invoices.payer_of_person(session, person_id)
            if person_id
            else invoices.payer_of_guest(session, key)
        )
        row = await invoices.draft_invoice(
            session,
            key=key,
            kind=FILL if is_fill else RENEWAL,
            payer=payer,
            lines=lines,
            booking_id=booking_id,
            details=details,
        )
        if state in (OPEN, PAID):
            await invoices.open_invoice(session, row)
        if state == PAID:
            await invoices.receive_amount(session, row, Money(row.total_cents))
            session.add(
                StoredPayment(
                    key=key,
                    kind="charge",
                    state="succeeded",
                    payer_id=payer.id,
                    invoice_id=row.id,
                    card_brand="visa",
                    card_last4="4242",
                    amount_cents=row.total_cents,
                    captured_cents=row.total_cents,
                    settled_at=clock.now(),
                )
            )
        return row.id


async def invoice(invoice_id: str) -> StoredInvoice:
    async with reading() as session:
        found = await session.get(StoredInvoice, invoice_id)
    assert found
    return found
