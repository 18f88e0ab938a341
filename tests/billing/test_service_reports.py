"""The journal by day, as admins see it and as the bookkeeper's file; what the night compares."""

import csv
import io
from contextlib import suppress
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import SYSTEM, Actor, NotAllowed, Role
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import DisputeInfo, Unavailable
from fuel_app.billing.queries import reports as queries
from fuel_app.billing.rules.corrections import TO_CARD, Correction
from fuel_app.billing.rules.reports import MoneyQuery
from fuel_app.billing.service import invoices, payments, reports
from fuel_app.billing.tables import JournalEntry, Refund, StoredInvoice
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.money import Money, dollars
from fuel_app.outcomes.jobs import compare
from fuel_app.outcomes.service import charges, webhooks
from fuel_app.outcomes.service import corrections as outcomes_corrections
from tests.helpers.bank import Bank, a_payer, an_invoice, bank, stored_payments
from tests.helpers.people import rows as rows_of

__all__ = ["bank"]


ADMIN = SYSTEM
FIRST, LAST = date(2026, 1, 1), date(2026, 12, 31)


async def file(first: date = FIRST, last: date = LAST) -> list[dict[str, str]]:
    parts = [part async for part in reports.stream_journal(ADMIN, first, last)]
    assert parts[0].startswith("\ufeff" + ",".join(reports.COLUMNS))
    return list(csv.DictReader(io.StringIO("".join(parts).removeprefix("\ufeff"), newline="")))


