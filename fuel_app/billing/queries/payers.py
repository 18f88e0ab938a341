"""Queries on payers: cards and checkouts, invoices of plans, and what staff see of a payer."""

from collections import defaultdict
from collections.abc import Collection
from datetime import date, datetime
from typing import Any

from sqlalchemy import Select, func, or_, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.invoices import DRAFT, RENEWAL, START, SWITCH
from fuel_app.billing.rules.payments import NEW
from fuel_app.billing.tables import (
    Checkout,
    CorrectionRequest,
    CreditEntry,
    CreditNote,
    Payer,
    StoredInvoice,
    StoredPayment,
    WaivedFee,
)
from fuel_app.kit.limits import Given
from fuel_app.kit.money import Money


async def checkout_of(session: AsyncSession, payer_key: str, checkout_id: str) -> Checkout | None:
    """Return a payer's checkout, by our id or by the provider's."""
    statement = select(Checkout).join(Payer, col(Payer.id) == col(Checkout.payer_id))
    is_named = or_(col(Checkout.id) == checkout_id, col(Checkout.session_id) == checkout_id)
    return await session.scalar(statement.where(col(Payer.key) == payer_key, is_named))


async def lacking_cards(session: AsyncSession, payer_ids: Collection[str]) -> set[str]:
    """Return those of some payers who have no card."""
    without = select(col(Payer.id)).where(col(Payer.id).in_(payer_ids), col(Payer.card_id) == "")
    return {*await session.scalars(without)}


SHOWN = 200
GIVEN = "given:"  # begins the keys of the credit that staff give


async def latest_rows(
    session: AsyncSession, table: type[StoredInvoice | CreditEntry], payer_id: str
) -> list[Any]:
    """Return a payer's latest rows, the last one first."""
    statement = select(table).where(col(table.payer_id) == payer_id)
    return list(await session.scalars(statement.order_by(col(table.id).desc()).limit(SHOWN)))


async def rows_by(
    session: AsyncSession, column: Any, values: Collection[str]
) -> defaultdict[str, list[Any]]:
    """Return a table's rows by the value of a column, the oldest first."""
    found = defaultdict(list)
    statement = select(column.class_).where(column.in_(values)).order_by(column.class_.id)
    for row in await session.scalars(statement):
        found[getattr(row, column.key)].append(row)
    return found


async def given_to(session: AsyncSession, payer_id: str, since: datetime) -> list[Given]:
    """Return what was given to a payer since a moment, whoever has given it."""
    return await _given(
        session,
        since,
        notes=col(StoredInvoice.payer_id) == payer_id,
        credit=col(CreditEntry.payer_id) == payer_id,
        fees=col(WaivedFee.payer_id) == payer_id,
    )


async def given_by(session: AsyncSession, actor: str, since: datetime) -> list[Given]:
    """Return what an actor has given since a moment, to whomever."""
    return await _given(
        session,
        since,
        notes=col(CreditNote.actor) == actor,
        credit=col(CreditEntry.actor) == actor,
        fees=col(WaivedFee.actor) == actor,
    )


async def _given(
    session: AsyncSession, since: datetime, *, notes: Any, credit: Any, fees: Any
) -> list[Given]:
    """Return credit notes, credit by hand, and late fees waived with a booking.

    The credit entry of a credit note is not counted again.
    """
    of_invoice = col(StoredInvoice.id) == col(CreditNote.invoice_id)
    by_hand = col(CreditEntry.key).startswith(GIVEN)
    found = union_all(
        _columns(CreditNote)
        .join(StoredInvoice, of_invoice)
        .where(notes, col(CreditNote.at) > since),
        _columns(CreditEntry).where(credit, by_hand, col(CreditEntry.at) > since),
        _columns(WaivedFee).where(fees, col(WaivedFee.at) > since),
    )
    return [Given(*row) for row in await session.execute(found)]


def _columns(table: type[CreditNote | CreditEntry | WaivedFee]) -> Select[str, int, datetime]:
    return select(col(table.actor), col(table.amount_cents), col(table.at))


async def forget_reasons(
    session: AsyncSession, payer_id: str, invoice_ids: Collection[str]
) -> None:
    """Empty what the staff wrote about a payer, the one thing that changes in such rows."""
    notes = update(CreditNote).where(col(CreditNote.invoice_id).in_(invoice_ids))
    entries = update(CreditEntry).where(col(CreditEntry.payer_id) == payer_id)
    await session.execute(notes.values(reason=""))
    await session.execute(entries.values(text=""))
    # An invoice that was a guest's has its requests from then.
    asked = or_(
        col(CorrectionRequest.payer_id) == payer_id,
        col(CorrectionRequest.invoice_id).in_(invoice_ids),
    )
    await session.execute(update(CorrectionRequest).where(asked).values(reason=""))


