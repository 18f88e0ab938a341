"""Late fees: of late cancellations and of fills that failed through the customer."""

from datetime import timedelta

import pytest

from fuel_app.bookings.rules.bookings import BookingChanged, NeedsReason
from fuel_app.bookings.rules.states import REASONS
from fuel_app.bookings.service import changes
from fuel_app.kit.money import Money, dollars
from tests.helpers.bank import Bank, bank
from tests.helpers.bookings import STAFF, at
from tests.helpers.fills import (
    OPEN_FILL,
    RELEASE,
    a_booking,
    authorized,
    bills,
    change,
    ends,
    failed,
    lines,
    monday,
    run,
)
from tests.helpers.people import messages
from tests.helpers.plans import all_fills_left

__all__ = ["bank", "monday"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "monday")

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


async def test_booking_that_has_not_arrived_cannot_fail():
    _, booking = await a_booking()
    with pytest.raises(BookingChanged):
        await failed(booking, "moved")
