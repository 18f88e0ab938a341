"""Queries of the money's reports, and balances, invoices and journal compared.

All go by an index; sums read each entry of their days once.
"""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import case, func, or_, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.queries.attention import DUE
from fuel_app.billing.rules.corrections import NEEDS_RESPONSE, WAIVED
from fuel_app.billing.rules.invoices import DISPUTED, OPEN, RECEIVABLE
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
_payment, _payer = col(StoredPayment.id), col(Payer.id)

_DISPUTED_AT = (
    select(func.max(col(JournalEntry.at)))
    .where(
        col(JournalEntry.invoice_id) == col(StoredPayment.invoice_id),
        col(JournalEntry.debit) == DISPUTED,
    )
    .scalar_subquery()
)

# The payer, the person, and how many cents they owe.
Owes = tuple[str, str | None, int]


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


async def debtors(session: AsyncSession, number: int) -> tuple[Page[Owes], Money]:
    """Return a page of those who owe something, the oldest debt first, and all debts together.

    Two statements by the index of open invoices.
    """
    of_payer, opened = col(StoredInvoice.payer_id), func.min(col(StoredInvoice.opened_at))
    debts = (
        select(of_payer, func.sum(DUE), opened)
        .where(col(StoredInvoice.state) == OPEN)
        .group_by(of_payer)
    )
    each = debts.subquery().c
    counted = select(func.count(), func.coalesce(func.sum(each[1]), 0))
    count, cents = (await session.execute(counted)).one()
    pages = pages_of(count, PAGE_SIZE)
    page = min(number, pages)
    with_person = select(each[0], col(Payer.person_id), each[1]).join(Payer, _payer == each[0])
    shown = with_person.order_by(each[2], each[0]).offset((page - 1) * PAGE_SIZE).limit(PAGE_SIZE)
    rows = [(payer, person, int(due)) for payer, person, due in await session.execute(shown)]
    return Page(tuple(rows), page, pages, count), Money(int(cents))


async def open_invoices(
    session: AsyncSession, payer_ids: Collection[str]
) -> dict[str, list[StoredInvoice]]:
    """Return the open invoices of payers, the oldest first."""
    open_ = select(StoredInvoice).where(
        col(StoredInvoice.payer_id).in_(payer_ids), col(StoredInvoice.state) == OPEN
    )
    found: dict[str, list[StoredInvoice]] = {each: [] for each in payer_ids}
    for row in await session.scalars(open_.order_by(col(StoredInvoice.number))):
        found[row.payer_id].append(row)
    return found


async def last_tries(
    session: AsyncSession, invoice_ids: Collection[str]
) -> dict[str, StoredPayment]:
    """Return the last payment of each payer among those of invoices."""
    tries = select(StoredPayment).where(col(StoredPayment.invoice_id).in_(invoice_ids))
    in_order = tries.order_by(col(StoredPayment.id))
    return {row.payer_id: row for row in await session.scalars(in_order)}


async def disputes(
    session: AsyncSession,
) -> list[tuple[StoredPayment, str | None, datetime, int | None]]:
    """Return disputed payments, those to answer first by their deadline, then the latest.

    Each with its person, when its dispute began, and the number of its invoice. An inquiry moves
    no money: it is as of the payment.
    """
    at, dispute = func.coalesce(_DISPUTED_AT, _created), col(StoredPayment.dispute)
    waits = dispute.in_(NEEDS_RESPONSE)
    due_at = case((waits, col(StoredPayment.dispute_due_at)))
    statement = (
        select(StoredPayment, col(Payer.person_id), at, col(StoredInvoice.number))
        .join(Payer, _payer == col(StoredPayment.payer_id))
        .outerjoin(StoredInvoice, col(StoredInvoice.id) == col(StoredPayment.invoice_id))
        .where(dispute != "")
        .order_by(case((waits, 0), else_=1), due_at.nulls_last(), at.desc(), _payment.desc())
        .limit(MOST)
    )
    return [tuple(row) for row in await session.execute(statement)]  # type: ignore[misc]


async def find_disputed(session: AsyncSession, payment_id: str) -> StoredPayment | None:
    """Return a payment that is disputed, or was."""
    payment = select(StoredPayment).where(_payment == payment_id, col(StoredPayment.dispute) != "")
    return await session.scalar(payment)


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