_request = col(CorrectionRequest.id)


async def requests_of(session: AsyncSession, payer_id: str, most: int) -> list[CorrectionRequest]:
    """Return the last requests about a payer, the newest first."""
    theirs = select(CorrectionRequest).where(col(CorrectionRequest.payer_id) == payer_id)
    return list(await session.scalars(theirs.order_by(_request.desc()).limit(most)))


async def is_requested(
    session: AsyncSession, payer_id: str, invoice_id: str | None, way: str, amount: Money
) -> bool:
    """Return whether just this waits for an admin's answer."""
    same = (
        col(CorrectionRequest.payer_id) == payer_id,
        col(CorrectionRequest.invoice_id) == invoice_id,
        col(CorrectionRequest.way) == way,
        col(CorrectionRequest.amount_cents) == amount.cents,
        col(CorrectionRequest.answer) == "",
    )
    return await session.scalar(select(_request).where(*same).limit(1)) is not None


_of_payer = col(StoredInvoice.payer_id) == col(Payer.id)
_kind, _state = col(StoredInvoice.kind), col(StoredInvoice.state)


async def invoice_of_period(
    session: AsyncSession, person_id: str, starts: date
) -> StoredInvoice | None:
    """Return the invoice by which a period was paid; the last one of a day with several."""
    statement = (
        select(StoredInvoice)
        .join(Payer, _of_payer)
        .where(
            col(Payer.person_id) == person_id,
            col(StoredInvoice.period) == starts,
            _kind.in_((START, SWITCH, RENEWAL)),
            col(StoredInvoice.opened_at).is_not(None),
        )
    )
    return await session.scalar(statement.order_by(col(StoredInvoice.number).desc()).limit(1))


async def charge_under_way(
    session: AsyncSession, person_id: str
) -> tuple[StoredInvoice, StoredPayment] | None:
    """Return the start or switch whose payment has no outcome yet, unlocked."""
    statement = (
        select(StoredInvoice, StoredPayment)
        .join(Payer, _of_payer)
        .join(StoredPayment, col(StoredPayment.invoice_id) == col(StoredInvoice.id))
        .where(
            col(Payer.person_id) == person_id,
            _kind.in_((START, SWITCH)),
            _state == DRAFT,
            col(StoredPayment.state) == NEW,
        )
    )
    row = (await session.execute(statement.limit(1))).first()
    return (row[0], row[1]) if row else None


async def with_payment_under_way(session: AsyncSession, person_ids: Collection[str]) -> set[str]:
    """Return the customers whose start or switch has no outcome yet."""
    statement = (
        select(col(Payer.person_id))
        .join(StoredInvoice, _of_payer)
        .where(col(Payer.person_id).in_(person_ids), _kind.in_((START, SWITCH)), _state == DRAFT)
    )
    return {each for each in await session.scalars(statement) if each}


async def plan_invoice_by_key(
    session: AsyncSession, key: str
) -> tuple[StoredInvoice, StoredPayment | None] | None:
    """Return an invoice with its last payment, unlocked."""
    statement = (
        select(StoredInvoice, StoredPayment)
        .outerjoin(StoredPayment, col(StoredPayment.invoice_id) == col(StoredInvoice.id))
        .where(col(StoredInvoice.key) == key)
        .order_by(col(StoredPayment.id).desc())
    )
    row = (await session.execute(statement.limit(1))).first()
    return (row[0], row[1]) if row else None


async def credits_of(session: AsyncSession, payer_ids: Collection[str]) -> dict[str, Money]:
    """Return the credit of payers: the sum of their entries. Those without any are left out."""
    payer, cents = col(CreditEntry.payer_id), func.sum(col(CreditEntry.amount_cents))
    rows = await session.execute(select(payer, cents).where(payer.in_(payer_ids)).group_by(payer))
    return {row[0]: Money(row[1]) for row in rows}


async def payer_with_credit(session: AsyncSession, person_id: str) -> tuple[Payer | None, Money]:
    """Return a customer's payer with their credit."""
    entries = select(func.sum(col(CreditEntry.amount_cents)))
    credit = entries.where(col(CreditEntry.payer_id) == col(Payer.id)).scalar_subquery()
    statement = select(Payer, credit).where(col(Payer.person_id) == person_id)
    row = (await session.execute(statement)).first()
    return (row[0], Money(row[1] or 0)) if row else (None, Money(0))
