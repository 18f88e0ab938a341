"""Charging many new payments at once, and storing their outcomes in one transaction.

A renewal by itself is some 40 statements; among ten it is eight.
"""

import asyncio
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.providers.stripe import Intent
from fuel_app.billing.rules.payments import OPEN_STATES
from fuel_app.billing.service import paying
from fuel_app.billing.tables import Payer, StoredInvoice, StoredPayment
from fuel_app.kit.db.rows import get_rows
from fuel_app.kit.db.session import reading, transaction


async def perform_all(payment_ids: Sequence[str]) -> None:
    """Perform new charges, each as `paying.perform` does.

    Raises:
        stripe.Unavailable: If the outcome of one is not known; all others are stored.
    """
    async with reading() as session:
        rows = list((await get_rows(session, StoredPayment, payment_ids)).values())
        known = await get_rows(session, Payer, {row.payer_id for row in rows})
    calls = [paying.ask(row, known[row.payer_id]) for row in rows]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    pairs = zip(rows, answers, strict=True)
    outcomes = {row.id: each for row, each in pairs if not isinstance(each, BaseException)}
    try:
        async with transaction() as session:
            await _store_all(session, rows, outcomes)
    except Exception:  # of one, which must not hold up the others
        for payment_id, intent in outcomes.items():
            await paying.store(payment_id, intent)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer


async def _store_all(
    session: AsyncSession, asked: Sequence[StoredPayment], outcomes: dict[str, Intent]
) -> None:
    invoice_ids = {row.invoice_id for row in asked if row.invoice_id}
    invoices = await get_rows(session, StoredInvoice, invoice_ids, lock=True)
    _kept = await get_rows(session, Payer, {row.payer_id for row in asked})  # one query for all
    for row in (await get_rows(session, StoredPayment, outcomes, lock=True)).values():
        if row.state in OPEN_STATES:
            await paying.become(session, row, outcomes[row.id], invoices.get(row.invoice_id or ""))
