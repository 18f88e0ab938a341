"""Fills and late fees: captured from the hold, charged, or a debt that blocks booking."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import Intent, Unavailable
from fuel_app.billing.rules.invoices import PaymentDisputed, PaymentOpen
from fuel_app.billing.rules.payments import HOSTED
from fuel_app.billing.service import fill_invoices, invoices, payments
from fuel_app.billing.tables import Payer, StoredInvoice, StoredPayment
from fuel_app.bookings.rules.bookings import NeedsReason
from fuel_app.bookings.rules.states import REASONS
from fuel_app.bookings.service import changes
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money, dollars
from fuel_app.kit.outbox import COMPOSERS, Skip
from fuel_app.outcomes.service import charges, plans
from tests.helpers import plan_money
from tests.helpers.bank import Bank, a_payer, balances, bank
from tests.helpers.bookings import NOW, STAFF, an_area, at, booked, slot
from tests.helpers.fills import (
    AUTHORIZE,
    OPEN_FILL,
    RELEASE,
    SETTLE,
    a_booking,
    a_card,
    authorized,
    bills,
    change,
    ends,
    evening,
    failed,
    filled,
    lines,
    monday,
    run,
    said,
    settled,
)
from tests.helpers.people import messages, rows
from tests.helpers.plan_money import by
from tests.helpers.plans import all_fills_left

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


async def test_same_key_returns_the_same_draft():
    payer = await a_payer()
    async with transaction() as session:
        draft = {"key": "fill:1", "kind": "fill", "payer": payer, "lines": []}
        first = await invoices.draft_invoice(session, **draft)
        assert await invoices.draft_invoice(session, **draft) is first


async def test_late_answer_does_not_authorize_what_was_cancelled(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    async with transaction() as session:
        await session.execute(update(StoredPayment).values(state="cancelled"))
    [row] = await rows(StoredPayment)
    await fill_invoices._store_authorization(
        row.id, Intent("pi", "requires_capture", Money(0), row.id)
    )
    assert [each.state for each in await rows(StoredPayment)] == ["cancelled"]


def _tank(booking, tenths):
    return {
        name: getattr(booking.fills[0].car, name) for name in booking.fills[0].car.__slots__
    } | {"tank_tenths": tenths}


async def test_fill_below_the_least_charge_is_waived_and_its_hold_released(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await filled(monkeypatch, booking, "0.1")
    bill = await settled(monkeypatch, booking)
    assert (bill.state, bill.total_cents, bill.waived_cents) == ("paid", 35, 35)
    assert await ends() == [("hold", "cancelled", 0)]


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


async def test_bill_that_is_gone_is_not_opened():
    await charges.open_and_settle("no such invoice")
    assert await run(RELEASE) == 0


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


FIFTEEN = dollars(15)


async def late(monkeypatch, booking):
    at(monkeypatch, booking.starts_at - timedelta(hours=1))


async def test_late_cancellation_is_billed_at_once_and_captured_from_the_hold(
    bank: Bank, monkeypatch
):
    who, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await late(monkeypatch, booking)
    await changes.cancel(who.actor, booking.id, 1, seen_fee=FIFTEEN)
    (bill,) = await bills(booking)
    assert (bill.key, bill.state, bill.number) == (f"late_fee:{booking.id}", "open", 1)
    assert await lines(bill) == [("late_fee", 1500)]
    await run(OPEN_FILL, RELEASE)
    assert (await bills(booking))[0].state == "paid"
    assert await ends() == [("hold", "succeeded", 1500)]


async def test_late_fee_without_a_hold_is_charged_and_a_decline_is_told(bank: Bank, monkeypatch):
    who, booking = await a_booking()
    await late(monkeypatch, booking)
    await changes.cancel(who.actor, booking.id, 1, seen_fee=FIFTEEN)
    bank.answers = ["card_declined"]
    await run(OPEN_FILL)
    assert await ends() == [("charge", "failed", 0)]
    told = (await messages("payment_failed"))[0].payload
    assert (told["what"], told["amount"]) == ("the late fee", "$15.00")


async def test_fee_that_staff_waive_is_not_billed(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await late(monkeypatch, booking)
    given = {"seen_fee": FIFTEEN, "reason": "Sick", "waive": True}
    await changes.cancel(STAFF, booking.id, 1, **given)
    await run(OPEN_FILL, RELEASE)
    assert await bills(booking) == []
    assert await ends() == [("hold", "cancelled", 0)]


@pytest.mark.parametrize("reason", REASONS)
async def test_failed_fill_costs_the_fee_only_through_the_customers_fault(
    bank: Bank, monkeypatch, reason
):
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    booking = await change(booking, state="arrived")
    ended = await failed(booking, reason, " At the gate ")
    fee = FIFTEEN if REASONS[reason].costs_fee else Money(0)
    assert (ended.state, ended.reason, ended.late_fee) == ("failed", REASONS[reason].label, fee)
    await run(OPEN_FILL, RELEASE)
    assert [bill.paid_cents for bill in await bills(booking)] == [1500] * bool(fee.cents)
    end = ("hold", "succeeded", 1500) if fee.cents else ("hold", "cancelled", 0)
    assert await ends() == [end]
    assert await all_fills_left() == [4]
    told = (await messages("fill_failed"))[0].payload
    assert told["charge"] == ("$15.00 late fee" if fee.cents else "None")
    assert told["reason"] == f"{REASONS[reason].told}."


async def test_failing_needs_a_known_reason_and_other_a_note():
    _, booking = await a_booking()
    booking = await change(booking, state="arrived")
    for reason, note in (("bored", ""), (None, ""), (["moved"], ""), ("other", " "), ("other", 7)):
        with pytest.raises(NeedsReason):
            await failed(booking, reason, note)


async def test_fee_that_a_larger_plan_covers_is_neither_charged_nor_held_again(
    bank: Bank, monkeypatch
):
    area = await an_area()
    who, _ = await a_booking(3, area=area, plan="solo")
    await booked(who, slot(area, 4))
    soon, ahead = await booked(who, slot(area, 3, 14)), await booked(who, slot(area, 5))
    assert [each.fills[0].fee for each in (soon, ahead)] == [dollars(15)] * 2
    assert await plans.covered_text(by(who.id), NOW) == ""
    await authorized(monkeypatch, soon)
    held = [call[2] for call in bank.calls]
    await plan_money.switch(who.id, "family")
    [told] = [each for each in await said("plan_changed") if each["what"].startswith("Switched")]
    assert told["covers"] == f"{soon.when}; {ahead.when}"
    both = ". It covers 2 booked fill-ups: no fee for them"
    assert await plans.covered_text(by(who.id), NOW) == both
    # What is held stays held, and the fuel alone is captured of it.
    await filled(monkeypatch, soon)
    bill = await settled(monkeypatch, soon)
    assert (bill.total_cents, bill.state) == (4270, "paid")
    assert [kind for kind, _ in await lines(bill)] == ["fuel"]
    assert ("hold", "succeeded", 4270) in await ends()
    # What is held from now on is held without the fee.
    assert await plans.covered_text(by(who.id), clock.now()) == ""
    bank.calls.clear()
    await authorized(monkeypatch, ahead)
    assert {call[2] for call in bank.calls} == {max(held) - 1500}
    assert await all_fills_left() == [0, 0]
