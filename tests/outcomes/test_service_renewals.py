"""Renewals: one invoice a period, retries of what is unpaid, and the end of a plan."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM
from fuel_app.accounts.tables import Person
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import Intent, Unavailable
from fuel_app.billing.rules.payments import PaymentPending
from fuel_app.billing.service import payments
from fuel_app.billing.tables import Payer, StoredInvoice
from fuel_app.kit import clock
from fuel_app.kit.clock import months_later
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import COMPOSERS, Skip
from fuel_app.outcomes import jobs as billing_jobs
from fuel_app.outcomes.service import charges, consequences, plans, renewals
from fuel_app.plans.service import subscriptions
from tests.helpers.bank import Bank, balances, bank
from tests.helpers.jobs import run_due, stored_jobs
from tests.helpers.people import messages, rows
from tests.helpers.plan_money import (
    a_customer,
    by,
    on,
    set_credit,
    start,
    stored_invoices,
    subscription,
    switch,
    today,
)

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database")


FIRST, SECOND = date(2026, 10, 31), date(2026, 11, 30)


@pytest.fixture
async def person_id(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a customer whose plan has started on a 31st, on the day of its renewal."""
    on(monkeypatch, FIRST)
    found = await a_customer()
    await start(found)
    on(monkeypatch, SECOND)
    return found


def later() -> datetime:
    return clock.now() + timedelta(minutes=1)


async def daily() -> None:
    """Run the day's schedule with all that it enqueues."""
    await billing_jobs.renew_plans(clock.now())
    await run_due(later)


async def told(kind: str) -> list[dict[str, str]]:
    return [each.payload for each in await messages(kind) if each.channel == "mail"]


async def test_period_is_renewed_and_charged_once_whatever_runs_again(person_id: str, bank: Bank):
    await asyncio.gather(*[renewals.renew([person_id]) for _ in range(3)])
    await daily()
    found = await subscription(person_id)
    assert (found.state, found.period_starts, found.period_ends) == (
        *("active", SECOND, date(2026, 12, 31)),
    )
    assert [(row.kind, row.state, row.number) for row in await stored_invoices()] == [
        ("start", "paid", 1),
        ("renewal", "paid", 2),
    ]
    assert len(bank.intents) == 2
    assert await balances() == {"stripe": 5000, "plans": -5000}
    (receipt,) = await told("receipt")
    assert (receipt["number"], receipt["amount"]) == ("GF-000002", "$25.00")
    assert receipt["invoice"] == (await stored_invoices())[1].id


