"""Starts and switches pressed at once, and processes that die, on both databases."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from typing import Any

import pytest

from fuel_app.billing.providers.stripe import Unavailable
from fuel_app.billing.queries import invoices as invoice_queries
from fuel_app.billing.rules.payments import PaymentPending
from fuel_app.outcomes.service import charges, plans, renewals
from fuel_app.plans import queries as plan_queries
from tests.helpers.bank import Bank, balances, bank, stored_payments
from tests.helpers.people import messages
from tests.helpers.plan_money import (
    NOVEMBER,
    a_customer,
    by,
    november,
    offered,
    on,
    set_credit,
    start,
    stored_invoices,
    subscription,
)

__all__ = ["bank", "november"]
pytestmark = pytest.mark.usefixtures("database", "november")


async def test_start_charges_what_the_button_said_and_starts_the_plan(bank: Bank):
    person_id = await a_customer()
    offer = await offered(person_id, "family")
    assert offer.button == "Start Family · $44.00 today, then monthly until you cancel"
    await plans.start_plan(by(person_id), "family", offer.button, "key")
    found = await subscription(person_id)
    assert (found.plan_id, found.state, found.wording) == ("family", "active", offer.button)
    assert (found.period_starts, found.period_ends) == (NOVEMBER, date(2026, 12, 23))
    [invoice] = await stored_invoices()
    assert (invoice.state, invoice.number, invoice.paid_cents) == ("paid", 1, 4400)
    assert [call[2] for call in bank.calls] == [4400]
    assert await balances() == {"stripe": 4400, "plans": -4400}
    told = await messages("plan_changed")
    assert {each.payload["what"] for each in told} == {"Family Plan started"}
    assert told[0].payload["amount"] == "$44.00 charged"


async def test_start_locks_the_plan_before_the_counter(bank: Bank, monkeypatch: pytest.MonkeyPatch):
    """A renewal of several plans locks them in this order, too: neither waits for the other."""
    person_id = await a_customer()
    words = (await offered(person_id, "solo")).button
    taken = []

    def noted(name: str, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def takes(*args: Any, **more: Any) -> Any:
            taken.append(name)
            return await call(*args, **more)

        return takes

    bank.answers = [Unavailable("down")]
    with pytest.raises(PaymentPending):
        await plans.start_plan(by(person_id), "solo", words, "key")
    monkeypatch.setattr(
        invoice_queries, "next_number", noted("counter", invoice_queries.next_number)
    )
    monkeypatch.setattr(plan_queries, "subscriptions", noted("plan", plan_queries.subscriptions))
    await charges.perform_payment((await stored_payments())[0].id)
    assert (taken[0], "counter" in taken) == ("plan", True)
    assert (await subscription(person_id)).state == "active"


async def test_start_pressed_twice_and_in_two_tabs_is_charged_once(bank: Bank):
    person_id = await a_customer()
    words = (await offered(person_id, "solo")).button
    presses = [plans.start_plan(by(person_id), "solo", words, key) for key in "aabb"]
    await asyncio.gather(*presses)
    await plans.start_plan(by(person_id), "solo", words, "a")
    assert len(await stored_invoices()) == 1
    assert len({call[1] for call in bank.calls}) == 1  # Stripe heard one payment
    assert (await subscription(person_id)).state == "active"


async def test_switch_pressed_twice_switches_once(bank: Bank):
    person_id = await a_customer()
    await start(person_id)
    words = (await offered(person_id, "family")).button
    await asyncio.gather(
        *[plans.switch_plan(by(person_id), "family", words, "key") for _ in range(3)]
    )
    assert [row.kind for row in await stored_invoices()] == ["start", "switch"]


async def test_lost_answer_is_found_by_its_key_and_not_charged_twice(bank: Bank):
    person_id = await a_customer()
    bank.answers = [Unavailable("lost")]
    with pytest.raises(PaymentPending):
        await start(person_id)
    assert (await subscription(person_id)).state == "incomplete"
    [payment] = await stored_payments()
    await charges.perform_payment(payment.id)  # the job
    assert (await subscription(person_id)).state == "active"
    assert len(bank.intents) == 1


async def test_process_that_dies_after_the_charge_loses_nothing(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    person_id = await a_customer()

    async def dies(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(charges, "store_outcome", dies)
        with pytest.raises(MemoryError):
            await start(person_id)
    assert ((await subscription(person_id)).state, len(bank.intents)) == ("incomplete", 1)
    [payment] = await stored_payments()
    await charges.perform_payment(payment.id)
    assert (await subscription(person_id)).state == "active"
    assert len(bank.intents) == 1


async def test_period_renewed_by_several_jobs_at_once_is_charged_once(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    people = [await a_customer(number) for number in range(3)]
    for person_id in people:
        await start(person_id)
    await set_credit(people[0], 2500)
    on(monkeypatch, date(2026, 12, 23))
    batches = [people, people[::-1], people[:1], people[1:]]
    await asyncio.gather(*[renewals.renew(batch) for batch in batches])
    renewal_rows = [row for row in await stored_invoices() if row.kind == "renewal"]
    assert sorted(row.number or 0 for row in renewal_rows) == [4, 5, 6]
    assert {row.state for row in renewal_rows} == {"paid"}
    assert len(bank.intents) == 5
    assert await balances() == {"stripe": 12500, "plans": -15000, "customer_credit": 2500}
