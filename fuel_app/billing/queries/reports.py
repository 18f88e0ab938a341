"""Queries of the money's reports, and balances, invoices and journal compared.

All go by an index; sums read each entry of their days once.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, case, func, literal, or_, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.corrections import WAIVED
from fuel_app.billing.rules.invoices import DISPUTED, OPEN, RECEIVABLE
from fuel_app.billing.rules.payments import FAILED, NEW
from fuel_app.billing.rules.reports import PAGE_SIZE, Moved, Unmatched
from fuel_app.billing.tables import (
    CreditNote,
    JournalEntry,
    Payer,
    Refund,
    StoredInvoice,
    StoredPayment,
    WebhookEvent,
)
from fuel_app.kit import clock
from fuel_app.kit.lists import Page, pages_of
from fuel_app.kit.money import Money

MOST = 50
_day, _number = col(JournalEntry.day), col(JournalEntry.number)
_accounts = col(JournalEntry.debit), col(JournalEntry.credit)
_created = col(StoredPayment.created_at)
_OPEN_OR_FAILED = col(StoredPayment.state).in_((NEW, FAILED))

_DISPUTED_AT = (
    select(func.max(col(JournalEntry.at)))
    .where(
        col(JournalEntry.invoice_id) == col(StoredPayment.invoice_id),
        col(JournalEntry.debit) == DISPUTED,
    )
    .scalar_subquery()
)

# With the person, the amount in cents, when that was, and the refund if it is one.
Found = tuple[StoredPayment, str | None, int, datetime, str]


async def moved_between(session: AsyncSession, first: date, last: date) -> list[Moved]:
    """Return what moved between accounts on each day: O(entries of these days)."""
    amount = func.sum(col(JournalEntry.amount_cents))
    sums = select(_day, *_accounts, amount).where(_day.between(first, last))
    rows = await session.execute(sums.group_by(_day, *_accounts).order_by(_day))
    return [Moved(day, debit, credit, Money(int(cents))) for day, debit, credit, cents in rows]


async def entries(
    session: AsyncSession, last: date, *, after: tuple[date, int], limit: int
) -> list[tuple[JournalEntry, int | None]]:
    """Return entries in their order, with the number of their invoice.

    O(limit), wherever the page begins.
    """
    rest = tuple_(_day, _number) > after
    statement = (
        select(JournalEntry, col(StoredInvoice.number))
        .outerjoin(StoredInvoice, col(StoredInvoice.id) == col(JournalEntry.invoice_id))
        .where(rest, _day <= last)
        .order_by(_day, _number)
        .limit(limit)
    )
    return [(entry, number) for entry, number in await session.execute(statement)]


async def open_and_failed(session: AsyncSession, number: int) -> Page[Found]:
    """Return a page of payments that failed or have no outcome yet, the latest first."""
    counted = select(func.count()).select_from(StoredPayment).where(_OPEN_OR_FAILED)
    total = await session.scalar(counted) or 0
    pages = pages_of(total, PAGE_SIZE)
    page = min(number, pages)
    latest = _with_person(_OPEN_OR_FAILED).offset((page - 1) * PAGE_SIZE).limit(PAGE_SIZE)
    return Page(tuple(await _found(session, latest)), page, pages, total)


async def disputes(session: AsyncSession) -> list[Found]:
    """Return the latest disputed payments; an inquiry, which moves no money, as of the payment."""
    at = func.coalesce(_DISPUTED_AT, _created)
    return await _found(session, _with_person(col(StoredPayment.dispute) != "", at).limit(MOST))


async def failed_refunds(session: AsyncSession) -> list[Found]:
    """Return the latest refunds that failed and were not tried again."""
    amount, at = col(Refund.amount_cents), col(Refund.created_at)
    failed = (
        select(StoredPayment, col(Payer.person_id), amount, at, col(Refund.id))
        .join(Refund, col(Refund.payment_id) == col(StoredPayment.id))
        .join(Payer, col(Payer.id) == col(StoredPayment.payer_id))
        .where(col(Refund.state) == "failed")
        .order_by(at.desc())
        .limit(MOST)
    )
    return await _found(session, failed)


def _with_person(condition: ColumnElement[bool], at: Any = _created) -> Any:
    found = StoredPayment, col(Payer.person_id), col(StoredPayment.amount_cents), at, literal("")
    statement = select(*found).where(condition)
    joined = statement.join(Payer, col(Payer.id) == col(StoredPayment.payer_id))
    return joined.order_by(at.desc(), col(StoredPayment.id).desc())


async def _found(session: AsyncSession, rows: Any) -> list[Found]:
    return [tuple(row) for row in await session.execute(rows)]  # type: ignore[misc]


async def unmatched(session: AsyncSession) -> Sequence[Unmatched]:
    """Return the latest webhooks whose object is none of ours."""
    received = col(WebhookEvent.received_at)
    statement = select(WebhookEvent).where(col(WebhookEvent.outcome) == "unmatched")
    rows = await session.scalars(statement.order_by(received.desc()).limit(MOST))
    return [
        Unmatched(row.id, row.type, row.object_id, clock.date_and_time(row.received_at))
        for row in rows
    ]


_paid, _waived = col(StoredInvoice.paid_cents), col(StoredInvoice.waived_cents)
_noted, _is_waived = col(CreditNote.amount_cents), col(CreditNote.way) == WAIVED
_amount, _of_payment = col(JournalEntry.amount_cents), col(Refund.payment_id)


def _refunds_where(*conditions: Any) -> Any:
    """Return the refunds of payments, by invoice."""
    joined = select(col(StoredPayment.invoice_id), col(Refund.amount_cents))
    return joined.join(StoredPayment, col(StoredPayment.id) == _of_payment).where(*conditions)


# Of each, rows of an id and cents, whose sum has to be nothing for each id.
_CHECKS: dict[str, tuple[Any, ...]] = {
    # Paid is what was captured, without what was more than due and went back.
    "paid": (
        select(col(StoredInvoice.id), -_paid),
        select(col(StoredPayment.invoice_id), col(StoredPayment.captured_cents)),
        _refunds_where(
            col(Refund.credit_note_id).is_(None), col(Refund.state) != "retried"
        ).with_only_columns(col(StoredPayment.invoice_id), -col(Refund.amount_cents)),
    ),
    "waived": (
        select(col(StoredInvoice.id), _waived),
        select(col(CreditNote.invoice_id), -_noted).where(_is_waived),
    ),
    "refunded": (
        select(col(StoredInvoice.id), col(StoredInvoice.refunded_cents)),
        select(col(CreditNote.invoice_id), -_noted).where(~_is_waived),
    ),
    # Receivable is what is due, less what is on its way back to a card.
    "journal": (
        select(col(StoredInvoice.id), -(col(StoredInvoice.total_cents) - _paid - _waived)).where(
            col(StoredInvoice.state) == OPEN
        ),
        _refunds_where(col(Refund.state).in_(("new", "failed"))),
        select(
            col(JournalEntry.invoice_id),
            case((col(JournalEntry.debit) == RECEIVABLE, _amount), else_=-_amount),
        ).where(or_(col(JournalEntry.debit) == RECEIVABLE, col(JournalEntry.credit) == RECEIVABLE)),
    ),
}


async def differences(session: AsyncSession, most: int) -> list[dict[str, Any]]:
    """Return what differs: the check, the id of the payer or invoice, and by how many cents."""
    found = []
    for name, parts in _CHECKS.items():
        rows = union_all(*parts).subquery()
        key, cents = rows.c
        more = func.sum(cents)
        wrong = select(key, more).where(key.is_not(None)).group_by(key).having(more != 0)
        for of, by in await session.execute(wrong.order_by(key).limit(most)):
            found.append({"check": name, "of": of, "cents": int(by)})
    return found
