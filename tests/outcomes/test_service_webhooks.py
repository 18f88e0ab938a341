"""Disputes, webhooks and the reconciliation of refunds on both databases."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from sqlmodel import col

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import DisputeInfo, Event, RefundInfo, Unavailable
from fuel_app.billing.rules.invoices import PAID
from fuel_app.billing.service import payments
from fuel_app.billing.service.payments import TO_CARD
from fuel_app.billing.tables import Refund, WebhookEvent
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs import Job
from fuel_app.kit.jobs.registry import HANDLERS
from fuel_app.outcomes import jobs as billing_jobs
from fuel_app.outcomes.service import charges, webhooks
from tests.helpers.bank import (
    FIFTEEN,
    Bank,
    a_paid_invoice,
    a_payer,
    an_invoice,
    balances,
    bank,
    invoice,
    noted,
    refunds,
    stored_payments,
)

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("database")


async def test_dispute_takes_the_payment_back_until_it_is_won(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    await a_paid_invoice()
    (intent,) = bank.intents.values()
    status = "warning_needs_response"

    async def read(dispute_id: str) -> DisputeInfo:
        return DisputeInfo(
            dispute_id, status, "pi_other" if dispute_id == "dp_2" else intent.id, FIFTEEN
        )

    monkeypatch.setattr(stripe, "read_dispute", read)
    assert not await webhooks.sync_dispute("dp_2")
    for status, stripe_cents in (  # noqa: B007 (read by `read`)
        ("warning_needs_response", 1500),
        ("needs_response", 0),
        ("under_review", 0),
        ("won", 1500),
    ):
        assert await webhooks.sync_dispute("dp_1")
        assert (await balances()).get("stripe", 0) == stripe_cents


async def test_dispute_that_ends_while_it_is_read_has_ended(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    await a_paid_invoice()
    (intent,) = bank.intents.values()
    answers = ["needs_response", "won", "won"]

    async def read(dispute_id: str) -> DisputeInfo:
        return DisputeInfo(dispute_id, answers.pop(0), intent.id, FIFTEEN)

    monkeypatch.setattr(stripe, "read_dispute", read)
    assert await webhooks.sync_dispute("dp_1")
    assert [row.dispute for row in await stored_payments()] == ["won"]


async def test_each_event_is_heard_once_and_its_object_read_anew(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    row = await an_invoice(await a_payer())
    bank.answers = [Unavailable("lost")]
    with pytest.raises(Unavailable):
        await charges.settle_invoice(row.id, "1")
    (intent,) = bank.intents.values()
    kinds = {
        "evt_1": ("payment_intent.succeeded", intent.id, "done"),
        "evt_2": ("payment_intent.succeeded", "pi_unknown", "unmatched"),
        "evt_3": ("product.created", "prod_1", "ignored"),
        "evt_4": ("checkout.session.completed", "cs_unknown", "unmatched"),
    }

    def read(body: bytes, _signature: str) -> Event:
        name = body.decode()
        return Event(name, kinds[name][0], kinds[name][1])

    monkeypatch.setattr(stripe, "read_event", read)
    for name in (*kinds, *kinds):
        await webhooks.receive(name.encode(), "")
    for name in kinds:
        await HANDLERS[webhooks.WEBHOOK_JOB].run(Job("j", "", {"id": name}, 1))
    async with reading() as session:
        events = list(await session.scalars(select(WebhookEvent).order_by(col(WebhookEvent.id))))
    assert [each.outcome for each in events] == [each[2] for each in kinds.values()]
    assert (await invoice(row.id)).state == PAID


async def test_only_admins_look_again_at_an_unmatched_event():
    async with transaction() as session:
        about = {"type": "refund.failed", "object_id": "re_9", "received_at": datetime.now(UTC)}
        session.add(WebhookEvent(id="evt_9", outcome="unmatched", **about))
    for role in set(Role) - {Role.ADMIN}:
        with pytest.raises(NotAllowed):
            await webhooks.retry_event(Actor(frozenset({role}), "p"), "evt_9")
    await webhooks.retry_event(Actor(frozenset({Role.ADMIN}), "p"), "evt_9")
    async with reading() as session:
        assert (await session.get_one(WebhookEvent, "evt_9")).outcome == "queued"


async def test_reconciliation_goes_on_with_refunds(bank: Bank):
    invoice_id = await a_paid_invoice()
    await noted(invoice_id, 500, TO_CARD, "1")
    await noted(invoice_id, 100, TO_CARD, "2")
    first, second = await refunds()
    bank.answers = ["pending"]
    await payments.perform_refund(first.id)
    bank.refunds[f"re_{first.id}"] = RefundInfo(f"re_{first.id}", "succeeded", first.id)
    async with transaction() as session:
        for each in (first, second):
            stored = await session.get_one(Refund, each.id)
            stored.created_at = datetime(2026, 1, 1, tzinfo=UTC)
    assert await billing_jobs.reconcile(datetime.now(UTC)) == 0
    assert [each.state for each in await refunds()] == ["succeeded", "succeeded"]


async def test_refund_that_stripe_does_not_know_stops_no_other(bank: Bank):
    invoice_id = await a_paid_invoice()
    await noted(invoice_id, 500, TO_CARD, "1")
    await noted(invoice_id, 100, TO_CARD, "2")
    first, second = await refunds()
    async with transaction() as session:
        for each in (first, second):
            stored = await session.get_one(Refund, each.id)
            stored.created_at = datetime(2026, 1, 1, tzinfo=UTC)
        (await session.get_one(Refund, first.id)).provider_id = "re_gone"
    assert await billing_jobs.reconcile(datetime.now(UTC)) == 1
    assert [each.state for each in await refunds()] == ["new", "succeeded"]
