"""Customers whose plans cost money, on days that a test sets."""

import sys
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select
from sqlmodel import col

from fuel_app.accounts.rules import Session
from fuel_app.billing.rules.plans import Offer
from fuel_app.billing.service import invoices
from fuel_app.billing.tables import InvoiceLine, Payer, StoredInvoice
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import clock
from fuel_app.kit.clock import NEW_YORK
from fuel_app.kit.db.session import transaction
from fuel_app.outcomes.service import plans
from fuel_app.plans.tables import Subscription
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.helpers.bank import CARD
from tests.helpers.open_area import ZIP
from tests.helpers.people import a_person, rows

NOVEMBER = date(2026, 11, 23)
_FAR = datetime(2040, 1, 1, tzinfo=UTC)


def on(monkeypatch: pytest.MonkeyPatch, day: date, hour: int = 6) -> None:
    """Set the clock to a day in New York, everywhere."""
    moment = datetime.combine(day, time(hour), NEW_YORK).astimezone(UTC)
    for name, module in list(sys.modules.items()):
        if name.startswith("fuel_app.") and callable(getattr(module, "now", None)):
            monkeypatch.setattr(module, "now", lambda: moment)


@pytest.fixture
def november(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it be November 23."""
    on(monkeypatch, NOVEMBER)


def by(person_id: str) -> Session:
    return Session("s", _FAR, _FAR, person_id=person_id)


async def a_customer(number: int = 1, *, plan: str = "solo", card: str = CARD, **more: Any) -> str:
    """Store a customer who has chosen a plan and added a card. Return the id."""
    person = await a_person(
        email=f"payer{number}@example.com", password=None, phone=f"941555{number:04}", **more
    )
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, zip_code=ZIP, has_card=bool(card)))
        session.add(Subscription(person_id=person.id, plan_id=plan))
        payer = await invoices.payer_of_person(session, person.id)
        payer.provider_id, payer.card_id = f"cus_{number}", card
        payer.card_last4 = "4242" if card else ""
    return person.id


async def join(neighborhood_id: str, *person_ids: str) -> None:
    """Link customers to submissions in a neighborhood."""
    async with transaction() as session:
        for person_id in person_ids:
            entry = WaitlistSubmission(
                first_name="Ada",
                last_name="Lovelace",
                email=f"{person_id}@example.com",
                zip_code=ZIP,
                neighborhood_id=neighborhood_id,
            )
            session.add(entry)
            await session.flush()
            customer = await session.get_one(StoredCustomer, person_id)
            customer.submission_id = entry.id


async def set_credit(person_id: str, cents: int) -> None:
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, person_id, lock=True)
        more = cents - (await invoices.credit_of(session, payer)).cents
        if more:
            await invoices.change_credit(session, payer, str(uuid4()), more, "Set by a test")


async def credit_cents(person_id: str = "") -> int:
    """Return the credit of a customer, or of the only payer."""
    async with transaction() as session:
        of_person = select(Payer).where(col(Payer.person_id) == person_id)
        payer = await session.scalar(of_person if person_id else select(Payer))
        return (await invoices.credit_of(session, payer)).cents if payer else 0


async def offered(person_id: str, plan: str) -> Offer:
    return next(
        each for each in (await plans.read_plans(by(person_id))).offers if each.plan.id == plan
    )


async def start(person_id: str, plan: str = "solo", key: str = "start") -> None:
    """Press the button that starts a plan."""
    offer = await offered(person_id, plan)
    await plans.start_plan(by(person_id), plan, offer.button, key)


async def switch(person_id: str, plan: str, key: str = "switch") -> None:
    offer = await offered(person_id, plan)
    await plans.switch_plan(by(person_id), plan, offer.button, key)


async def subscription(person_id: str) -> Subscription:
    [found] = await rows(Subscription, person_id=person_id)
    return found


async def stored_invoices() -> list[StoredInvoice]:
    """Return all invoices in the order in which they were drafted."""
    return sorted(await rows(StoredInvoice), key=lambda row: row.id)


async def lines(invoice: StoredInvoice) -> list[tuple[str, int]]:
    """Return text and cents of each line."""
    found = await rows(InvoiceLine, invoice_id=invoice.id)
    return [(row.text, row.amount_cents) for row in sorted(found, key=lambda row: row.position)]


def today() -> date:
    return clock.day_of(clock.now())
