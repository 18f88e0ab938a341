"""One person's money as their e-mail is verified, and as the account is closed and emptied."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.queries import accounts as queries
from fuel_app.billing.queries import invoices
from fuel_app.billing.rules.invoices import PAID, Debt
from fuel_app.billing.rules.receipts import PERSONAL
from fuel_app.billing.service import cards, payers
from fuel_app.billing.tables import CreditEntry, CreditNote, StoredInvoice, StoredPayment
from fuel_app.kit import holders

_OF_INVOICE = {"id", "kind", "number", "state", "period", "details", "created_at", "opened_at"}
_OF_INVOICE |= {"total_cents", "paid_cents", "waived_cents", "refunded_cents"}
_OF_PAYMENT = {"kind", "state", "amount_cents", "captured_cents", "created_at", "settled_at"}
_OF_PAYMENT |= {"card_brand", "card_last4", "code"}
_OF_NOTE = {"number", "way", "amount_cents", "reason", "at"}
_OF_CARD = {"card_brand", "card_last4", "card_month", "card_year"}
_OF_ENTRY = {"amount_cents", "text", "at"}


async def _verified(_session: AsyncSession, _person_id: str, _email: str) -> None:
    """Attach nothing: a guest's payer has no e-mail, but a booking, for `attach`."""


async def attach(session: AsyncSession, person_id: str, booking_ids: Collection[str]) -> None:
    """Give a person the paid invoices of the bookings that they have made as a guest.

    What is open stays with the card that was agreed to it.
    """
    found = await queries.by(session, col(StoredInvoice.booking_id), booking_ids)
    paid = [row for rows in found.values() for row in rows if row.state == PAID]
    if paid:
        payer = await payers.of_person(session, person_id)
        for row in paid:
            row.payer_id = payer.id
        await session.flush()


async def closing(session: AsyncSession, person_id: str) -> None:
    """Refuse to close an account that owes something.

    Raises:
        Debt
    """
    if await invoices.debts(session, [person_id]):
        raise Debt


async def data_of(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's invoices with lines, payments and credit notes, and their credit."""
    payer = await queries.payer_of(session, person_id)
    if payer is None:
        return {"card": None, "invoices": [], "credits": []}
    rows = await _invoices(session, payer.id)
    ids = [row.id for row in rows]
    lines = await invoices.lines_of_all(session, ids)
    payments = await queries.by(session, col(StoredPayment.invoice_id), ids)
    notes = await queries.by(session, col(CreditNote.invoice_id), ids)
    entries = await queries.by(session, col(CreditEntry.payer_id), [payer.id])
    return {
        "card": payer.model_dump(include=_OF_CARD) if payer.card_id else None,
        "invoices": [
            row.model_dump(include=_OF_INVOICE)
            | {
                "lines": [asdict(line) for line in lines.get(row.id, ())],
                "payments": [each.model_dump(include=_OF_PAYMENT) for each in payments[row.id]],
                "credit_notes": [each.model_dump(include=_OF_NOTE) for each in notes[row.id]],
            }
            for row in rows
        ],
        "credits": [each.model_dump(include=_OF_ENTRY) for each in entries[payer.id]],
    }


async def erase(session: AsyncSession, person_id: str) -> None:
    """Empty the personal data in a person's invoices and what staff wrote; forget the card.

    Numbers, dates and amounts stay, as the law asks for.
    """
    payer = await queries.payer_of(session, person_id)
    if payer is None:
        return
    if payer.card_id:
        await cards.detach_later(session, payer)
    payer.sqlmodel_update(cards.NO_CARD)
    theirs = await _invoices(session, payer.id)
    for row in theirs:
        emptied = {name: "" for name in PERSONAL if name in row.details}
        row.details = row.details | emptied
    await session.flush()
    await queries.forget_reasons(session, payer.id, [row.id for row in theirs])


async def _invoices(session: AsyncSession, payer_id: str) -> list[StoredInvoice]:
    return (await queries.by(session, col(StoredInvoice.payer_id), [payer_id]))[payer_id]


holders.HOLDERS.append(holders.Holder(_verified, closing, data_of, erase))
