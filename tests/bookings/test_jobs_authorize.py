"""Authorising cards for booked fills: when, how often, and what follows a decline."""

from datetime import timedelta

import pytest

from fuel_app.billing.providers.stripe import Unavailable
from fuel_app.billing.rules.payments import AUTHORIZED, CANCELLED, FAILED, NEW, CardNeeded
from fuel_app.bookings.service import authorizations, bookings, changes
from fuel_app.bookings.service.bookings import FREE_FILL
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from tests.helpers.bank import Bank, bank, stored_payments
from tests.helpers.bookings import (
    NOW,
    a_customer,
    an_area,
    at,
    booked,
    booked_by_guest,
    offer_free_fills,
    slot,
)
from tests.helpers.fills import (
    AUTHORIZE,
    RELEASE,
    a_booking,
    a_card,
    authorized,
    change,
    evening,
    morning,
    now_of,
    run,
    said,
    waiting,
)

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")

NOTHING = Money(0)


async def states() -> list[str]:
    return [each.state for each in await stored_payments()]


async def test_card_is_authorised_at_six_the_evening_before(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    assert await waiting(AUTHORIZE) == [
        booking.starts_at - timedelta(hours=14),
        booking.starts_at - timedelta(minutes=90),
    ]
    at(monkeypatch, booking.starts_at - timedelta(hours=14, seconds=1))
    assert await run(AUTHORIZE) == 0
    await authorized(monkeypatch, booking)
    morning(monkeypatch, booking)
    await run(AUTHORIZE)
    # 17.6 gallons at $3.459, in whole dollars
    assert bank.calls == [("requires_capture", (await stored_payments())[0].id, 6100)]
    assert (await stored_payments())[0].key == f"hold:{booking.id}:1:first"
    assert (await authorizations.card_states([booking]))[booking.id].payment == "$61 authorized"
    assert not await authorizations.unpaid_ids([booking])


async def test_window_of_tomorrow_is_authorised_at_once_after_six(bank: Bank, monkeypatch):
    area, who = await an_area(), await a_customer()
    await a_card(who)
    at(monkeypatch, NOW + timedelta(hours=9))
    await booked(who, slot(area, 1))
    await run(AUTHORIZE)
    assert await states() == [AUTHORIZED]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("insufficient_funds", "Your card has insufficient funds."),
        ("expired_card", "Your card has expired."),
        ("authentication_required", "Your bank wants you to confirm this payment."),
        ("card_declined", "Your card was declined."),
    ],
)
async def test_declined_is_told_at_once_then_cancelled_free_of_charge(
    bank: Bank, monkeypatch, code, reason
):
    _, booking = await a_booking()
    bank.answers = [code, code]
    await authorized(monkeypatch, booking)
    (told,) = await said("hold_declined")
    assert (told["reason"], told["amount"]) == (reason, "$61")
    assert ("confirm" in told) == (code == "authentication_required")
    assert told["until"] == "Thursday, November 26, 6:30 AM"
    assert (await authorizations.card_states([booking]))[
        booking.id
    ].payment == f"Declined. {reason}"
    assert await authorizations.unpaid_ids([booking]) == {booking.id}
    assert (await now_of(booking)).state == "booked"
    morning(monkeypatch, booking)
    await run(AUTHORIZE)
    ended = await now_of(booking)
    assert (ended.state, ended.ended_by, ended.late_fee) == ("cancelled", "system", NOTHING)
    (cancelled,) = await said("booking_cancelled")
    assert (cancelled["charge"], "declined" in cancelled["reason"]) == ("None", True)
    assert len(bank.calls) == 2


async def test_declined_is_tried_again_as_the_card_changes(bank: Bank, monkeypatch):
    who, booking = await a_booking()
    bank.answers = ["card_declined", "card_declined"]
    await authorized(monkeypatch, booking)
    await a_card(who, "pm_worse")
    await run(AUTHORIZE)
    assert len(await said("hold_declined")) == 2
    await a_card(who, "pm_better")
    await run(AUTHORIZE)
    await a_card(who, "pm_best")  # what is authorised stays
    morning(monkeypatch, booking)
    await run(AUTHORIZE)
    assert await states() == [FAILED, FAILED, AUTHORIZED]
    assert (await now_of(booking)).state == "booked"


async def test_new_card_without_a_decline_authorises_nothing_early(bank: Bank):
    who, _ = await a_booking()
    await a_card(who, "pm_new")
    await run(AUTHORIZE)
    assert bank.calls == []


@pytest.mark.parametrize("answers", [["down", "down"], ["lost"]])
async def test_unknown_outcome_is_asked_again_with_one_key_and_cancels_nothing(
    bank: Bank, monkeypatch, answers
):
    _, booking = await a_booking()
    bank.answers = [Unavailable(answer) for answer in answers]
    for turn in (evening, morning)[: len(answers)]:
        turn(monkeypatch, booking)
        with pytest.raises(Unavailable):
            await run(AUTHORIZE)
        assert await states() == [NEW]
    assert (await authorizations.card_states([booking]))[booking.id].payment == "Being authorized"
    await run(AUTHORIZE)
    assert len(bank.intents) == 1
    assert await states() == [AUTHORIZED]
    assert (await now_of(booking)).state == "booked"


