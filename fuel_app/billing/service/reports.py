"""What staff see of the money: a customer's account; days, open payments, disputes; the journal.

Also one person's money for the download, and as an account is verified, closed and erased.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.billing.queries import attention
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.queries import payers as payer_queries
from fuel_app.billing.queries import reports as report_queries
from fuel_app.billing.rules.corrections import (
    NEEDS_RESPONSE,
    TO_CARD,
    TO_CREDIT,
    WAIVED,
    Account,
    InvoiceCard,
    Item,
)
from fuel_app.billing.rules.invoices import PAID, Debt, InvoiceGone, invoice_name
from fuel_app.billing.rules.payments import code_words
from fuel_app.billing.rules.receipts import emptied
from fuel_app.billing.rules.reports import (
    Debtor,
    Dispute,
    Earned,
    FailedRefund,
    MoneyDay,
    MoneyReport,
    Moved,
    deadline_words,
    month_before,
)
from fuel_app.billing.service import cards, invoices
from fuel_app.billing.service.cards import card_of
from fuel_app.billing.service.invoices import invoice_of
from fuel_app.billing.service.payments import payment_of
from fuel_app.billing.tables import (
    CreditEntry,
    CreditNote,
    JournalEntry,
    Payer,
    Refund,
    StoredInvoice,
    StoredPayment,
)
from fuel_app.kit import audit, clock
from fuel_app.kit.clock import months_later
from fuel_app.kit.csv import BOM, lines, moment
from fuel_app.kit.db.session import find_row, reading
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.words import counted

_MANY = 500
GUEST = "A guest"
COLUMNS = ("Date", "Entry", "Account", "Debit", "Credit", "Invoice", "Text", "Time")


async def of_days(actor: Actor, first: date, last: date, *, page: int) -> MoneyReport:
    """Return what is owed, disputed and failed now, and the money of some days and of two months.

    Raises:
        NotAllowed
    """
    actor.require(Role.ADMIN)
    now = clock.now()
    today = clock.day_of(now)
    async with reading() as session:
        debtors, owed = await report_queries.debtors(session, page)
        opened = await report_queries.open_invoices(session, [payer for payer, *_ in debtors.rows])
        invoice_ids = [row.id for theirs in opened.values() for row in theirs]
        tries = await report_queries.last_tries(session, invoice_ids)
        disputes = await report_queries.disputes(session)
        refunds = await attention.failed_refunds(session, report_queries.MOST)
        moved = await report_queries.moved_between(session, first, last)
        of_months = await report_queries.moved_between(session, month_before(today), today)
        webhooks = await report_queries.unmatched(session)
    people = [person for _, person, *_ in (*debtors.rows, *disputes, *refunds) if person]
    names = await directory.names(people)

    def who(person: str | None) -> dict[str, str]:
        return {"person_id": person or "", "who": names.get(person or "", GUEST)}

    days = [
        MoneyDay.of(clock.short_date(day), [*theirs])
        for day, theirs in groupby(moved, lambda each: each.day)
    ]
    return MoneyReport(
        owed=str(owed) if debtors.total else "",
        debtors=counted(debtors.total, "customer"),
        debts=tuple(
            _debtor(due, opened[payer], tries.get(payer), who(person))
            for payer, person, due in debtors.rows
        ),
        page=debtors.page,
        pages=debtors.pages,
        disputes=tuple(
            Dispute(
                payment_id=row.id,
                amount=str(Money(row.captured_cents)),
                when=clock.date_and_time(at),
                what=code_words(row.dispute),
                deadline=deadline_words(row.dispute_due_at, now)
                if row.dispute in NEEDS_RESPONSE
                else "",
                invoice_id=(row.invoice_id or "") if number else "",
                name=invoice_name(number),
                **who(person),
            )
            for row, person, at, number in disputes
        ),
        refunds=tuple(
            FailedRefund(
                refund_id=refund_id,
                when=clock.date_and_time(at),
                amount=str(Money(cents)),
                **who(person),
            )
            for refund_id, person, cents, at, _ in refunds
        ),
        months=tuple(_months(of_months, today)),
        days=(*reversed(days), MoneyDay.of("All days", moved)) if days else (),
        webhooks=tuple(webhooks),
    )


def _debtor(
    due: int, opened: Sequence[StoredInvoice], tried: StoredPayment | None, who: dict[str, str]
) -> Debtor:
    oldest, more = opened[0], len(opened) - 1
    last = payment_of(tried) if tried else None
    pending = "Being confirmed" if last and last.is_pending else ""
    return Debtor(
        amount=str(Money(due)),
        since=clock.short_date(clock.day_of(oldest.opened_at or oldest.created_at)),
        name=invoice_name(oldest.number),
        invoice_id=oldest.id,
        more=f"and {more} more" if more else "",
        what=(last.failure if last else "") or pending,
        **who,
    )


def _months(moved: Iterable[Moved], today: date) -> Iterable[MoneyDay]:
    """Return this month so far and the one before, each with the address of its days."""
    by_month: dict[date, list[Moved]] = {today.replace(day=1): [], month_before(today): []}
    for each in moved:
        by_month[each.day.replace(day=1)].append(each)
    for first, theirs in by_month.items():
        last = min(today, months_later(first, 1) - timedelta(days=1))
        days = {"first": first.isoformat(), "last": last.isoformat()}
        name = f"{first:%B %Y}" + (" so far" if last == today else "")
        yield MoneyDay.of(name, theirs, routes.asking(routes.SETTINGS_MONEY, days))


async def disputed_invoice(actor: Actor, payment_id: object) -> tuple[str, str]:
    """Return the invoice and the booking of a disputed payment; each may be empty.

    Raises:
        NotAllowed
        InvoiceGone: If there is no such payment, or none that is disputed.
    """
    actor.require(Role.ADMIN)
    async with reading() as session:
        row = await report_queries.find_disputed(session, well_formed_id(payment_id) or "")
        if row is None:
            raise InvoiceGone
        invoice = await find_row(session, StoredInvoice, row.invoice_id)
    return row.invoice_id or "", row.booking_id or (invoice.booking_id if invoice else "") or ""


async def earned(actor: Actor, first: date, last: date) -> dict[date, Earned]:
    """Return what was earned on each of some days in New York; days without entries are left out.

    Raises:
        NotAllowed
    """
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        moved = await report_queries.moved_between(session, first, last)
    return {day: Earned.of([*theirs]) for day, theirs in groupby(moved, lambda each: each.day)}


async def stream_journal(actor: Actor, first: date, last: date) -> AsyncIterator[str]:
    """Yield the journal of some days as a CSV file: each entry is two rows, debit and credit.

    Raises:
        NotAllowed
    """
    actor.require(Role.ADMIN)
    yield BOM + lines([COLUMNS])
    after = first, 0
    while True:
        async with reading() as session:
            found = await report_queries.entries(session, last, after=after, limit=_MANY)
        if not found:
            return
        yield await asyncio.to_thread(_written, found)
        entry, _ = found[-1]
        after = entry.day, entry.number or 0


def _written(entries: Iterable[tuple[JournalEntry, int | None]]) -> str:
    return lines(row for entry, number in entries for row in _csv_rows(entry, number))


def _csv_rows(entry: JournalEntry, number: int | None) -> Iterable[tuple[str, ...]]:
    """Return an entry as two rows for the bookkeeper: what is debited, what is credited."""
    amount, invoice = Money(entry.amount_cents).decimal, invoice_name(number)
    for account, debit, credit in ((entry.debit, amount, ""), (entry.credit, "", amount)):
        moved = (entry.day.isoformat(), str(entry.number), account, debit, credit)
        yield (*moved, invoice, entry.text, moment(entry.at))


_NOTE_WAYS = {TO_CARD: "refunded to the card", TO_CREDIT: "refunded as credit", WAIVED: "waived"}
_REFUND_STATES = {
    "new": "on its way",
    "succeeded": "arrived",
    "failed": "failed",
    "retried": "failed",
}


async def account_of(actor: Actor, person_id: object) -> Account:
    """Return a customer's account, by eight queries that each use an index."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        payer = await queries.row_by(session, Payer, person_id=well_formed_id(person_id) or "")
        if payer is None:
            return Account()
        rows = await payer_queries.latest_rows(session, StoredInvoice, payer.id)
        ids = [row.id for row in rows]
        lines = await queries.lines_of_all(session, ids)
        payments = await payer_queries.rows_by(session, StoredPayment.invoice_id, ids)
        notes = await payer_queries.rows_by(session, CreditNote.invoice_id, ids)
        note_ids = [note.id for theirs in notes.values() for note in theirs]
        refunds = await payer_queries.rows_by(session, Refund.credit_note_id, note_ids)
        entries = await payer_queries.latest_rows(session, CreditEntry, payer.id)
        credit = await invoices.credit_of(session, payer)
    actors = {note.actor for theirs in notes.values() for note in theirs}
    who = await directory.names(actors | {entry.actor for entry in entries})

    def note_of(row: CreditNote) -> Item:
        theirs = refunds[row.id]
        said = (
            row.reason,
            _made_by(row, who),
            *(f"refund {_REFUND_STATES[each.state]}" for each in theirs),
        )
        failed = next((each.id for each in theirs if each.state == "failed"), "")
        text, amount = f"CN-{row.number:06}, {_NOTE_WAYS[row.way]}", str(Money(row.amount_cents))
        return Item(text, ". ".join(said), amount, failed)

    invoice_cards = [
        InvoiceCard.of(
            invoice_of(row, lines.get(row.id, ())),
            [payment_of(each) for each in payments[row.id]],
            tuple(note_of(each) for each in notes[row.id]),
        )
        for row in rows
    ]
    changes = [
        Item(each.text, _made_by(each, who), str(Money(each.amount_cents))) for each in entries
    ]
    card = card_of(payer).name
    return Account(tuple(invoice_cards), str(credit), tuple(changes), card)


