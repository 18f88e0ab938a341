"""Fills settled: from the hold, by a second charge, after an outage."""

import pytest
from sqlalchemy import select

from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.providers.stripe import Intent, Unavailable
from fuel_app.billing.rules.payments import HOSTED
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import Payer, StoredInvoice
from fuel_app.bookings.service import changes
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money, dollars
from fuel_app.outcomes.service import charges
from tests.helpers.bank import Bank, balances, bank
from tests.helpers.fills import (
    AUTHORIZE,
    RELEASE,
    a_booking,
    authorized,
    change,
    ends,
    evening,
    filled,
    lines,
    monday,
    run,
    said,
    settled,
)

__all__ = ["bank", "monday"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "monday")


async def test_hold_of_33_gallons_worth_and_a_fill_of_34_is_charged_to_the_cent(
    bank: Bank, monkeypatch
):
    _, booking = await a_booking()
    # A tank of 30 gallons: 33 times $3.459 = $114.147 is held as $115
    await change(booking, vehicle=_tank(booking, 300))
    await authorized(monkeypatch, booking)
    assert bank.calls[0][2] == 11_500
    await change(booking, vehicle=_tank(booking, 320))
    await filled(monkeypatch, booking, "34.000")
    bill = await settled(monkeypatch, booking)
    # 34 times $3.459 = $117.606
    assert (bill.total_cents, bill.paid_cents, bill.state) == (11_761, 11_761, "paid")
    assert await ends() == [("hold", "succeeded", 11_500), ("charge", "succeeded", 261)]
    assert (await balances())["stripe"] == 11_761


def _tank(booking, tenths):
    return {name: getattr(booking.car, name) for name in booking.car.__slots__} | {
        "tank_tenths": tenths
    }


async def test_authorisation_that_expired_before_the_capture_is_charged_afresh(
    bank: Bank, monkeypatch
):
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await filled(monkeypatch, booking)
    (held,) = bank.intents
    bank._put(held, status="canceled")
    bill = await settled(monkeypatch, booking)
    assert (bill.state, bill.paid_cents) == ("paid", 4270)
    assert await ends() == [("hold", "cancelled", 0), ("charge", "succeeded", 4270)]


async def test_fill_without_a_hold_is_charged(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    await filled(monkeypatch, booking)
    assert (await settled(monkeypatch, booking)).state == "paid"
    assert await ends() == [("charge", "succeeded", 4270)]


async def test_fill_below_the_least_charge_is_waived_and_its_hold_released(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await filled(monkeypatch, booking, "0.1")
    bill = await settled(monkeypatch, booking)
    assert (bill.state, bill.total_cents, bill.waived_cents) == ("paid", 35, 35)
    assert await ends() == [("hold", "cancelled", 0)]


@pytest.mark.parametrize("answer", ["down", "lost"])
async def test_unknown_outcome_of_the_charge_is_found_again_and_charged_once(
    bank: Bank, monkeypatch, answer
):
    _, booking = await a_booking()
    await filled(monkeypatch, booking)
    bank.answers = [Unavailable(answer)]
    with pytest.raises(Unavailable):
        await settled(monkeypatch, booking)
    bill = await settled(monkeypatch, booking)
    assert (bill.state, len(bank.intents)) == ("paid", 1)
    assert len(await said("completed")) == 1


async def test_page_that_the_provider_cancels_sends_no_receipt(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    bank.answers = ["insufficient_funds"] * 3
    await filled(monkeypatch, booking)
    await settled(monkeypatch, booking)
    async with transaction() as session:
        (open_fill,) = await session.scalars(select(StoredInvoice))
        payer = await session.get_one(Payer, open_fill.payer_id)
        page = await payments.begin_payment(
            session, "page", HOSTED, payer, Money(100), invoice=open_fill
        )
    assert (open_fill.state, len(await said("payment_failed"))) == ("open", 1)
    await charges.store_outcome(page.id, Intent("pi", "canceled", Money(0), page.id))
    assert (await said("completed"), len(await said("payment_failed"))) == ([], 1)


async def test_killed_between_capture_and_commit_it_is_captured_once(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await filled(monkeypatch, booking)
    with monkeypatch.context() as killed:
        killed.setattr(charges, "store_outcome", _killed)
        with pytest.raises(ProcessLookupError):
            await settled(monkeypatch, booking)
    bill = await settled(monkeypatch, booking)
    assert (bill.state, bill.paid_cents) == ("paid", 4270)
    assert await ends() == [("hold", "succeeded", 4270)]


async def _killed(*_: object) -> None:
    raise ProcessLookupError


async def test_hold_of_unknown_outcome_is_asked_for_before_it_is_captured(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    bank.answers = [Unavailable("lost")]
    evening(monkeypatch, booking)
    with pytest.raises(Unavailable):
        await run(AUTHORIZE)
    await filled(monkeypatch, booking)
    assert (await settled(monkeypatch, booking)).state == "paid"
    assert await ends() == [("hold", "succeeded", 4270)]


async def test_credit_is_spent_first_and_the_hold_then_released(bank: Bank, monkeypatch):
    who, booking = await a_booking()
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, who.id, lock=True)
        given = {"text": "Sorry", "actor": SYSTEM, "key": "k"}
        await payments.add_credit(session, payer, dollars(50), **given)
    await authorized(monkeypatch, booking)
    await filled(monkeypatch, booking)
    bill = await settled(monkeypatch, booking)
    assert (bill.state, bill.total_cents) == ("paid", 0)
    assert await lines(bill) == [("fuel", 4270), ("credit", -4270)]
    assert await ends() == [("hold", "cancelled", 0)]
    assert (await said("completed"))[0]["total"] == "$0.00"


async def test_plan_cancelled_after_the_hold_charges_the_agreed_fee_beside_it(
    bank: Bank, monkeypatch
):
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await change(booking, pays_by="fee", period=None, fee_cents=1500, tax_cents=105)
    await filled(monkeypatch, booking, "17.6")
    bill = await settled(monkeypatch, booking)
    assert await lines(bill) == [("fuel", 6088), ("convenience_fee", 1500), ("tax", 105)]
    assert await ends() == [("hold", "succeeded", 6100), ("charge", "succeeded", 1593)]


async def test_free_first_fill_pays_up_to_its_cap(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    free = {"pays_by": "free_fill", "period": None}
    await change(booking, **free, free_cap_cents=4000)
    await filled(monkeypatch, booking)
    bill = await settled(monkeypatch, booking)
    assert await lines(bill) == [("fuel", 4270), ("free_fill", -4000)]
    assert bill.paid_cents == 270


async def test_bill_that_is_gone_is_not_opened():
    await charges.open_and_settle("no such invoice")
    assert await run(RELEASE) == 0


async def test_released_hold_stays_released(bank: Bank, monkeypatch):
    who, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await changes.cancel(who.actor, booking.id, 1, seen_fee=Money(0))
    await run(RELEASE)
    assert await ends() == [("hold", "cancelled", 0)]
