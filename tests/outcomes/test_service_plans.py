"""Starting, switching and cancelling plans: what is charged, and what follows from it."""

from datetime import date

import pytest

from fuel_app.areas.tables import Area
from fuel_app.billing.providers.stripe import Unavailable
from fuel_app.billing.rules.payments import NoCard, PaymentDeclined, PaymentPending
from fuel_app.billing.rules.plans import OtherAmount, SettleFirst
from fuel_app.billing.tables import StoredInvoice
from fuel_app.customers.rules.customers import NotVerified
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import NothingToUndo
from fuel_app.outcomes.service import plans
from fuel_app.plans.rules.plans import NoPlan
from fuel_app.plans.tables import Subscription
from tests.helpers import bookings
from tests.helpers.bank import Bank, balances, bank, stored_payments
from tests.helpers.bookings import an_area
from tests.helpers.neighborhoods import neighborhood
from tests.helpers.people import messages
from tests.helpers.plan_money import (
    a_customer,
    by,
    credit_cents,
    join,
    lines,
    november,
    offered,
    on,
    set_credit,
    start,
    stored_invoices,
    subscription,
    switch,
)

__all__ = ["bank", "november"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "november")


async def start_again(person_id: str) -> None:
    """Press the same button a second time."""
    words = "Start Solo · $0.00 today, then $25.00 monthly until you cancel"
    await plans.start_plan(by(person_id), "solo", words, "start")


async def test_other_plan_in_another_tab_waits_and_sees_the_new_offer(bank: Bank):
    person_id = await a_customer()
    words = (await offered(person_id, "family")).button
    bank.answers = [Unavailable("down")]
    with pytest.raises(PaymentPending):
        await start(person_id, "solo")
    pending = (await plans.read_plans(by(person_id))).overview
    assert pending
    assert pending.payment_pending
    for change in (plans.cancel_plan, plans.undo_plan_change):
        with pytest.raises(PaymentPending):
            await change(by(person_id))
    with pytest.raises(OtherAmount, match="Switch now") as refused:
        await plans.start_plan(by(person_id), "family", words, "other")
    assert refused.value.offer.way == "up"
    assert [row.kind for row in await stored_invoices()] == ["start"]


async def test_declined_start_changes_nothing_and_may_be_tried_again(bank: Bank):
    person_id = await a_customer()
    await set_credit(person_id, 500)
    for code, reason in (
        ("insufficient_funds", "insufficient funds"),
        ("expired_card", "expired"),
        ("authentication_required", "Your bank wants you to confirm this payment"),
    ):
        bank.answers = [code]
        with pytest.raises(PaymentDeclined, match=reason):
            await start(person_id, key=code)
        with pytest.raises(PaymentDeclined, match=reason):  # the same press once more
            await start(person_id, key=code)
    assert (await subscription(person_id)).state == "incomplete"
    assert {(row.state, row.number) for row in await stored_invoices()} == {("void", None)}
    assert (await balances(), len(bank.calls)) == ({}, 3)
    assert await credit_cents() == 500
    await start(person_id, key="again")
    assert [call[2] for call in bank.calls][-1] == 2000


async def test_discount_tax_and_credit_stand_on_lines_of_their_own(bank: Bank):
    area_id = await an_area()
    async with transaction() as session:
        (await session.get_one(Area, area_id)).tax_basis_points = 750
    person_id = await a_customer()
    neighborhood_id = await neighborhood("Palm Grove")
    others = [await a_customer(number) for number in range(2, 6)]
    await join(neighborhood_id, person_id, *others)
    await set_credit(person_id, 300)
    offer = await offered(person_id, "family")
    assert "$38.93 today, then $41.93 monthly" in offer.button  # (44 - 5) * 1.075 = 41.925
    await plans.start_plan(by(person_id), "family", offer.button, "key")
    [invoice] = await stored_invoices()
    assert await lines(invoice) == [
        ("Family Plan from November 23, 2026", 4400),
        ("Neighborhood discount, Palm Grove: Tier 1", -500),
        ("Sales tax 7.5%", 293),
        ("Credit", -300),
    ]
    [row] = await stored_payments()
    assert row.amount_cents == 3893


async def test_credit_leaves_enough_for_a_charge(bank: Bank):
    person_id = await a_customer()
    await set_credit(person_id, 2460)
    await start(person_id)
    assert [call[2] for call in bank.calls] == [50]
    assert await credit_cents() == 10


async def test_credit_that_pays_it_all_needs_no_charge(bank: Bank):
    person_id = await a_customer()
    await set_credit(person_id, 3000)
    await start(person_id)
    await start_again(person_id)
    [invoice] = await stored_invoices()
    assert (invoice.state, invoice.total_cents, bank.calls) == ("paid", 0, [])
    assert (await subscription(person_id)).state == "active"
    assert await credit_cents() == 500


async def test_start_needs_a_verified_email_and_a_card(bank: Bank):
    with pytest.raises(NotVerified):
        await start(await a_customer(1, email_verified_at=None))
    with pytest.raises(NoCard):
        await start(await a_customer(2, card=""))
    assert await stored_invoices() == []


@pytest.mark.parametrize("plan_id", ["gold", None, 7, [], {"id": "solo"}])
async def test_plan_that_is_none_cannot_be_started(plan_id: object, bank: Bank):
    person_id = await a_customer()
    with pytest.raises(NoPlan):
        await plans.start_plan(by(person_id), plan_id, "Start", "key")