def _made_by(row: CreditNote | CreditEntry, who: dict[str, str]) -> str:
    return f"{who[row.actor]}, {clock.date_and_time(row.at)}"


_OF_INVOICE = {"id", "kind", "number", "state", "period", "details", "created_at", "opened_at"}
_OF_INVOICE |= {"total_cents", "paid_cents", "waived_cents", "refunded_cents"}
_OF_PAYMENT = {"kind", "state", "amount_cents", "captured_cents", "created_at", "settled_at"}
_OF_PAYMENT |= {"card_brand", "card_last4", "code"}
_OF_NOTE = {"number", "way", "amount_cents", "reason", "at"}
_OF_CARD = {"card_brand", "card_last4", "card_month", "card_year"}
_OF_ENTRY = {"amount_cents", "text", "at"}


async def attach_guest_payers(
    session: AsyncSession, person_id: str, booking_ids: Collection[str]
) -> None:
    """Give a person the paid invoices of the bookings that they have made as a guest.

    What is open stays with the card that was agreed to it.
    """
    found = await payer_queries.rows_by(session, col(StoredInvoice.booking_id), booking_ids)
    paid = [row for rows in found.values() for row in rows if row.state == PAID]
    if paid:
        # What staff wrote about them goes with them, and is emptied with the account.
        guests = {row.payer_id for row in paid}
        await audit.hand_over(session, "person", guests, person_id)
        payer = await invoices.payer_of_person(session, person_id)
        for row in paid:
            row.payer_id = payer.id
        await session.flush()


