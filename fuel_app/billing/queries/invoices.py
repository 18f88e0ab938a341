"""Queries on invoices, their lines, payments and refunds, and on those whose outcome is overdue."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlmodel import SQLModel, col

from fuel_app.billing.rules.corrections import NOT_TAKEN
from fuel_app.billing.rules.invoices import FILL, OPEN, Line, sum_of
from fuel_app.billing.rules.payments import AUTHORIZED, FAILED, HOSTED, NEW, SUCCEEDED
from fuel_app.billing.rules.receipts import NotePart, PaidPart
from fuel_app.billing.tables import (
    Counter,
    CreditNote,
    InvoiceLine,
    Payer,
    Refund,
    StoredInvoice,
    StoredPayment,
)
from fuel_app.kit.db.session import insert_new
from fuel_app.kit.money import Money

_Row = TypeVar("_Row", bound=SQLModel)


async def row_by(
    session: AsyncSession, table: type[_Row], *, lock: bool = False, **values: str
) -> _Row | None:
    """Return the row with a value in a unique column."""
    statement = select(table).filter_by(**values)
    return await session.scalar(statement.with_for_update() if lock else statement)


async def bills_of(session: AsyncSession, booking_id: str) -> list[StoredInvoice]:
    """Return the invoices of a visit, the first one first."""
    theirs = select(StoredInvoice).filter_by(booking_id=booking_id)
    return list(await session.scalars(theirs.order_by(col(StoredInvoice.id))))


async def paid_fills(session: AsyncSession, payer_id: str) -> int:
    """Count the fills that a payer has paid money for."""
    statement = select(func.count()).where(
        col(StoredInvoice.payer_id) == payer_id,
        col(StoredInvoice.kind) == FILL,
        col(StoredInvoice.paid_cents) > 0,
    )
    return await session.scalar(statement) or 0


async def disputed(session: AsyncSession, person_ids: Collection[str]) -> set[str]:
    """Return the customers whose banks are taking a payment back."""
    statement = (
        select(col(Payer.person_id))
        .join(StoredPayment, col(StoredPayment.payer_id) == col(Payer.id))
        .where(col(Payer.person_id).in_(person_ids), col(StoredPayment.dispute).not_in(NOT_TAKEN))
    )
    return {each for each in await session.scalars(statement) if each}


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
    if not invoice_ids:
        return {}
    statement = select(InvoiceLine).where(col(InvoiceLine.invoice_id).in_(invoice_ids))
    in_order = statement.order_by(col(InvoiceLine.invoice_id), col(InvoiceLine.position))
    found: dict[str, tuple[Line, ...]] = {}
    for row in await session.scalars(in_order):
        line = Line(row.kind, row.text, Money(row.amount_cents), row.milligallons, row.price_mills)
        found[row.invoice_id] = (*found.get(row.invoice_id, ()), line)
    return found


async def rewrite(
    session: AsyncSession, row: StoredInvoice, lines: Sequence[Line], details: dict[str, Any]
) -> None:
    """Replace what a locked draft says."""
    statement = delete(InvoiceLine).where(col(InvoiceLine.invoice_id) == row.id)
    await session.execute(statement)
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


async def payments_of(session: AsyncSession, invoice_id: str) -> list[StoredPayment]:
    """Return the payments of an invoice, the oldest first."""
    statement = select(StoredPayment).where(col(StoredPayment.invoice_id) == invoice_id)
    return list(await session.scalars(statement.order_by(col(StoredPayment.id))))


async def new_payment(session: AsyncSession, invoice_id: str) -> StoredPayment | None:
    """Return the payment of an invoice whose outcome is not known yet."""
    return await session.scalar(
        select(StoredPayment).where(
            col(StoredPayment.invoice_id) == invoice_id, col(StoredPayment.state) == NEW
        )
    )


async def holds_of(session: AsyncSession, booking_id: str, *states: str) -> list[StoredPayment]:
    """Return the holds of a booking, by default those neither captured nor released, locked."""
    statement = select(StoredPayment).where(
        col(StoredPayment.booking_id) == booking_id,
        col(StoredPayment.state).in_(states or (AUTHORIZED,)),
    )
    return list(await session.scalars(statement.order_by(col(StoredPayment.id)).with_for_update()))


async def last_holds(
    session: AsyncSession, booking_ids: Collection[str]
) -> dict[str, StoredPayment]:
    """Return the last hold of bookings, by booking; not one that waits to be confirmed."""
    statement = select(StoredPayment).where(
        col(StoredPayment.booking_id).in_(booking_ids), col(StoredPayment.kind) != HOSTED
    )
    rows = await session.scalars(statement.order_by(col(StoredPayment.id)))
    return {row.booking_id or "": row for row in rows}


async def declined_of(session: AsyncSession, payer_id: str, since: datetime) -> set[str]:
    """Return the bookings of a payer for which a hold was declined."""
    statement = select(col(StoredPayment.booking_id)).where(
        col(StoredPayment.payer_id) == payer_id,
        col(StoredPayment.state) == FAILED,
        col(StoredPayment.created_at) > since,
    )
    return {each for each in await session.scalars(statement) if each}


async def declined_holds(session: AsyncSession, since: datetime) -> list[StoredPayment]:
    """Return the holds that were declined since a moment, where the booking has no later one.

    By the index of states: O(declined holds of that time).
    """
    later = aliased(StoredPayment)
    is_replaced = exists().where(
        col(later.booking_id) == col(StoredPayment.booking_id),
        col(later.id) > col(StoredPayment.id),
        col(later.kind) != HOSTED,
    )
    statement = select(StoredPayment).where(
        col(StoredPayment.state) == FAILED,
        col(StoredPayment.created_at) > since,
        col(StoredPayment.booking_id).is_not(None),
        col(StoredPayment.kind) != HOSTED,
        ~is_replaced,
    )
    return list(await session.scalars(statement))


async def open_invoices(session: AsyncSession, payer_id: str) -> list[StoredInvoice]:
    """Return a payer's unpaid invoices, the oldest first."""
    statement = select(StoredInvoice).where(
        col(StoredInvoice.payer_id) == payer_id, col(StoredInvoice.state) == OPEN
    )
    return list(await session.scalars(statement.order_by(col(StoredInvoice.number))))


