"""Batches of renewals: an error of one customer is that customer's own."""

from collections.abc import Awaitable, Callable
from datetime import date
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import Intent
from fuel_app.billing.rules.payments import HOSTED, PaymentPending
from fuel_app.billing.service import payments
from fuel_app.billing.tables import Payer
from fuel_app.kit.db.session import get_row, transaction
from fuel_app.kit.money import Money
from fuel_app.outcomes.service import charges, renewals
from fuel_app.plans.service import subscriptions
from tests.helpers.bank import Bank, bank, stored_payments
from tests.helpers.people import messages
from tests.helpers.plan_money import a_customer, on, start, stored_invoices, subscription, switch

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database")
FIRST, SECOND = date(2026, 11, 23), date(2026, 12, 23)


@pytest.fixture
async def people(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return two customers on the day of their renewal."""
    on(monkeypatch, FIRST)
    found = [await a_customer(number) for number in range(2)]
    for person_id in found:
        await start(person_id)
    on(monkeypatch, SECOND)
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


async def test_outcomes_that_cannot_be_stored_together_are_stored_one_by_one(
    people: list[str], bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(payments, "apply_outcome", once_failing(payments.apply_outcome))
    await renewals.renew(people)
    assert await renewal_states() == ["paid", "paid"]


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


async def test_visit_to_the_providers_page_that_expires_is_not_told(people: list[str], bank: Bank):
    bank.answers = ["card_declined"]
    await renewals.renew(people[:1])
    invoice = (await stored_invoices())[-1]
    async with transaction() as session:
        payer = await get_row(session, Payer, invoice.payer_id)
        amount = Money(invoice.total_cents)
        more = {"kind": HOSTED, "payer": payer, "amount": amount, "invoice": invoice}
        row = await payments.begin_payment(session, key="hosted", **more)
    await charges.store_outcome(row.id, Intent("pi_hosted", "canceled", Money(0), row.id))
    assert [each.state for each in await stored_payments(kind=HOSTED)] == ["cancelled"]
    assert len([each for each in await messages("payment_failed") if each.channel == "mail"]) == 1
