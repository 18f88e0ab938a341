"""Queries on invoices, their lines and payments."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.corrections import KEPT
from fuel_app.billing.rules.invoices import FILL, OPEN, Line, sum_of
from fuel_app.billing.rules.payments import AUTHORIZED, FAILED, HOSTED, NEW
from fuel_app.billing.tables import Counter, InvoiceLine, Payer, StoredInvoice, StoredPayment
from fuel_app.kit.db.session import insert_new
from fuel_app.kit.money import Money


async def by_key(session: AsyncSession, key: str) -> StoredInvoice | None:
    found = select(StoredInvoice).where(col(StoredInvoice.key) == key)
    return await session.scalar(found.with_for_update())


async def paid_fills(session: AsyncSession, payer_id: str) -> int:
    """Count the fills that a payer has paid money for."""
    theirs = select(func.count()).where(
        col(StoredInvoice.payer_id) == payer_id,
        col(StoredInvoice.kind) == FILL,
        col(StoredInvoice.paid_cents) > 0,
    )
    return await session.scalar(theirs) or 0


async def disputed(session: AsyncSession, person_ids: Collection[str]) -> set[str]:
    """Return the customers whose banks are taking a payment back."""
    theirs = (
        select(col(Payer.person_id))
        .join(StoredPayment, col(StoredPayment.payer_id) == col(Payer.id))
        .where(col(Payer.person_id).in_(person_ids), col(StoredPayment.dispute).not_in(KEPT))
    )
    return {each for each in await session.scalars(theirs) if each}


async def next_number(session: AsyncSession, name: str, count: int = 1) -> int:
    """Return the next number of a series, the first of `count` that are taken.

    Its row stays locked until the commit: no gaps.
    """
    await session.execute(insert_new(session, Counter).values(name=name, last=0))
    counted = update(Counter).where(col(Counter.name) == name)
    counted = counted.values(last=col(Counter.last) + count).returning(col(Counter.last))
    return (await session.scalars(counted)).one() - count + 1


async def lines_of(session: AsyncSession, invoice_id: str) -> tuple[Line, ...]:
    """Return the lines of an invoice in their order."""
    return (await lines_of_all(session, [invoice_id])).get(invoice_id, ())


async def lines_of_all(
    session: AsyncSession, invoice_ids: Collection[str]
) -> dict[str, tuple[Line, ...]]:
    """Return the lines of several invoices."""
    theirs = select(InvoiceLine).where(col(InvoiceLine.invoice_id).in_(invoice_ids))
    in_order = theirs.order_by(col(InvoiceLine.invoice_id), col(InvoiceLine.position))
    found: dict[str, tuple[Line, ...]] = {}
    for row in await session.scalars(in_order):
        line = Line(row.kind, row.text, Money(row.amount_cents), row.milligallons, row.price_mills)
        found[row.invoice_id] = (*found.get(row.invoice_id, ()), line)
    return found


async def rewrite(
    session: AsyncSession, row: StoredInvoice, lines: Sequence[Line], details: dict[str, Any]
) -> None:
    """Replace what a locked draft says."""
    theirs = delete(InvoiceLine).where(col(InvoiceLine.invoice_id) == row.id)
    await session.execute(theirs)
    row.total_cents, row.details = sum_of(tuple(lines)).cents, details
    await add_lines(session, row.id, lines)


async def add_lines(
    session: AsyncSession, invoice_id: str, lines: Sequence[Line], *, first: int = 0
) -> None:
    """Store lines; the position of the first one is `first`."""
    session.add_all(line_rows(invoice_id, lines, first))
    await session.flush()


def line_rows(invoice_id: str, lines: Sequence[Line], first: int = 0) -> list[InvoiceLine]:
    """Return the rows of lines, to be stored."""
    return [
        InvoiceLine(
            invoice_id=invoice_id,
            position=position,
            kind=line.kind,
            text=line.text,
            amount_cents=line.amount.cents,
            milligallons=line.milligallons,
            price_mills=line.price_mills,
        )
        for position, line in enumerate(lines, first)
    ]


async def payment_by_key(session: AsyncSession, key: str) -> StoredPayment | None:
    return await session.scalar(select(StoredPayment).where(col(StoredPayment.key) == key))


async def payments_of(session: AsyncSession, invoice_id: str) -> list[StoredPayment]:
    """Return the payments of an invoice, the oldest first."""
    theirs = select(StoredPayment).where(col(StoredPayment.invoice_id) == invoice_id)
    return list(await session.scalars(theirs.order_by(col(StoredPayment.id))))


async def new_payment(session: AsyncSession, invoice_id: str) -> StoredPayment | None:
    """Return the payment of an invoice whose outcome is not known yet."""
    return await session.scalar(
        select(StoredPayment).where(
            col(StoredPayment.invoice_id) == invoice_id, col(StoredPayment.state) == NEW
        )
    )


async def holds_of(session: AsyncSession, booking_id: str, *states: str) -> list[StoredPayment]:
    """Return the holds of a booking, by default those neither captured nor released, locked."""
    theirs = select(StoredPayment).where(
        col(StoredPayment.booking_id) == booking_id,
        col(StoredPayment.state).in_(states or (AUTHORIZED,)),
    )
    return list(await session.scalars(theirs.order_by(col(StoredPayment.id)).with_for_update()))


async def last_holds(
    session: AsyncSession, booking_ids: Collection[str]
) -> dict[str, StoredPayment]:
    """Return the last hold of bookings, by booking; not one that waits to be confirmed."""
    theirs = select(StoredPayment).where(
        col(StoredPayment.booking_id).in_(booking_ids), col(StoredPayment.kind) != HOSTED
    )
    rows = await session.scalars(theirs.order_by(col(StoredPayment.id)))
    return {row.booking_id or "": row for row in rows}


async def declined_of(session: AsyncSession, payer_id: str, since: datetime) -> set[str]:
    """Return the bookings of a payer for which a hold was declined."""
    theirs = select(col(StoredPayment.booking_id)).where(
        col(StoredPayment.payer_id) == payer_id,
        col(StoredPayment.state) == FAILED,
        col(StoredPayment.created_at) > since,
    )
    return {each for each in await session.scalars(theirs) if each}


async def payment_by_intent(session: AsyncSession, intent_id: str) -> StoredPayment | None:
    """Lock the payment of an object of Stripe."""
    theirs = select(StoredPayment).where(col(StoredPayment.provider_id) == intent_id)
    return await session.scalar(theirs.with_for_update())


async def open_invoices(session: AsyncSession, payer_id: str) -> list[StoredInvoice]:
    """Return a payer's unpaid invoices, the oldest first."""
    theirs = select(StoredInvoice).where(
        col(StoredInvoice.payer_id) == payer_id, col(StoredInvoice.state) == OPEN
    )
    return list(await session.scalars(theirs.order_by(col(StoredInvoice.number))))


async def debts(
    session: AsyncSession, person_ids: Collection[str] | None = None
) -> dict[str, Money]:
    """Return what customers owe, by default all of them, where they owe anything, by person."""
    due = (
        col(StoredInvoice.total_cents)
        - col(StoredInvoice.paid_cents)
        - col(StoredInvoice.waived_cents)
    )
    owed = (
        select(col(Payer.person_id), func.sum(due))
        .join(StoredInvoice, col(StoredInvoice.payer_id) == col(Payer.id))
        .where(col(StoredInvoice.state) == OPEN)
        .group_by(col(Payer.person_id))
    )
    if person_ids is not None:
        owed = owed.where(col(Payer.person_id).in_(person_ids))
    rows = await session.execute(owed)
    return {person_id: Money(cents) for person_id, cents in rows if person_id}