async def check_closable(session: AsyncSession, person_id: str) -> None:
    """Refuse to close an account that owes something.

    Raises:
        Debt
    """
    if await queries.debts(session, [person_id]):
        raise Debt


async def export_person(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's invoices with lines, payments and credit notes, and their credit."""
    payer = await queries.row_by(session, Payer, person_id=person_id)
    if payer is None:
        return {"card": None, "invoices": [], "credits": []}
    rows = await _invoices_of_payer(session, payer.id)
    ids = [row.id for row in rows]
    lines = await queries.lines_of_all(session, ids)
    payments = await payer_queries.rows_by(session, col(StoredPayment.invoice_id), ids)
    notes = await payer_queries.rows_by(session, col(CreditNote.invoice_id), ids)
    entries = await payer_queries.rows_by(session, col(CreditEntry.payer_id), [payer.id])
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


async def erase_person(session: AsyncSession, person_id: str) -> None:
    """Empty the personal data in a person's invoices and what staff wrote; forget the card.

    Numbers, dates and amounts stay, as the law asks for.
    """
    payer = await queries.row_by(session, Payer, person_id=person_id)
    if payer is None:
        return
    if payer.card_id:
        await cards.detach_later(session, payer)
    payer.sqlmodel_update(cards.NO_CARD)
    theirs = await _invoices_of_payer(session, payer.id)
    for row in theirs:
        row.details = emptied(row.details)
    await session.flush()
    await payer_queries.forget_reasons(session, payer.id, [row.id for row in theirs])


async def _invoices_of_payer(session: AsyncSession, payer_id: str) -> list[StoredInvoice]:
    return (await payer_queries.rows_by(session, col(StoredInvoice.payer_id), [payer_id]))[payer_id]
