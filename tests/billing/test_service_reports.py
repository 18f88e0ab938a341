"""The journal by day, as admins see it and as the bookkeeper's file; what the night compares."""

import csv
import io
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import SYSTEM, Actor, NotAllowed, Role
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import DisputeInfo, Unavailable
from fuel_app.billing.queries import reports as queries
from fuel_app.billing.rules.corrections import TO_CARD, Correction
from fuel_app.billing.rules.reports import (
    MoneyDay,
    MoneyQuery,
    MoneyReport,
    Moved,
    deadline_words,
)
from fuel_app.billing.service import invoices, payments, reports
from fuel_app.billing.tables import JournalEntry, Refund, StoredInvoice, StoredPayment
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
    due_at = clock.now() + timedelta(days=7)
    taken = DisputeInfo("dp_1", "needs_response", payment.provider_id or "", dollars(50), due_at)
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
    assert whole.between == ("Refunded: -$10.00", "Disputes: -$50.00")
    shown = [(each.who, each.amount, each.when, each.name) for each in report.disputes]
    assert shown == [("Ada Lovelace", "$50.00", "Mar 8, 2026, 12:00 PM", "GF-000001")]
    assert report.disputes[0].deadline == f"{clock.date_and_time(due_at)} (in 7 days)"
    [month, before] = report.months
    assert (month.earned, before.earned) == ("-$10.00", "$0.00")
    assert [row["Invoice"] for row in await file(today, today)] == ["GF-000001"] * 12


async def test_each_who_owes_is_one_line_however_often_was_tried(bank: Bank, database, monkeypatch):
    payer, patient = await a_payer(), await a_payer(first_name="Grace", email="g@example.com")
    async with transaction() as session:
        guest = await invoices.payer_of_guest(session, "tab")
    bank.answers = ["expired_card", "expired_card", Unavailable("lost")]
    first = await an_invoice(payer, 4000)
    for key in "12":
        await charges.settle_invoice(first.id, key)
    await an_invoice(guest, 1500)
    with suppress(Unavailable):
        await charges.settle_invoice((await an_invoice(payer, 2000)).id, "1")
    await charges.settle_invoice((await an_invoice(patient, 9900)).id, "1")  # paid: no debt
    monkeypatch.setattr(queries, "PAGE_SIZE", 1)
    pages = [await reports.of_days(ADMIN, FIRST, LAST, page=n) for n in (1, 2, 9)]
    assert {(page.owed, page.debtors) for page in pages} == {("$75.00", "2 customers")}
    shown = [(each.who, each.amount, each.name, each.more, each.what) for each in pages[0].debts]
    assert shown == [("Ada Lovelace", "$60.00", "GF-000001", "and 1 more", "Being confirmed")]
    assert pages[1].debts == pages[2].debts
    [line] = pages[2].debts
    assert (line.who, line.amount, line.more, line.what) == (reports.GUEST, "$15.00", "", "")
    assert (pages[2].page, pages[2].pages) == (2, 2)


MONTH_END = datetime(2026, 3, 31, 16, tzinfo=UTC)


def test_what_lies_between_captured_and_income_adds_up():
    day = MONTH_END.date()
    moved = [
        Moved(day, debit, credit, Money(cents))
        for debit, credit, cents in (
            ("receivable", "fuel", 10_000),
            ("receivable", "tax", 700),
            ("discounts", "receivable", 500),
            ("stripe", "receivable", 8_000),
            ("customer_credit", "receivable", 300),
            ("returns", "customer_credit", 900),
            ("returns", "receivable", 250),
            ("receivable", "stripe", 250),
            ("disputed", "stripe", 1_100),
            ("stripe", "disputed", 100),
        )
    ]
    shown = MoneyDay.of("March", moved)
    assert (shown.captured, shown.earned, shown.tax) == ("$80.00", "$73.50", "$7.00")
    assert shown.between == (
        "Invoiced, not paid yet: $19.00",
        "Customers' credit: -$6.00",
        "Refunded: -$2.50",
        "Disputes: -$10.00",
        "Tax: -$7.00",
    )
    paid = MoneyDay.of("April", [Moved(day, "stripe", "receivable", Money(1_900))])
    assert (paid.between, paid.earned) == (("Paid of earlier invoices: -$19.00",), "$0.00")


async def test_months_have_totals_and_lead_to_their_days(sqlite_database, monkeypatch):
    for month, cents in ((1, 100), (2, 200), (3, 400)):
        at(monkeypatch, datetime(2026, month, 1, 16, tzinfo=UTC))
        await post(str(month), cents)
    monkeypatch.setattr(clock, "now", lambda: MONTH_END)
    shown = [(each.day, each.captured, each.href) for each in (await report()).months]
    assert shown == [
        ("March 2026 so far", "$4.00", "/settings/money?first=2026-03-01&last=2026-03-31"),
        ("February 2026", "$2.00", "/settings/money?first=2026-02-01&last=2026-02-28"),
    ]


async def report() -> MoneyReport:
    return await reports.of_days(ADMIN, FIRST, LAST, page=1)


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (None, "See Stripe"),
        (-1, "Mar 31, 2026, 11:00 AM (over)"),
        (2, "Mar 31, 2026, 2:00 PM (today)"),
        (24, "Apr 1, 2026, 12:00 PM (in 1 day)"),
    ],
)
def test_deadline_says_how_long_there_is(hours: int | None, words: str):
    due_at = None if hours is None else MONTH_END + timedelta(hours=hours)
    assert deadline_words(due_at, MONTH_END) == words


async def test_disputes_to_answer_come_first_by_their_deadline(database, monkeypatch):
    payer = await a_payer()
    async with transaction() as session:
        for number, (state, days) in enumerate(
            (("won", 1), ("needs_response", None), ("needs_response", 9), ("needs_response", 3))
        ):
            due_at = None if days is None else MONTH_END + timedelta(days=days)
            session.add(
                StoredPayment(
                    key=str(number),
                    kind="charge",
                    payer_id=payer.id,
                    state="succeeded",
                    dispute=state,
                    dispute_due_at=due_at,
                    amount_cents=100 + number,
                    captured_cents=100 + number,
                )
            )
    monkeypatch.setattr(clock, "now", lambda: MONTH_END)
    found = (await report()).disputes
    assert [(each.amount, each.deadline[-11:], each.name) for each in found] == [
        ("$1.03", "(in 3 days)", ""),
        ("$1.02", "(in 9 days)", ""),
        ("$1.01", "See Stripe", ""),
        ("$1.00", "", ""),
    ]


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
