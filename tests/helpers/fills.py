"""Booked fills with cards, and the jobs that authorise, bill and settle them."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlmodel import col

from fuel_app.billing.service import invoices
from fuel_app.billing.tables import InvoiceLine, StoredInvoice
from fuel_app.bookings import jobs as bookings_jobs
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.service import access, road
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.service import fill_records
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading as read
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import Job
from fuel_app.kit.jobs.registry import HANDLERS
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.outcomes import jobs as billing_jobs
from fuel_app.outcomes.service import consequences
from tests.helpers import stored_bookings
from tests.helpers.bank import stored_payments
from tests.helpers.bookings import (
    NOW,
    STAFF,
    Customer,
    a_car,
    a_customer,
    an_area,
    at,
    booked,
    slot,
)
from tests.helpers.people import messages

__all__ = ["billing_jobs", "bookings_jobs"]

FILLED = {"gallons": "12.345", "meter_start": "", "meter_end": "", "ticket": "T-1", "started": ""}
AUTHORIZE, OPEN_FILL = "bookings.authorize", "billing.open_fill"
RELEASE, SETTLE = "billing.release", "billing.settle"


@pytest.fixture
def monday(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn the clock to the day on which the tests book."""
    at(monkeypatch, NOW)


async def run(*kinds: str) -> int:
    """Run the jobs of some kinds that are due, those that they enqueue, too. Return how many."""
    ran = 0
    while job := await _due(kinds):
        await HANDLERS[job.kind].run(Job(job.id, job.kind, job.payload, 1))
        async with transaction() as session:
            done = update(StoredJob).where(col(StoredJob.id) == job.id)
            await session.execute(done.values(ended_at=clock.now(), outcome="done"))
        ran += 1
    return ran


async def _due(kinds: tuple[str, ...]) -> StoredJob | None:
    async with read() as session:
        theirs = select(StoredJob).where(
            col(StoredJob.kind).in_(kinds),
            col(StoredJob.ended_at).is_(None),
            col(StoredJob.run_at) <= clock.now(),
        )
        return await session.scalar(theirs.order_by(col(StoredJob.run_at)).limit(1))


async def waiting(kind: str) -> list[datetime]:
    """Return when the jobs of a kind run that have not ended."""
    async with read() as session:
        theirs = select(col(StoredJob.run_at)).where(
            col(StoredJob.kind) == kind, col(StoredJob.ended_at).is_(None)
        )
        return sorted(await session.scalars(theirs))


async def a_card(who: Customer, card: str = "pm_works") -> None:
    """Give a customer a card, as the provider's page does."""
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, who.id, lock=True)
        payer.provider_id = f"cus_{who.id[-12:]}"
        payer.card_id, payer.card_last4, payer.card_fingerprint = card, card and "4242", card
        await session.flush()
        await consequences.new_card(session, payer)


async def a_booking(
    day: int = 3, *, number: int = 1, cars: int = 1, **more: Any
) -> tuple[Customer, Booking]:
    """Book a visit of a customer with a card: a Camry, and a Corolla for each further car."""
    area = more.pop("area", None) or await an_area()
    who = await a_customer(number, **more)
    await a_card(who)
    others = [a_car(who.id, 50 + each) for each in range(1, cars)]
    async with transaction() as session:
        for each in others:
            each.model = "Corolla"
            session.add(each)
    return who, await booked(who, slot(area, day), cars=(who.car_id, *(e.id for e in others)))


async def change(booking: Booking, **values: Any) -> Booking:
    """Set columns of a booking, as steps of other issues do."""
    await stored_bookings.set_values(booking.id, values)
    return await now_of(booking)


async def failed(booking: Booking | StoredBooking, reason: object, note: object = "") -> Booking:
    """End a booking as a technician does who could not fill it."""
    async with transaction() as session:
        await road.fail(session, STAFF, booking.id, reason, note, clock.now())
    return await now_of(booking)


async def now_of(booking: Booking | StoredBooking) -> Booking:
    found = await access.find(STAFF, booking.id)
    assert found
    return found


def evening(monkeypatch: pytest.MonkeyPatch, booking: Booking) -> None:
    """Turn the clock to 18:00 the day before; in November New York is five hours behind."""
    day = clock.day_of(booking.starts_at)
    at(monkeypatch, datetime(day.year, day.month, day.day, 23, tzinfo=clock.UTC) - timedelta(1))


def morning(monkeypatch: pytest.MonkeyPatch, booking: Booking) -> None:
    day = clock.day_of(booking.starts_at)
    at(monkeypatch, datetime(day.year, day.month, day.day, 11, 30, tzinfo=clock.UTC))


async def authorized(monkeypatch: pytest.MonkeyPatch, booking: Booking) -> None:
    evening(monkeypatch, booking)
    await run(AUTHORIZE)


async def filled(
    monkeypatch: pytest.MonkeyPatch, booking: Booking, gallons: str = "12.345", **more: Any
) -> Booking:
    """Record a fill at the window's beginning."""
    at(monkeypatch, booking.starts_at)
    form = FILLED | {"gallons": gallons} | more
    return await fill_records.complete_booking(STAFF, booking.id, booking.revision, form)


async def settled(monkeypatch: pytest.MonkeyPatch, booking: Booking) -> StoredInvoice:
    """Return the invoice of a fill 15 minutes after it was recorded."""
    at(monkeypatch, booking.starts_at + timedelta(minutes=15))
    await run(OPEN_FILL, RELEASE, SETTLE)
    return (await bills(booking))[0]


async def said(kind: str) -> list[dict[str, Any]]:
    """Return what the mails of a kind say."""
    return [each.payload for each in await messages(kind) if each.channel == "mail"]


async def ends() -> list[tuple[str, str, int]]:
    """Return what has become of each payment, the oldest first."""
    return [(each.kind, each.state, each.captured_cents) for each in await stored_payments()]


async def bills(booking: Booking) -> list[StoredInvoice]:
    async with read() as session:
        theirs = select(StoredInvoice).where(col(StoredInvoice.booking_id) == booking.id)
        return list(await session.scalars(theirs.order_by(col(StoredInvoice.id))))


async def lines(invoice: StoredInvoice) -> list[tuple[str, int]]:
    async with read() as session:
        theirs = select(InvoiceLine).where(col(InvoiceLine.invoice_id) == invoice.id)
        rows = await session.scalars(theirs.order_by(col(InvoiceLine.position)))
        return [(row.kind, row.amount_cents) for row in rows]
