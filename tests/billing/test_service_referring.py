"""Credit for a referral: once, after the friend's first paid fill, never for oneself."""

from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.tables import Person
from fuel_app.billing.service import corrections, invoices
from fuel_app.billing.service.fill_invoices import REFERRAL_CREDIT
from fuel_app.billing.tables import CreditEntry, Payer, StoredInvoice
from fuel_app.bookings import queries
from fuel_app.bookings.rules.bookings import Booking, FreeFillUse
from fuel_app.customers.tables import StoredCustomer, StoredVehicle
from fuel_app.kit import policies
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.helpers.bank import Bank, bank
from tests.helpers.bookings import Customer, a_customer, an_area, booked, slot
from tests.helpers.fills import a_card, change, filled, monday, settled
from tests.helpers.people import rows
from tests.helpers.plan_money import credit_cents

__all__ = ["bank", "monday"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "monday")


@dataclass
class Two:
    """A friend with a booking, and the customer who has referred the friend."""

    friend: Customer
    referrer: Customer
    booking: Booking

    async def credits(self) -> list[tuple[str, int]]:
        return [(each.key, each.amount_cents) for each in await rows(CreditEntry)]

    async def fills(self, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
        await filled(monkeypatch, self.booking)
        await settled(monkeypatch, self.booking)
        return await self.credits()


@pytest.fixture
async def two(sqlite_database, monday, bank: Bank) -> Two:
    area = await an_area()
    friend, referrer = await a_customer(1), await a_customer(2)
    async with transaction() as session:
        name: dict[str, Any] = {"first_name": "A", "last_name": "B"}
        first = WaitlistSubmission(**name, email="referrer@example.com")
        session.add(first)
        await session.flush()
        second = WaitlistSubmission(**name, email="friend@example.com", referred_by_id=first.id)
        session.add(second)
        await session.flush()
        for who, row in ((friend, second), (referrer, first)):
            theirs = update(StoredCustomer).where(col(StoredCustomer.person_id) == who.id)
            await session.execute(theirs.values(submission_id=row.id))
    for who, card in ((friend, "pm_friend"), (referrer, "pm_referrer")):
        await a_card(who, card)
    return Two(friend, referrer, await booked(friend, slot(area, 3)))


async def test_referrer_is_credited_once_for_the_friends_first_paid_fill(two: Two, monkeypatch):
    second = await booked(two.friend, slot(two.booking.area_id, 4))
    assert await two.fills(monkeypatch) == [(f"referral:{two.friend.id}", 1000)]
    await filled(monkeypatch, second)
    await settled(monkeypatch, second)
    assert len(await two.credits()) == 1
    assert await credit_cents(two.referrer.id) == 1000


async def test_first_fill_that_was_free_is_not_the_first_paid_one(two: Two, monkeypatch):
    second = await booked(two.friend, slot(two.booking.area_id, 4))
    await change(two.booking, pays_by="free_fill", period=None)
    async with transaction() as session:
        use = FreeFillUse(two.friend.id, "GUL 2", "9415550002")
        await queries.add_free_fill(session, use, two.booking.id)
    assert await two.fills(monkeypatch) == []
    await filled(monkeypatch, second)
    await settled(monkeypatch, second)
    assert len(await two.credits()) == 1


async def test_fill_whose_rest_is_waived_as_it_is_lowered_counts_as_paid(
    two: Two, bank: Bank, monkeypatch
):
    bank.answers = ["insufficient_funds"]
    assert await two.fills(monkeypatch) == []
    (unpaid,) = await rows(StoredInvoice, booking_id=two.booking.id)
    async with transaction() as session:
        row = await session.get_one(StoredInvoice, unpaid.id)
        await invoices.receive_amount(session, row, Money(row.total_cents - 500))
        admin = Actor(frozenset({Role.ADMIN}))
        await corrections.lower_fill(session, admin, two.booking.id, Money(500), "lowered")
    assert await two.credits() == [(f"referral:{two.friend.id}", 1000)]


async def test_figure_of_nothing_turns_it_off(two: Two, monkeypatch):
    async with transaction() as session:
        await policies.put(session, REFERRAL_CREDIT.name, 1000, 0)
    assert await two.fills(monkeypatch) == []


@pytest.mark.parametrize("shared", ["card", "phone", "plate", "person"])
async def test_same_card_phone_plate_or_person_is_no_referral(two: Two, monkeypatch, shared):
    async with transaction() as session:
        if shared == "card":
            await session.execute(update(Payer).values(card_fingerprint="same"))
        elif shared == "phone":
            await session.execute(update(Person).values(phone="9415550123"))
        elif shared == "plate":
            cars = update(StoredVehicle).where(col(StoredVehicle.person_id) == two.friend.id)
            await session.execute(cars.values(license_plate="gul-2"))
        else:
            monkeypatch.setattr("fuel_app.customers.service.neighborhood.referrer_of", _itself(two))
    assert await two.fills(monkeypatch) == []


def _itself(two: Two):
    async def referrer_of(_session, _person_id):
        return two.friend.id

    return referrer_of


async def test_friend_of_nobody_credits_nobody(two: Two, monkeypatch):
    async with transaction() as session:
        await session.execute(update(WaitlistSubmission).values(referred_by_id=None))
    assert await two.fills(monkeypatch) == []
