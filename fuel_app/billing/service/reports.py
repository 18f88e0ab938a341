"""Admins look at the money: days, open payments, disputes; and the journal for the bookkeeper."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from datetime import date
from itertools import groupby

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.billing.queries import reports as queries
from fuel_app.billing.rules.reports import Concern, Earned, MoneyDay, MoneyReport
from fuel_app.billing.service.paying import payment_of
from fuel_app.billing.tables import JournalEntry
from fuel_app.kit import clock
from fuel_app.kit.csv import BOM, lines, moment
from fuel_app.kit.db.session import reading
from fuel_app.kit.money import Money

_MANY = 500
GUEST = "A guest"
COLUMNS = ("Date", "Entry", "Account", "Debit", "Credit", "Invoice", "Text", "Time")


async def of_days(actor: Actor, first: date, last: date, *, page: int) -> MoneyReport:
    """Return the money of some days, and what is open now.

    Raises:
        NotAllowed
    """
    actor.require(Role.ADMIN)
    async with reading() as session:
        moved = await queries.moved(session, first, last)
        payments = await queries.open_and_failed(session, page)
        disputes = await queries.disputes(session)
        refunds = await queries.failed_refunds(session)
        webhooks = await queries.unmatched(session)
    by_day = groupby(moved, lambda each: each.day)
    days = [MoneyDay.of(clock.short_date(day), [*theirs]) for day, theirs in by_day]
    people = (person for _, person, *_ in (*payments.rows, *disputes, *refunds) if person)
    names = await directory.names(people)

    def concerns(rows: Iterable[queries.Found]) -> tuple[Concern, ...]:
        return tuple(
            Concern.of(
                *(payment_of(row), person or "", names.get(person or "", GUEST)),
                *(clock.date_and_time(at), Money(cents), refund_id),
            )
            for row, person, cents, at, refund_id in rows
        )

    return MoneyReport(
        days=(*reversed(days), MoneyDay.of("All days", moved)) if days else (),
        payments=concerns(payments.rows),
        page=payments.page,
        pages=payments.pages,
        disputes=concerns(disputes),
        refunds=concerns(refunds),
        webhooks=tuple(webhooks),
    )


async def earned(actor: Actor, first: date, last: date) -> dict[date, Earned]:
    """Return what was earned on each of some days in New York; days without entries are left out.

    Raises:
        NotAllowed
    """
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        moved = await queries.moved(session, first, last)
    return {day: Earned.of([*theirs]) for day, theirs in groupby(moved, lambda each: each.day)}


async def journal(actor: Actor, first: date, last: date) -> AsyncIterator[str]:
    """Yield the journal of some days as a CSV file: each entry is two rows, debit and credit.

    Raises:
        NotAllowed
    """
    actor.require(Role.ADMIN)
    yield BOM + lines([COLUMNS])
    after = first, 0
    while True:
        async with reading() as session:
            found = await queries.entries(session, last, after=after, limit=_MANY)
        if not found:
            return
        yield await asyncio.to_thread(_written, found)
        entry, _ = found[-1]
        after = entry.day, entry.number or 0


def _written(entries: Iterable[tuple[JournalEntry, int | None]]) -> str:
    return lines(row for entry, number in entries for row in _rows(entry, number))


def _rows(entry: JournalEntry, number: int | None) -> Iterable[tuple[str, ...]]:
    """Return an entry as two rows for the bookkeeper: what is debited, what is credited."""
    amount, invoice = Money(entry.amount_cents).decimal, f"GF-{number:06}" if number else ""
    for account, debit, credit in ((entry.debit, amount, ""), (entry.credit, "", amount)):
        moved = (entry.day.isoformat(), str(entry.number), account, debit, credit)
        yield (*moved, invoice, entry.text, moment(entry.at))