async def test_other_words_than_the_button_says_are_refused_with_the_new_offer(bank: Bank):
    person_id = await a_customer()
    offer = await offered(person_id, "solo")
    await set_credit(person_id, 100)
    for seen in (offer.button, None, 7):
        with pytest.raises(OtherAmount, match=r"\$24\.00 today") as refused:
            await plans.start_plan(by(person_id), "solo", seen, "key")
    assert str(refused.value.offer.due) == "$24.00"
    with pytest.raises(OtherAmount):  # a start is no switch
        await plans.switch_plan(by(person_id), "solo", refused.value.offer.button, "key")
    assert bank.calls == []


async def test_same_button_in_another_tab_afterwards_is_the_same_press(bank: Bank):
    person_id = await a_customer()
    words = (await offered(person_id, "solo")).button
    await start(person_id)
    await plans.start_plan(by(person_id), "solo", words, "other")
    assert len(await stored_invoices()) == 1


async def test_staff_have_no_plan_and_no_offers(bank: Bank):
    assert (await plans.read_plans(by("nobody"))).overview is None
    assert (await plans.read_plans(by("nobody"))).offers == ()
    with pytest.raises(NoPlan):
        await plans.start_plan(by("nobody"), "solo", "Start", "key")


async def set_state(person_id: str, state: str) -> None:
    async with transaction() as session:
        (await session.get_one(Subscription, person_id)).state = state


async def coming(person_id: str) -> tuple[bool, str]:
    """Return whether something can be undone, and the next charge."""
    seen = (await plans.read_plans(by(person_id))).overview
    assert seen
    return seen.may_undo, str(seen.charge)


async def test_switch_up_costs_the_new_price_less_the_unused_days(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    person_id = await a_customer()
    await start(person_id)
    on(monkeypatch, date(2026, 12, 11))
    offer = await offered(person_id, "family")
    assert (offer.way, offer.button) == ("up", "Switch now · $34.00 today")  # 25 * 12 / 30 = 10
    await plans.switch_plan(by(person_id), "family", offer.button, "key")
    found = await subscription(person_id)
    assert (found.plan_id, found.period_starts) == ("family", date(2026, 12, 11))
    invoice = (await stored_invoices())[-1]
    assert ("Unused 12 of 30 days of Solo Plan", -1000) in await lines(invoice)
    assert {each.payload["what"] for each in await messages("plan_changed")} == {
        "Solo Plan started",
        "Switched to Family Plan",
    }


async def test_switches_on_one_day_and_on_the_last_day_gain_nothing(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    person_id = await a_customer()
    await start(person_id)
    await switch(person_id, "family", "a")
    await switch(person_id, "big-family", "b")
    assert [call[2] for call in bank.calls] == [2500, 1900, 3500]
    assert sum(call[2] for call in bank.calls) == 7900
    other = await a_customer(2)
    await start(other)
    on(monkeypatch, date(2026, 12, 22))  # the last day
    assert (await offered(other, "family")).due.cents == 4400 - 83


async def test_declined_switch_keeps_the_plan(bank: Bank):
    person_id = await a_customer()
    await start(person_id)
    bank.answers = ["card_declined"]
    with pytest.raises(PaymentDeclined):
        await switch(person_id, "family")
    assert (await subscription(person_id)).plan_id == "solo"


async def test_switch_down_and_cancel_wait_for_the_period_and_can_be_undone(bank: Bank):
    person_id = await a_customer()
    await start(person_id, "family")
    offer = await offered(person_id, "solo")
    assert (offer.way, offer.button, offer.due.cents) == ("down", "Switch on December 23", 0)
    await switch(person_id, "solo")
    assert "December 23" in (await offered(person_id, "solo")).problem
    with pytest.raises(OtherAmount):
        await switch(person_id, "solo", "again")
    assert await coming(person_id) == (True, "$25.00")
    await plans.undo_plan_change(by(person_id))
    await plans.cancel_plan(by(person_id))
    assert await coming(person_id) == (True, "None")
    await plans.undo_plan_change(by(person_id))
    with pytest.raises(NothingToUndo):
        await plans.undo_plan_change(by(person_id))
    assert await coming(person_id) == (False, "$44.00")
    assert len(bank.calls) == 1


async def test_plan_that_is_past_due_is_settled_first(bank: Bank):
    person_id = await a_customer()
    await start(person_id)
    words = (await offered(person_id, "family")).button
    await set_state(person_id, "past_due")
    assert (await offered(person_id, "family")).problem == SettleFirst.message
    for press in (
        plans.switch_plan(by(person_id), "family", words, "key"),
        plans.cancel_plan(by(person_id)),
        plans.undo_plan_change(by(person_id)),
    ):
        with pytest.raises(SettleFirst):
            await press
    assert await coming(person_id) == (False, "None")


async def test_period_without_an_invoice_is_worth_nothing_at_a_switch(bank: Bank):
    person_id = (await bookings.a_customer(plan="solo")).id
    assert (await offered(person_id, "family")).due.cents == 4400


async def test_refunded_period_is_worth_nothing_at_a_switch(bank: Bank):
    person_id = await a_customer()
    await start(person_id)
    async with transaction() as session:
        row = await session.get_one(StoredInvoice, (await stored_invoices())[0].id)
        row.refunded_cents = 2500
    assert (await offered(person_id, "family")).due.cents == 4400
