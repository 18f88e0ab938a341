"""Queries of the money's reports. All go by an index; sums read each entry of their days once."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, func, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.journal import DISPUTED
from fuel_app.billing.rules.payments import FAILED, NEW
from fuel_app.billing.rules.reports import PAGE_SIZE, Moved, Unmatched
from fuel_app.billing.tables import (
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


async def moved(session: AsyncSession, first: date, last: date) -> list[Moved]:
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
    found = (
        select(JournalEntry, col(StoredInvoice.number))
        .outerjoin(StoredInvoice, col(StoredInvoice.id) == col(JournalEntry.invoice_id))
        .where(rest, _day <= last)
        .order_by(_day, _number)
        .limit(limit)
    )
    return [(entry, number) for entry, number in await session.execute(found)]


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
    theirs = select(*found).where(condition)
    joined = theirs.join(Payer, col(Payer.id) == col(StoredPayment.payer_id))
    return joined.order_by(at.desc(), col(StoredPayment.id).desc())


async def _found(session: AsyncSession, rows: Any) -> list[Found]:
    return [tuple(row) for row in await session.execute(rows)]  # type: ignore[misc]


async def unmatched(session: AsyncSession) -> Sequence[Unmatched]:
    """Return the latest webhooks whose object is none of ours."""
    received = col(WebhookEvent.received_at)
    found = select(WebhookEvent).where(col(WebhookEvent.outcome) == "unmatched")
    rows = await session.scalars(found.order_by(received.desc()).limit(MOST))
    return [
        Unmatched(row.id, row.type, row.object_id, clock.date_and_time(row.received_at))
        for row in rows
    ]