async def test_killed_after_a_decline_it_is_told_once_by_the_next_run(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    bank.answers = ["card_declined"]
    evening(monkeypatch, booking)
    with monkeypatch.context() as killed:
        killed.setattr(changes.notifications, "authorization_declined", _killed)
        with pytest.raises(ProcessLookupError):
            await run(AUTHORIZE)
    await run(AUTHORIZE)
    assert len(bank.calls) == len(await said("hold_declined")) == 1


async def _killed(*_: object) -> None:
    raise ProcessLookupError


async def test_moved_booking_is_authorised_anew_and_the_former_hold_released(
    bank: Bank, monkeypatch
):
    who, booking = await a_booking()
    await authorized(monkeypatch, booking)
    moved = await changes.move(who.actor, booking.id, 1, slot(booking.area_id, 5))
    await run(RELEASE)
    morning(monkeypatch, booking)
    await run(AUTHORIZE)
    assert await states() == [CANCELLED]
    assert "November 27" not in (await authorizations.card_states([moved]))[booking.id].payment
    await authorized(monkeypatch, moved)
    assert await states() == [CANCELLED, AUTHORIZED]
    assert (await stored_payments())[1].key == f"hold:{booking.id}:2:first"


async def test_moved_booking_does_not_keep_the_hold_that_is_being_released(bank: Bank, monkeypatch):
    who, booking = await a_booking()
    await authorized(monkeypatch, booking)
    at(monkeypatch, booking.starts_at - timedelta(hours=12))
    moved = await changes.move(who.actor, booking.id, 1, slot(booking.area_id, 4))
    at(monkeypatch, moved.starts_at - timedelta(hours=12))
    await run(AUTHORIZE)  # before the release has run
    await run(RELEASE)
    assert await states() == [CANCELLED, AUTHORIZED]


async def test_cancelled_in_time_releases_even_a_hold_of_unknown_outcome(bank: Bank, monkeypatch):
    who, booking = await a_booking()
    bank.answers = [Unavailable("lost")]
    evening(monkeypatch, booking)
    with pytest.raises(Unavailable):
        await run(AUTHORIZE)
    await changes.cancel(who.actor, booking.id, 1, seen_fee=NOTHING)
    await run(RELEASE, AUTHORIZE)
    assert await states() == [CANCELLED]
    assert [each.status for each in bank.intents.values()] == ["canceled"]


async def test_outcome_that_the_bank_still_decides_is_no_answer(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    evening(monkeypatch, booking)
    monkeypatch.setattr(bank, "_pay", _processing(bank))
    with pytest.raises(Unavailable):
        await run(AUTHORIZE)
    assert await states() == [NEW]


def _processing(bank: Bank):
    pay = Bank._pay

    async def answer(payment_id, _status, amount):
        return await pay(bank, payment_id, "processing", amount)

    return answer


async def test_fee_that_nobody_agreed_to_is_not_held_and_cancels_in_the_morning(
    bank: Bank, monkeypatch
):
    _, booking = await a_booking()
    await change(booking, fee_asked_at=NOW)
    await authorized(monkeypatch, booking)
    assert (await now_of(booking)).state == "booked"
    assert len(await said("fee_asked")) == 1  # once more: the first one is asked with the plan
    morning(monkeypatch, booking)
    await run(AUTHORIZE)
    ended = await now_of(booking)
    assert (ended.state, ended.ended_by, ended.late_fee) == ("cancelled", "system", NOTHING)
    assert bank.calls == []


async def test_whole_free_first_fill_holds_nothing(bank: Bank, monkeypatch):
    offer_free_fills(monkeypatch)
    _, booking = await a_booking()
    assert booking.fills[0].pays_by == FREE_FILL
    await authorized(monkeypatch, booking)
    assert bank.calls == []
    assert (await authorizations.card_states([booking]))[booking.id].payment == ""


async def test_same_day_fill_is_tried_until_two_hours_before(bank: Bank, monkeypatch):
    area, who = await an_area(), await a_customer(plan="big-family")
    await a_card(who)
    bank.answers = ["card_declined", "card_declined"]
    booking = await booked(who, slot(area, 0, 14))
    await run(AUTHORIZE)
    assert (await said("hold_declined"))[0]["until"] == "Monday, November 23, 12:00 PM"
    at(monkeypatch, booking.starts_at - timedelta(hours=2))
    await run(AUTHORIZE)
    assert (await now_of(booking)).state == "cancelled"


async def test_truck_that_is_fueling_is_not_called_back(bank: Bank, monkeypatch):
    _, booking = await a_booking()
    bank.answers = ["card_declined"]
    morning(monkeypatch, booking)
    stored = bookings.queries.find

    async def found(*given, **more):
        row = await stored(*given, **more)
        if row and await stored_payments():
            row.state = "fueling"
        return row

    monkeypatch.setattr("fuel_app.bookings.queries.find", found)
    await run(AUTHORIZE)
    assert await said("booking_cancelled") == []


async def test_guests_card_is_authorised_as_a_customers_is(bank: Bank, monkeypatch):
    booking = await booked_by_guest(slot(await an_area(), 2))
    await authorized(monkeypatch, booking)
    ((_, _, cents),) = bank.calls
    assert (cents, await states()) == (7600, [AUTHORIZED])


async def test_without_a_card_the_customer_is_told(bank: Bank, monkeypatch):
    who, booking = await a_booking()
    await a_card(who, "")
    await authorized(monkeypatch, booking)
    (told,) = await said("hold_declined")
    assert (told["reason"], told["amount"]) == ("There is no card on your account.", "$61")
    assert bank.calls == []


async def test_card_stays_as_long_as_a_fill_is_booked_with_it():
    who, booking = await a_booking()
    async with transaction() as session:
        with pytest.raises(CardNeeded, match="Please update it"):
            await authorizations.check_card_removable(session, who.id)
    await changes.cancel(who.actor, booking.id, 1, seen_fee=NOTHING)
    async with transaction() as session:
        await authorizations.check_card_removable(session, who.id)