_DUE = (
    col(StoredInvoice.total_cents) - col(StoredInvoice.paid_cents) - col(StoredInvoice.waived_cents)
)


async def payer_with_debt(session: AsyncSession, person_id: str) -> tuple[Payer | None, int]:
    """Return a person's payer, and the cents of their unpaid invoices."""
    owed = select(func.coalesce(func.sum(_DUE), 0)).where(
        col(StoredInvoice.payer_id) == col(Payer.id), col(StoredInvoice.state) == OPEN
    )
    statement = select(Payer, owed.correlate(Payer).scalar_subquery())
    row = (await session.execute(statement.where(col(Payer.person_id) == person_id))).first()
    return (row[0], int(row[1])) if row else (None, 0)


async def debts(
    session: AsyncSession, person_ids: Collection[str] | None = None
) -> dict[str, Money]:
    """Return what customers owe, by default all of them, where they owe anything, by person."""
    owed = (
        select(col(Payer.person_id), func.sum(_DUE))
        .join(StoredInvoice, col(StoredInvoice.payer_id) == col(Payer.id))
        .where(col(StoredInvoice.state) == OPEN)
        .group_by(col(Payer.person_id))
    )
    if person_ids is not None:
        owed = owed.where(col(Payer.person_id).in_(person_ids))
    rows = await session.execute(owed)
    return {person_id: Money(cents) for person_id, cents in rows if person_id}


_OPENED = col(StoredInvoice.number).is_not(None)


async def last_with(
    session: AsyncSession, column: Any, value: str
) -> tuple[StoredInvoice, str] | None:
    """Return the last invoice with a value in a column, and whose it is; empty for a guest's."""
    invoices = select(StoredInvoice, col(Payer.person_id)).where(_OPENED, column == value)
    theirs = invoices.join(Payer, col(Payer.id) == col(StoredInvoice.payer_id))
    last = theirs.order_by(col(StoredInvoice.number).desc()).limit(1)
    row = (await session.execute(last)).first()
    return (row[0], row[1] or "") if row else None


async def receipts_of_bookings(
    session: AsyncSession, booking_ids: Collection[str]
) -> dict[str, str]:
    """Return the ids of invoices by booking."""
    columns = select(col(StoredInvoice.booking_id), col(StoredInvoice.id)).where(_OPENED)
    theirs = columns.where(col(StoredInvoice.booking_id).in_(booking_ids))
    rows = await session.execute(theirs.order_by(col(StoredInvoice.number)))
    return {booking_id: invoice_id for booking_id, invoice_id in rows if booking_id}