def at(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    monkeypatch.setattr(invoices, "now", lambda: moment)


async def post(key: str, cents: int, text: str = "") -> None:
    async with transaction() as session:
        await invoices.post_entry(session, key, "stripe", "receivable", Money(cents), text=text)


async def test_file_has_each_entry_once_over_several_pages(sqlite_database, monkeypatch):
    monkeypatch.setattr(reports, "_MANY", 7)
    for number in range(20):
        await post(str(number), 100 + number)
    found = await file(date(2020, 1, 1), date(2100, 1, 1))
    assert [row["Entry"] for row in found[::2]] == [row["Entry"] for row in found[1::2]]
    entries = [int(row["Entry"]) for row in found[::2]]
    assert (len(set(entries)), entries) == (20, sorted(entries))
    assert {row["Debit"] for row in found[::2]} == {row["Credit"] for row in found[1::2]}


async def test_entries_stand_on_new_yorks_day_where_a_clock_changes(database, monkeypatch):
    for key, moment in {
        "before": datetime(2026, 3, 8, 4, 59, tzinfo=UTC),
        "first": datetime(2026, 3, 8, 5, 0, tzinfo=UTC),
        "=1+1": datetime(2026, 3, 9, 3, 59, tzinfo=UTC),  # 23 hours later
        "after": datetime(2026, 3, 9, 4, 0, tzinfo=UTC),
        "long": datetime(2026, 11, 2, 4, 59, tzinfo=UTC),  # a day of 25 hours
    }.items():
        at(monkeypatch, moment)
        await post(key, 100, text=key)
    day = date(2026, 3, 8)
    found = await file(day, day)
    assert [(row["Text"], row["Time"]) for row in found[::2]] == [
        ("first", "2026-03-08 00:00:00"),
        ("'=1+1", "2026-03-08 23:59:00"),  # a spreadsheet runs no formula
    ]
    assert [tuple(row.values())[2:6] for row in found[:2]] == [
        ("stripe", "1.00", "", ""),
        ("receivable", "", "1.00", ""),
    ]
    report = await reports.of_days(ADMIN, FIRST, LAST, page=1)
    assert [(each.day, each.captured) for each in report.days] == [
        *(("Nov 1, 2026", "$1.00"), ("Mar 9, 2026", "$1.00")),
        *(("Mar 8, 2026", "$2.00"), ("Mar 7, 2026", "$1.00"), ("All days", "$5.00")),
    ]


async def test_report_tells_captured_refunded_and_income_apart(bank: Bank, sqlite_database):
    payer = await a_payer()
    row = await an_invoice(payer, 4000, 1000)
    await charges.settle_invoice(row.id, "1")
    form = Correction.parse({"amount": "10", "reason": "Spilled"})
    await outcomes_corrections.correct_invoice(ADMIN, row.id, TO_CARD, form, "k")
    [refund] = await rows_of(Refund)
    await payments.perform_refund(refund.id)
    [payment] = await stored_payments()
    taken = DisputeInfo("dp_1", "needs_response", payment.provider_id or "", dollars(50))
    with pytest.MonkeyPatch.context() as patch:

        async def read(_dispute_id: str) -> DisputeInfo:
            return taken

        patch.setattr(stripe, "read_dispute", read)
        await webhooks.sync_dispute("dp_1")
    async with transaction() as session:  # days after the payment
        theirs = update(JournalEntry).where(col(JournalEntry.debit) == "disputed")
        await session.execute(theirs.values(at=datetime(2026, 3, 8, 16, tzinfo=UTC)))
    today = clock.day_of(clock.now())
    report = await reports.of_days(ADMIN, today, today, page=1)
    whole = report.days[-1]
    assert (whole.captured, whole.refunded, whole.earned) == ("$50.00", "$10.00", "-$10.00")
    assert whole.income == ("Fees: $50.00", "Refunds and waivers: -$10.00", "Disputes: -$50.00")
    shown = [(each.who, each.amount, each.when) for each in report.disputes]
    assert shown == [("Ada Lovelace", "$50.00", "Mar 8, 2026, 12:00 PM")]
    assert [row["Invoice"] for row in await file(today, today)] == ["GF-000001"] * 12


async def test_payments_that_are_open_or_failed_come_in_pages(
    bank: Bank, sqlite_database, monkeypatch
):
    payer = await a_payer()
    async with transaction() as session:
        guest = await invoices.payer_of_guest(session, "tab")
    bank.answers = ["expired_card", Unavailable("lost"), Unavailable("lost")]
    for whose in (payer, payer, guest):
        row = await an_invoice(whose, 4000)
        with suppress(Unavailable):
            await charges.settle_invoice(row.id, "1")
    monkeypatch.setattr(queries, "PAGE_SIZE", 2)
    pages = [await reports.of_days(ADMIN, FIRST, LAST, page=n) for n in (1, 2, 9)]
    shown = [[(each.who, each.what) for each in page.payments] for page in pages]
    assert shown[0] == [
        (reports.GUEST, "No card"),
        ("Ada Lovelace", "Being confirmed"),
    ]
    assert shown[1] == shown[2] == [("Ada Lovelace", "Expired card")]
    assert (pages[2].page, pages[2].pages) == (2, 2)


async def test_night_finds_what_does_not_add_up(bank: Bank, database, logged):
    payer = await a_payer()
    row = await an_invoice(payer, 4000)
    await charges.settle_invoice(row.id, "1")
    assert await compare(clock.now()) == 0
    async with transaction() as session:
        await session.execute(update(StoredInvoice).values(refunded_cents=7))
    assert await compare(clock.now()) == 1
    [told] = [entry for entry in logged if entry["event"] == "money.differs"]
    assert (told["check"], told["of"], told["cents"]) == ("refunded", row.id, 7)
    async with transaction() as session:
        await session.execute(update(StoredInvoice).values(refunded_cents=5))
        await session.execute(
            update(JournalEntry)
            .values(amount_cents=3998)
            .where(col(JournalEntry.debit) == "stripe")
        )
    assert await compare(clock.now()) == 2
    async with reading() as session:
        assert (await session.get_one(StoredInvoice, row.id)).refunded_cents == 5  # not repaired


async def test_only_admins_read_the_books():
    by = Actor(frozenset({Role.DISPATCHER}), "x")
    with pytest.raises(NotAllowed):
        await reports.of_days(by, FIRST, LAST, page=1)
    with pytest.raises(NotAllowed):
        await anext(reports.stream_journal(by, FIRST, LAST))


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [
        ("", "", ("2026-03-01", "2026-03-30")),
        ("2026-03-30", "", ("2026-03-30", "2026-03-30")),
        ("", "2026-02-28", ("2026-01-30", "2026-02-28")),
        ("2025-03-30", "2026-03-30", ("2025-03-30", "2026-03-30")),
        ("2025-03-29", "2026-03-30", None),
        ("2026-03-31", "2026-03-30", None),
        ("2026-02-30", "", None),
        ("yesterday", "", None),
        ("", "0", None),
        ("9999-12-31", "9999-12-31", ("9999-12-31", "9999-12-31")),
        ("0001-01-01", "0001-01-01", ("0001-01-01", "0001-01-01")),
        ("", "0001-01-02", ("0001-01-01", "0001-01-02")),
    ],
)
def test_range_of_days_is_typed_or_the_last_thirty(first: str, last: str, days):
    query = MoneyQuery(first=first, last=last)
    today = date(2026, 3, 30)
    if days:
        assert tuple(day.isoformat() for day in query.days(today)) == days
    else:
        with pytest.raises(InvalidForm):
            query.days(today)