async def test_nothing_is_charged_before_the_period_ends(
    person_id: str, bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    on(monkeypatch, SECOND - timedelta(days=1), 23)
    await daily()
    await renewals.renew([person_id])
    assert len(await stored_invoices()) == 1


async def test_periods_that_were_missed_whole_cost_nothing(
    person_id: str, bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    on(monkeypatch, date(2027, 3, 8))  # clocks change on the 14th
    await daily()
    found = await subscription(person_id)
    assert (found.period_starts, found.period_ends) == (date(2027, 2, 28), date(2027, 3, 31))
    assert [row.period for row in await stored_invoices()] == [FIRST, date(2027, 2, 28)]


async def test_switch_down_follows_at_its_price_and_a_cancelled_plan_ends(
    person_id: str, bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    on(monkeypatch, FIRST)
    await switch(person_id, "family")
    await switch(person_id, "solo", "down")
    on(monkeypatch, SECOND)
    await daily()
    assert (await stored_invoices())[-1].total_cents == 2500
    await plans.cancel_plan(by(person_id))
    on(monkeypatch, date(2026, 12, 31))
    await daily()
    assert (await subscription(person_id)).state == "cancelled"
    assert len(await stored_invoices()) == 3
    await daily()
    assert len(bank.intents) == 3


async def test_credit_pays_a_renewal_without_a_charge(person_id: str, bank: Bank):
    await set_credit(person_id, 2500)
    await renewals.renew([person_id])
    assert [row.state for row in await stored_invoices()] == ["paid", "paid"]
    assert len(bank.calls) == 1


async def test_unpaid_plan_is_tried_on_four_days_then_ends_and_is_written_off(
    person_id: str, bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    tried = []
    for day in range(16):
        on(monkeypatch, SECOND + timedelta(days=day))
        bank.answers, before = ["insufficient_funds"], len(bank.calls)
        await daily()
        await daily()
        if len(bank.calls) > before:
            tried.append(day)
        if day == 13:
            seen = (await plans.read_plans(by(person_id))).overview
            assert seen
            assert seen.ends_on == date(2026, 12, 14)
    assert tried == [0, 1, 3, 5, 7]
    failed = await told("payment_failed")
    assert len(failed) == 5
    assert failed[0]["amount"] == "$25.00"
    assert failed[0]["reason"] == "Your card has insufficient funds."
    assert failed[0]["until"] == "December 14, 2026, when the plan ends"
    assert (await subscription(person_id)).state == "cancelled"
    assert [row.state for row in await stored_invoices()] == ["paid", "uncollectible"]
    assert await balances() == {"stripe": 2500, "plans": -5000, "bad_debt": 2500}
    assert {each["what"] for each in await told("plan_changed")} == {
        *("Solo Plan started", "Solo Plan ended")
    }


async def test_paying_in_between_makes_the_plan_active_at_once(person_id: str, bank: Bank):
    bank.answers = ["card_declined"]
    await renewals.renew([person_id])
    assert (await subscription(person_id)).state == "past_due"
    await charges.pay_now(by(person_id), (await stored_invoices())[-1].id)
    assert (await subscription(person_id)).state == "active"


async def test_waived_renewal_makes_the_plan_active_without_a_receipt(person_id: str, bank: Bank):
    bank.answers = ["insufficient_funds"]
    await renewals.renew([person_id])
    unpaid = (await stored_invoices())[1]
    async with transaction() as session:
        row = await session.get_one(StoredInvoice, unpaid.id)
        waiver = {"reason": "Sorry", "actor": SYSTEM, "key": "waiver"}
        await payments.add_credit_note(
            session, row, Money(row.total_cents), payments.WAIVED, **waiver
        )
        await consequences.follow(session, "paid", row)
        [failed, *_] = await messages("payment_failed")
        assert await COMPOSERS["payment_failed"](session, failed) == Skip(payments.SETTLED)
    assert (await subscription(person_id)).state == "active"
    assert await told("receipt") == []


async def test_new_card_pays_the_unpaid_plan(person_id: str, bank: Bank):
    bank.answers = ["card_declined"]
    await renewals.renew([person_id])
    async with transaction() as session:
        payer = (await rows(Payer))[0]
        payer.card_id = "pm_new"
        await session.merge(payer)
        await consequences.new_card(session, payer)
        await consequences.new_card(session, payer)
    await run_due(later)
    assert (await subscription(person_id)).state == "active"
    assert len(bank.calls) == 3


async def test_provider_that_is_down_is_asked_again_with_the_same_key(person_id: str, bank: Bank):
    bank.answers = [Unavailable("down"), Unavailable("lost")]
    for _ in range(2):
        with pytest.raises(Unavailable):
            await renewals.renew([person_id])
    assert (await subscription(person_id)).state == "active"
    await renewals.renew([person_id])
    assert len(bank.intents) == 2
    assert [row.state for row in await stored_invoices()] == ["paid", "paid"]


async def test_failed_batch_is_tried_again_for_the_others(person_id: str, bank: Bank):
    other = await a_customer(2)
    bank.answers = [Unavailable("down")]
    job = {"people": [person_id, other]}
    handler = billing_jobs.jobs.Job("id", "billing.renew", job, 1)
    with pytest.raises(Unavailable):
        await billing_jobs.renew(handler)
    await billing_jobs.renew(handler)
    assert [row.state for row in await stored_invoices()] == ["paid", "paid"]


async def test_process_that_dies_after_the_charge_finds_it_again(
    person_id: str, bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    async def dies(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(renewals.payments, "apply_outcome", dies)
        with pytest.raises(MemoryError):
            await renewals.renew([person_id])
    await renewals.renew([person_id])
    assert [row.state for row in await stored_invoices()] == ["paid", "paid"]
    assert len(bank.intents) == 2


async def test_renewal_waits_for_a_switch_that_is_being_paid(person_id: str, bank: Bank):
    bank.answers = [Unavailable("down")]
    with pytest.raises(PaymentPending):
        await switch(person_id, "family")
    with pytest.raises(PaymentPending):
        await renewals.renew([person_id])
    with pytest.raises(PaymentPending):  # the same press finds the payment
        await switch_again(person_id, bank)
    assert [row.kind for row in await stored_invoices()] == ["start", "switch"]


async def switch_again(person_id: str, bank: Bank) -> None:
    bank.answers = [Unavailable("lost")]
    await plans.switch_plan(by(person_id), "family", "", "switch")


async def test_deactivated_customer_is_not_charged(person_id: str, bank: Bank):
    async with transaction() as session:
        (await session.get_one(Person, person_id)).deactivated_at = clock.now()
    await daily()
    await renewals.notify_coming(SECOND - timedelta(days=1))
    assert len(await stored_invoices()) == 1
    assert await told("renewal_coming") == []


async def test_renewal_is_told_once_three_days_before_with_its_exact_amount(
    person_id: str, bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    await set_credit(person_id, 300)
    for before in (4, 3, 2, 1, 0):
        on(monkeypatch, SECOND - timedelta(days=before))
        await billing_jobs.tell_coming(clock.now())
        assert len(await told("renewal_coming")) == (before < 4)
    [coming] = await told("renewal_coming")
    assert coming == {"plan": "Solo Plan", "amount": "$22.00", "day": "November 30, 2026"}


async def test_cancelling_withdraws_what_waits_to_tell_of_the_renewal(
    person_id: str, bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    on(monkeypatch, SECOND - timedelta(days=3))
    await billing_jobs.tell_coming(clock.now())
    await plans.cancel_plan(by(person_id))
    assert {each.state for each in await messages("renewal_coming")} == {"skipped"}
    on(monkeypatch, SECOND - timedelta(days=2))
    await billing_jobs.tell_coming(clock.now())
    assert len(await told("renewal_coming")) == 1


async def test_daily_job_enqueues_batches_once(person_id: str, bank: Bank):
    for _ in range(2):
        await billing_jobs.renew_plans(clock.now())
    assert [job.payload for job in await stored_jobs() if job.kind == "billing.renew"] == [
        {"people": [person_id]}
    ]
    assert today() == SECOND
    assert months_later(FIRST, 1) == SECOND


NOVEMBER_23, DECEMBER_23 = date(2026, 11, 23), date(2026, 12, 23)


@pytest.fixture
async def people(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return two customers on the day of their renewal."""
    on(monkeypatch, NOVEMBER_23)
    found = [await a_customer(number) for number in range(2)]
    for person_id in found:
        await start(person_id)
    on(monkeypatch, DECEMBER_23)
    return found


async def renewal_states() -> list[str]:
    return [row.state for row in await stored_invoices() if row.kind == "renewal"]


async def test_error_of_one_renewal_does_not_hold_up_the_others(
    people: list[str], bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    renews = subscriptions.renew_all

    async def fails(session: AsyncSession, due: list[str]) -> Any:
        if people[0] in due:
            raise ValueError("broken")
        return await renews(session, due)

    monkeypatch.setattr(subscriptions, "renew_all", fails)
    with pytest.raises(ValueError, match="broken"):
        await renewals.renew(people)
    assert await renewal_states() == ["paid"]
    monkeypatch.setattr(subscriptions, "renew_all", renews)
    await renewals.renew(people)
    assert await renewal_states() == ["paid", "paid"]


async def test_batch_whose_first_error_passes_is_done(
    people: list[str], bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(subscriptions, "renew_all", once_failing(subscriptions.renew_all))
    monkeypatch.setattr(payments, "apply_outcome", once_failing(payments.apply_outcome))
    await renewals.renew(people)
    assert await renewal_states() == ["paid", "paid"]
    assert len(bank.intents) == 4


def once_failing(call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    failed: list[bool] = []

    async def fails(*args: Any) -> Any:
        if not failed:
            failed.append(True)
            raise ValueError
        return await call(*args)

    return fails


async def test_webhook_before_our_own_commit_counts_once(
    people: list[str], bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    async def charge(payment_id: str, **values: Any) -> Intent:
        intent = await bank.charge(payment_id, **values)
        await charges.sync_payment(intent.id)
        return intent

    monkeypatch.setattr(stripe, "charge", charge)
    await renewals.renew(people)
    assert await renewal_states() == ["paid", "paid"]


async def test_others_are_renewed_while_one_waits_for_a_switch(people: list[str], bank: Bank):
    bank.answers = [stripe.Unavailable("down")]
    with pytest.raises(PaymentPending):
        await switch(people[0], "family")
    with pytest.raises(PaymentPending):
        await renewals.renew(people)
    assert await renewal_states() == ["paid"]


async def test_plan_paid_a_moment_ago_does_not_end(people: list[str], bank: Bank):
    await renewals.renew(people)
    await renewals._end_unpaid((await stored_invoices())[-1].id, date(2030, 1, 1))
    assert (await subscription(people[0])).state == "active"