async def opened_of_person(
    session: AsyncSession, person_id: str, limit: int, before: str
) -> list[StoredInvoice]:
    """Return a page of a person's invoices, the latest first; `before` is an id."""
    theirs = select(StoredInvoice).join(Payer, col(Payer.id) == col(StoredInvoice.payer_id))
    theirs = theirs.where(_OPENED, col(Payer.person_id) == person_id)
    theirs = theirs.where(col(StoredInvoice.id) < before) if before else theirs
    return list(await session.scalars(theirs.order_by(col(StoredInvoice.id).desc()).limit(limit)))


async def paid_parts(session: AsyncSession, invoice_id: str) -> list[PaidPart]:
    """Return what each payment has contributed; what was more than due has gone back."""
    returned = (
        select(func.coalesce(func.sum(col(Refund.amount_cents)), 0))
        .where(col(Refund.payment_id) == col(StoredPayment.id))
        .where(col(Refund.credit_note_id).is_(None), col(Refund.state) != "retried")
        .scalar_subquery()
    )
    statement = select(StoredPayment, col(StoredPayment.captured_cents) - returned).where(
        col(StoredPayment.invoice_id) == invoice_id, col(StoredPayment.state) == SUCCEEDED
    )
    rows = await session.execute(statement.order_by(col(StoredPayment.id)))
    return [_part(row, kept) for row, kept in rows if kept]


def _part(row: StoredPayment, kept_cents: int) -> PaidPart:
    at: datetime = row.settled_at or row.created_at
    if row.kind == HOSTED:  # which card it was is known to Stripe alone
        return PaidPart(Money(kept_cents), at)
    return PaidPart(Money(kept_cents), at, row.card_brand, row.card_last4)


async def note_parts(session: AsyncSession, invoice_id: str) -> list[NotePart]:
    """Return the credit notes of an invoice, the oldest first."""
    statement = select(CreditNote).where(col(CreditNote.invoice_id) == invoice_id)
    rows = await session.scalars(statement.order_by(col(CreditNote.number)))
    return [NotePart(row.number, row.way, Money(row.amount_cents), row.at) for row in rows]


async def refunded_cents(session: AsyncSession, payment_id: str) -> int:
    """Return the cents of a payment that have gone back, or are about to."""
    statement = select(func.coalesce(func.sum(col(Refund.amount_cents)), 0)).where(
        col(Refund.payment_id) == payment_id, col(Refund.state).in_((NEW, SUCCEEDED))
    )
    return await session.scalar(statement) or 0


def _late_payments(before: datetime) -> ColumnElement[bool]:
    """Select payments from before a moment: captures, too, but no checkouts."""
    state = col(StoredPayment.state)
    is_capture = and_(state == AUTHORIZED, col(StoredPayment.invoice_id).is_not(None))
    is_late = col(StoredPayment.created_at) < before
    return and_(is_late, col(StoredPayment.kind) != HOSTED, or_(state == NEW, is_capture))


def _late_refunds(before: datetime) -> ColumnElement[bool]:
    return and_(col(Refund.state) == NEW, col(Refund.created_at) < before)


async def late_payments(
    session: AsyncSession, before: datetime, most: int
) -> list[StoredPayment | Refund]:
    """Return payments, and then refunds, from before a moment, the last tried at the end.

    One index scan of each table. `most` of each are returned.
    """
    found: list[StoredPayment | Refund] = []
    for table, are_late in ((StoredPayment, _late_payments), (Refund, _late_refunds)):
        in_turn = col(table.tried_at).nulls_first(), col(table.created_at)
        statement = select(table).where(are_late(before)).order_by(*in_turn)
        found.extend(await session.scalars(statement.limit(most)))
    return found


async def count_late(session: AsyncSession, before: datetime) -> int:
    """Return how many there are."""
    total = 0
    for table, are_late in ((StoredPayment, _late_payments), (Refund, _late_refunds)):
        counted = select(func.count()).select_from(table).where(are_late(before))
        total += await session.scalar(counted) or 0
    return total


async def note_try(session: AsyncSession, row: StoredPayment | Refund, now: datetime) -> None:
    """Note that the outcome of a payment or refund is asked for: the others come first next."""
    table = type(row)
    await session.execute(update(table).where(col(table.id) == row.id).values(tried_at=now))
