"""Fills on both databases: captured with their receipt, or a debt that blocks booking."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from fuel_app.billing.providers import stripe
from fuel_app.billing.rules.invoices import PaymentDisputed, PaymentOpen
from fuel_app.billing.service import payments
from fuel_app.billing.tables import StoredInvoice, StoredPayment
from fuel_app.kit.db.session import find_row, transaction
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import COMPOSERS, Skip
from tests.helpers.bank import Bank, balances, bank
from tests.helpers.bookings import NOW, STAFF, an_area, at, booked, slot
from tests.helpers.fills import (
    OPEN_FILL,
    SETTLE,
    a_booking,
    a_card,
    authorized,
    bills,
    change,
    ends,
    filled,
    monday,
    run,
    said,
    settled,
)
from tests.helpers.people import messages

__all__ = ["bank", "monday"]
pytestmark = pytest.mark.usefixtures("database", "monday")


async def test_fill_is_captured_from_its_hold_and_the_receipt_is_sent(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await filled(monkeypatch, booking)
    at(monkeypatch, booking.starts_at + timedelta(minutes=14, seconds=59))
    assert await run(OPEN_FILL) == 0
    bill = await settled(monkeypatch, booking)
    assert (bill.state, bill.number, bill.paid_cents) == ("paid", 1, 4270)
    assert await ends() == [("hold", "succeeded", 4270)]
    assert await balances() == {"stripe": 4270, "fuel": -4270}
    (told,) = await said("completed")
    assert (told["gallons"], told["price"], told["total"]) == ("12.345", "$3.459", "$42.70")
    assert told["invoice"] == bill.id


async def test_rest_that_is_declined_is_a_debt_until_a_new_card_settles_it(bank: Bank, monkeypatch):
    area = await an_area()
    who, booking = await a_booking(area=area)
    await authorized(monkeypatch, booking)
    await change(booking, fee_cents=3000)
    await filled(monkeypatch, booking)
    monkeypatch.setattr(stripe, "capture", _captures(bank, "insufficient_funds"))
    bill = await settled(monkeypatch, booking)
    assert (bill.state, bill.total_cents, bill.paid_cents) == ("open", 7270, 6100)
    (told,) = await said("payment_failed")
    assert (told["amount"], told["reason"]) == ("$11.70", "Your card has insufficient funds.")
    assert told["what"] == "your fill-up"
    at(monkeypatch, NOW)
    with pytest.raises(PaymentOpen, match=r"A payment of \$11\.70 is open"):
        await booked(who, slot(area, 4))
    assert await composed() == [{}, {}]
    await a_card(who, "pm_better")
    await run(SETTLE)
    assert (await bills(booking))[0].state == "paid"
    assert len(await said("completed")) == 1
    assert await composed() == [Skip(payments.SETTLED)] * 2
    assert (await booked(who, slot(area, 4))).state == "booked"


async def composed() -> list[Any]:
    """Return what the messages about failed payments would say if they were sent now."""
    async with transaction() as session:
        return [
            await COMPOSERS["payment_failed"](session, each)
            for each in await messages("payment_failed")
        ]


def _captures(bank: Bank, then: str):
    """Let a capture succeed, and the charge after it fail."""

    async def capture(intent_id, *, amount, key):
        bank.answers.append(then)
        return bank._put(bank.find(intent_id).payment_id, status="succeeded", received=amount)

    return capture


async def test_disputed_payment_blocks_booking(bank: Bank, monkeypatch):
    area = await an_area()
    who, booking = await a_booking(area=area)
    await filled(monkeypatch, booking)
    await settled(monkeypatch, booking)
    at(monkeypatch, NOW)
    for status, blocks in (("needs_response", True), ("won", False)):
        async with transaction() as session:
            await session.execute(update(StoredPayment).values(dispute=status))
        if blocks:
            with pytest.raises(PaymentDisputed):
                await booked(who, slot(area, 4))
        else:
            await booked(who, slot(area, 4))


async def test_waived_debt_sends_no_receipt(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    await filled(monkeypatch, booking)
    bank.answers = ["card_declined"]
    bill = await settled(monkeypatch, booking)
    async with transaction() as session:
        row = await find_row(session, StoredInvoice, bill.id, lock=True)
        assert row
        given = {"reason": "Ours", "actor": STAFF, "key": "w"}
        await payments.add_credit_note(session, row, Money(4270), "waived", **given)
    assert (await bills(booking))[0].state == "paid"
    assert await said("completed") == []
