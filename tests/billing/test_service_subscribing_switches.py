"""Switching plans, and cancelling: what is charged, and what waits for the period's end."""

from datetime import date

import pytest

from fuel_app.billing.rules.payments import PaymentDeclined
from fuel_app.billing.rules.plans import OtherAmount, SettleFirst
from fuel_app.billing.tables import StoredInvoice
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import NothingToUndo
from fuel_app.outcomes.service import plans
from fuel_app.plans.tables import Subscription
from tests.helpers import bookings
from tests.helpers.bank import Bank, bank
from tests.helpers.people import messages
from tests.helpers.plan_money import (
    a_customer,
    by,
    lines,
    offered,
    on,
    start,
    stored_invoices,
    subscription,
    switch,
)

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "november")
NOVEMBER = date(2026, 11, 23)


@pytest.fixture
def november(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, NOVEMBER)


async def set_state(person_id: str, state: str) -> None:
    async with transaction() as session:
        (await session.get_one(Subscription, person_id)).state = state


async def coming(person_id: str) -> tuple[bool, str]:
    """Return whether something can be undone, and the next charge."""
    seen = await plans.plan_overview(by(person_id))
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
