"""The books of a made company, copied from its bookings and plans by the database itself.

Ids are those of the bookings, so that they are well formed and ascend with time.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.billing.tables import (
    Counter,
    InvoiceLine,
    JournalEntry,
    Payer,
    StoredInvoice,
    StoredPayment,
)
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.tables import BookingEvent, StoredBooking, StoredFill
from fuel_app.customers.tables import CustomerNote
from fuel_app.dispatch.tables import TechnicianAction
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.clock import day_of, months_later
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import Message
from fuel_app.plans.tables import LedgerEntry

MONTHS = 6  # of renewals
PLAN_CENTS, FEE_CENTS = 1_999, 1_500
_id, _person = col(StoredBooking.id), col(StoredBooking.person_id)
_state, _starts = col(StoredBooking.state), col(StoredBooking.starts_at)
_completed_at = col(StoredBooking.completed_at)
_of_booking = col(StoredFill.booking_id) == _id
_total = sa.select(col(StoredFill.total_cents)).where(_of_booking).scalar_subquery()
_pumped = sa.select(col(StoredFill.filled_milligallons)).where(_of_booking).scalar_subquery()
_done = _state == "completed"
_owed = sa.func.substr(_id, 35, 2) == "00"  # one in 256: its payment failed


async def copy_books(customers: Sequence[str]) -> None:
    """Add all that follows from the bookings and plans of these customers."""
    for statement in _statements(customers):
        async with transaction() as session:
            await session.execute(statement)


def _statements(customers: Sequence[str]) -> Iterator[sa.Insert]:
    yield from _events()
    yield from _messages()
    yield from _fills()
    for months in range(1, MONTHS + 1):
        yield from _renewals(months)
    last = 10**6 * (MONTHS + 1)
    yield sa.insert(Counter).values(name="invoice", last=last)
    yield _copy(
        CustomerNote,
        id=col(Person.id),
        person_id=col(Person.id),
        author="system",
        text="Has a dog.",
        created_at=col(Person.created_at),
        where=col(Person.id).in_(customers[::4]),
    )


def _copy(table: Any, *, where: Any, by: Any = None, **columns: Any) -> sa.Insert:
    """Return the insertion of one row of these columns for each row that they come from."""
    typed = table.__table__.c
    values = [
        value.label(name)
        if hasattr(value, "label")
        else sa.literal(value, typed[name].type).label(name)
        for name, value in columns.items()
    ]
    found = sa.select(*values).where(where)
    return sa.insert(table).from_select([*columns], found.order_by(by) if by is not None else found)


def _events() -> Iterator[sa.Insert]:
    shared = {"booking_id": _id, "actor": "system", "before": {}, "note": ""}
    for revision, (kind, state) in enumerate(
        (
            *(("book", "booked"), ("publish", "dispatched"), ("drive", "en_route")),
            *(("arrive", "arrived"), ("fuel", "fueling"), ("complete", "completed")),
        ),
        start=1,
    ):
        where = _done if revision > 1 else sa.true()
        step = {"revision": revision, "kind": kind, "state": state}
        yield _copy(BookingEvent, **shared, **step, at=_starts, where=where, by=_starts)
        if kind in ("arrive", "complete"):
            action = sa.literal(f"{len(kind)}") + sa.func.substr(_id, 2)
            told = {"id": action, "stop_id": _id, "data": {}, "refused": ""}
            times = {"at": _starts, "received_at": _starts}
            yield _copy(TechnicianAction, **told, **times, kind=kind, where=where, by=_starts)


def _messages() -> Iterator[sa.Insert]:
    of_person = _person == col(Person.id)
    for number, kind in enumerate(("booking_confirmed", "day_before", "hour_before", "completed")):
        is_past = _done if number else sa.true()
        yield _copy(
            Message,
            id=sa.func.substr(_id, 1, 35) + str(number),
            kind=kind,
            channel="mail",
            key=sa.literal(f"{kind}:") + _id,
            person_id=_person,
            recipient=col(Person.email),
            payload={},
            state=sa.case((_owed, "failed"), else_="sent"),
            created_at=_starts,
            send_at=_starts,
            sent_at=_starts,
            subject="Your fill-up",
            where=of_person & is_past,
            by=_id,
        )


def _fills() -> Iterator[sa.Insert]:
    """Yield an invoice of two lines with its payment for each fill, and the journal of both."""
    theirs = _done & (col(Payer.person_id) == _person)
    yield _copy(
        StoredInvoice,
        id=_id,
        key=sa.literal("fill:") + _id,
        number=sa.func.row_number().over(order_by=_id),
        kind="fill",
        state=sa.case((_owed, "open"), else_="paid"),
        payer_id=col(Payer.id),
        booking_id=_id,
        total_cents=_total,
        paid_cents=sa.case((_owed, 0), else_=_total),
        waived_cents=0,
        refunded_cents=0,
        details={},
        created_at=_completed_at,
        opened_at=_completed_at,
        where=theirs,
        by=_id,
    )
    line = {"invoice_id": _id, "where": _done}
    fuel = {"milligallons": _pumped, "price_mills": 3459}
    yield _copy(
        InvoiceLine,
        **line,
        **fuel,
        position=0,
        kind="fuel",
        text="Fuel",
        amount_cents=_total - FEE_CENTS,
    )
    fee = {"position": 1, "kind": "convenience_fee", "text": "Convenience fee"}
    yield _copy(InvoiceLine, **line, **fee, amount_cents=FEE_CENTS)
    yield _copy(
        StoredPayment,
        id=_id,
        key=sa.literal("hold:") + _id,
        kind="hold",
        state=sa.case((_owed, "failed"), else_="succeeded"),
        payer_id=col(Payer.id),
        invoice_id=_id,
        booking_id=_id,
        card_id="pm",
        card_brand="visa",
        card_last4="4242",
        amount_cents=_total,
        captured_cents=sa.case((_owed, 0), else_=_total),
        refunded_cents=0,
        code=sa.case((_owed, "expired_card"), else_=""),
        provider_id=sa.literal("pi_") + _id,
        dispute=sa.case((sa.func.substr(_id, 33, 4) == "0100", "needs_response"), else_=""),
        created_at=_completed_at,
        where=theirs,
        by=_id,
    )
    yield from _posted(_id, _completed_at, _total - FEE_CENTS, "receivable", "fuel", _done)
    yield from _posted(_id, _completed_at, sa.literal(FEE_CENTS), "receivable", "fees", _done)
    yield from _posted(_id, _completed_at, _total, "stripe", "receivable", _done & ~_owed)


def _posted(
    invoice: Any, at: Any, cents: Any, debit: str, credit: str, where: Any
) -> Iterator[sa.Insert]:
    yield _copy(
        JournalEntry,
        key=sa.literal(f"{credit}:") + invoice,
        day=sa.func.date(at, type_=sa.Date()),
        at=at,
        debit=debit,
        credit=credit,
        amount_cents=cents,
        invoice_id=invoice,
        text=credit,
        where=where,
        by=at,
    )


def _renewals(months: int) -> Iterator[sa.Insert]:
    """Yield the invoices of one month's renewals with their payments and granted fills."""
    period = months_later(day_of(clock.now()), -months)
    invoice = sa.func.substr(col(Payer.id), 1, 35) + str(months)
    at = _moment(period)
    theirs, cents = col(Payer.person_id).is_not(None), PLAN_CENTS
    row = {"payer_id": col(Payer.id), "created_at": at, "refunded_cents": 0, "where": theirs}
    yield _copy(
        StoredInvoice,
        **row,
        id=invoice,
        key=sa.literal(f"renewal:{period}:") + col(Payer.id),
        number=sa.func.row_number().over(order_by=col(Payer.id)) + 10**6 * months,
        kind="renewal",
        state="paid",
        period=period,
        total_cents=cents,
        paid_cents=cents,
        waived_cents=0,
        details={},
        opened_at=at,
    )
    line = {"position": 0, "kind": "plan", "text": "Family", "amount_cents": cents}
    yield _copy(InvoiceLine, invoice_id=invoice, **line, where=theirs)
    card = {"card_id": "pm", "card_brand": "visa", "card_last4": "4242", "code": "", "dispute": ""}
    yield _copy(
        StoredPayment,
        **row,
        **card,
        id=invoice,
        key=sa.literal("charge:") + invoice,
        kind="charge",
        state="succeeded",
        invoice_id=invoice,
        amount_cents=cents,
        captured_cents=cents,
        provider_id=sa.literal("pi_") + invoice,
    )
    for debit, credit in (("receivable", "plans"), ("stripe", "receivable")):
        moment = sa.literal(at, StoredInvoice.__table__.c.created_at.type)  # type: ignore[attr-defined]
        yield _copy(
            JournalEntry,
            key=sa.literal(f"{credit}:") + invoice,
            day=period,
            at=moment,
            debit=debit,
            credit=credit,
            amount_cents=cents,
            invoice_id=invoice,
            text=credit,
            where=theirs,
        )
    person = col(Payer.person_id)
    for number, (kind, fills) in enumerate((("granted", 2), ("reserved", -1), ("used", 0))):
        yield _copy(
            LedgerEntry,
            id=sa.func.substr(person, 1, 34) + f"{number}{months}",
            key=sa.literal(f"{kind}:{period}:") + person,
            person_id=person,
            period=period,
            bucket="plan",
            kind=kind,
            fills=fills,
            actor="system",
            reason="",
            at=at,
            where=theirs,
        )
    yield _copy(
        AuditEntry,
        action_id=person,
        noun="person",
        kind="signed_in",
        subject_id=person,
        actor=person,
        request_id="",
        at=at,
        where=theirs,
    )


def _moment(day: date) -> datetime:
    return on_clock(day, 3)
