"""Payments and charges on both databases: once whatever is lost, with all consequences."""

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import select
from structlog.testing import capture_logs

from fuel_app.accounts.rules import Actor, Role, Session
from fuel_app.billing.providers.stripe import Intent, Rejected, Unavailable
from fuel_app.billing.rules.invoices import LATE_FEE, OPEN, PAID, START, Invoice, InvoiceGone
from fuel_app.billing.rules.payments import (
    AUTHORIZED,
    CANCELLED,
    CHARGE,
    FAILED,
    HOLD,
    NEW,
    NO_CARD,
    SUCCEEDED,
    PaymentDeclined,
    PaymentPending,
)
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import Payer, Refund, StoredInvoice, StoredPayment
from fuel_app.customers.service.account import Own
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import get_row, reading, transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.money import Money, dollars
from fuel_app.outcomes import jobs as billing_jobs
from fuel_app.outcomes.service import charges, plans, renewals
from fuel_app.outcomes.service import corrections as outcomes_corrections
from tests.helpers import plan_money
from tests.helpers.bank import (
    FIFTEEN,
    Bank,
    a_payer,
    age,
    an_invoice,
    balances,
    bank,
    begun,
    invoice,
    stored_payments,
)

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("database")


async def test_invoice_is_charged_and_paid(bank: Bank):
    row = await an_invoice(await a_payer(), 1500, 825)
    payment = await charges.settle_invoice(row.id, "1")
    assert payment
    assert (payment.state, payment.captured) == (SUCCEEDED, Money(2325))
    row = await invoice(row.id)
    assert (row.state, row.paid_cents, row.number) == (PAID, 2325, 1)
    assert await balances() == {"stripe": 2325, "fees": -2325}
    assert await charges.settle_invoice(row.id, "2") is None
    assert len(bank.calls) == 1


async def test_many_at_once_charge_an_invoice_once(bank: Bank):
    row = await an_invoice(await a_payer())
    await asyncio.gather(*[charges.settle_invoice(row.id, f"{number}") for number in range(10)])
    assert {call[1] for call in bank.calls} == set(bank.intents)
    assert len(bank.intents) == 1
    assert (await invoice(row.id)).paid_cents == 1500


@pytest.mark.parametrize("answer", [Unavailable("down"), Unavailable("lost")])
async def test_unknown_outcome_is_found_again_by_its_key(bank: Bank, answer: Exception):
    row = await an_invoice(await a_payer())
    bank.answers = [answer]
    with pytest.raises(Unavailable):
        await charges.settle_invoice(row.id, "1")
    assert [each.state for each in await stored_payments()] == [NEW]
    await charges.settle_invoice(row.id, "1")
    await charges.settle_invoice(row.id, "2")
    assert len(bank.intents) == 1
    assert (await invoice(row.id)).state == PAID
    assert await balances() == {"stripe": 1500, "fees": -1500}


@pytest.mark.parametrize("hours", [23, 30])  # Stripe forgets a key after 24 hours
async def test_answer_after_a_day_is_found_by_its_metadata(bank: Bank, hours: int):
    row = await an_invoice(await a_payer())
    bank.answers = [Unavailable("lost")]
    with pytest.raises(Unavailable):
        await charges.settle_invoice(row.id, "1")
    (payment,) = await stored_payments()
    await age(payment.id, hours=hours)
    calls = len(bank.calls)
    await billing_jobs.reconcile(now())
    assert len(bank.calls) == calls
    assert (await invoice(row.id)).state == PAID


async def test_payment_that_never_arrived_is_asked_for_again_after_a_day(bank: Bank):
    row = await an_invoice(await a_payer())
    bank.answers = [Unavailable("down")]
    with pytest.raises(Unavailable):
        await charges.settle_invoice(row.id, "1")
    (payment,) = await stored_payments()
    await age(payment.id, hours=30)
    await billing_jobs.reconcile(now())
    assert (await invoice(row.id)).state == PAID


async def unsettled(*provider_ids: str | None) -> list[str]:
    """Store new payments of two hours ago, the first one the oldest; some of them Stripe has."""
    found = []
    for number, provider_id in enumerate(provider_ids):
        payment_id = await begun(await a_payer(email=f"{number}@example.com"), key=f"k{number}")
        async with transaction() as session:
            row = await get_row(session, StoredPayment, payment_id)
            row.provider_id, row.created_at = provider_id, now() - timedelta(hours=3 - number / 100)
        found.append(payment_id)
    return found


async def states_of(ids: list[str]) -> list[str]:
    by_id = {each.id: each.state for each in await stored_payments()}
    return [by_id[each] for each in ids]


async def test_payment_that_stripe_does_not_know_stops_no_other_and_is_counted(bank: Bank):
    ids = await unsettled("pi_gone", None, None)
    with capture_logs() as logged:
        assert await billing_jobs.reconcile(now()) == 1
    assert await states_of(ids) == [NEW, SUCCEEDED, SUCCEEDED]
    [line] = [each for each in logged if each["event"] == "billing.not_reconciled"]
    assert (line["kind"], line["id"], line["reason"]) == (
        *("payments", ids[0]),
        "Rejected: resource_missing",
    )


async def test_rows_that_always_fail_do_not_starve_others_beyond_the_limit(bank: Bank, monkeypatch):
    monkeypatch.setattr(billing_jobs, "_SOME", 2)
    ids = await unsettled("pi_1_gone", "pi_2_gone", None)
    assert await billing_jobs.reconcile(now()) == 3  # one of them is not tried yet
    assert await billing_jobs.reconcile(now()) == 2
    assert await states_of(ids) == [NEW, NEW, SUCCEEDED]


async def test_payment_that_the_bank_is_still_at_is_counted_and_asked_for_again(bank: Bank):
    ids = await unsettled("pi_slow")
    bank.intents[ids[0]] = Intent("pi_slow", "processing", Money(0), ids[0])
    assert await billing_jobs.reconcile(now()) == 1
    bank.intents[ids[0]] = replace(bank.intents[ids[0]], status="succeeded", received=dollars(15))
    assert await billing_jobs.reconcile(now()) == 0


async def test_payment_that_is_not_late_is_not_counted(bank: Bank):
    await begun(await a_payer())
    assert await billing_jobs.reconcile(now()) == 0


async def test_outage_ends_a_run_and_the_next_begins_with_the_others(bank: Bank):
    ids = await unsettled(None, None, None, None)
    bank.answers = [Unavailable("down")] * 3
    assert await billing_jobs.reconcile(now()) == 4  # the one that was not tried, too
    assert REGISTRY.get_sample_value("fuel_money_unknown") == 4
    assert len(bank.calls) == 3
    bank.answers = [None, *[Unavailable("down")] * 3]
    assert await billing_jobs.reconcile(now()) == 3
    assert await states_of(ids) == [NEW, NEW, NEW, SUCCEEDED]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("insufficient_funds", "insufficient_funds"),
        ("authentication_required", "authentication_required"),
        (Rejected("resource_missing"), "card_removed"),
        (Rejected("amount_too_small"), "amount_too_small"),
    ],
)
async def test_decline_leaves_the_invoice_open(bank: Bank, answer: object, code: str):
    payer = await a_payer()
    row = await an_invoice(payer)
    bank.answers = [answer]
    payment = await charges.settle_invoice(row.id, "1")
    assert payment
    assert (payment.state, payment.code) == (FAILED, code)
    assert (await invoice(row.id)).state == OPEN
    async with reading() as session:
        assert (await get_row(session, Payer, payer.id)).card_problem == code
    again = await charges.settle_invoice(row.id, "1")  # the same attempt charges nothing more
    assert again
    assert again.id == payment.id
    await charges.settle_invoice(row.id, "2")
    assert (await invoice(row.id)).state == PAID
    async with reading() as session:
        assert (await get_row(session, Payer, payer.id)).card_problem == ""


async def test_without_a_card_nothing_is_asked(bank: Bank):
    row = await an_invoice(await a_payer(card=""))
    payment = await charges.settle_invoice(row.id, "1")
    assert payment
    assert (payment.code, payment.problem) == (NO_CARD, "There is no card on your account.")
    assert bank.calls == []


async def test_hold_is_captured_and_the_rest_is_charged(bank: Bank):
    payer = await a_payer()
    hold = await begun(payer, HOLD, 10_000, booking_id="b1")
    assert (await charges.perform_payment(hold)).state == AUTHORIZED
    row = await an_invoice(payer, 10_303, booking_id="b1")
    payment = await charges.settle_invoice(row.id, "1")
    assert payment
    assert (payment.kind, payment.captured) == (CHARGE, Money(303))
    assert (await invoice(row.id)).state == PAID
    assert [call[0] for call in bank.calls] == ["requires_capture", "capture", "succeeded"]
    assert await balances() == {"stripe": 10_303, "fees": -10_303}


async def test_hold_that_has_expired_is_charged_anew(bank: Bank):
    payer = await a_payer()
    hold = await begun(payer, HOLD, 2000, booking_id="b1")
    await charges.perform_payment(hold)
    bank._put(hold, status="canceled")
    row = await an_invoice(payer, booking_id="b1")
    payment = await charges.settle_invoice(row.id, "1")
    assert payment
    assert (payment.kind, payment.state) == (CHARGE, SUCCEEDED)
    assert [each.state for each in await stored_payments()] == [CANCELLED, SUCCEEDED]
    assert (await invoice(row.id)).paid_cents == 1500


async def test_capture_whose_answer_was_lost_goes_on_by_reconciliation(bank: Bank):
    payer = await a_payer()
    hold = await begun(payer, HOLD, 2000, booking_id="b1")
    await charges.perform_payment(hold)
    row = await an_invoice(payer, booking_id="b1")
    bank.answers = [Unavailable("down")]
    with pytest.raises(Unavailable):
        await charges.settle_invoice(row.id, "1")
    await age(hold, hours=1)
    await billing_jobs.reconcile(now())
    assert (await invoice(row.id)).state == PAID
    assert [each.captured_cents for each in await stored_payments()] == [1500]


async def test_capture_that_stripe_refuses_is_tried_again_later(bank: Bank):
    payer = await a_payer()
    await charges.perform_payment(await begun(payer, HOLD, 2000, booking_id="b1"))
    row = await an_invoice(payer, booking_id="b1")
    bank.answers = [Rejected("amount_too_large")]
    with pytest.raises(Unavailable):
        await charges.settle_invoice(row.id, "1")
    await charges.settle_invoice(row.id, "1")
    assert (await invoice(row.id)).state == PAID


async def test_release_is_final(bank: Bank):
    payer = await a_payer()
    hold = await begun(payer, HOLD, 2000, booking_id="b1")
    for _ in range(2):
        await charges.release_authorization(hold)  # whose outcome is not known at first
        assert [each.state for each in await stored_payments()] == [CANCELLED]


async def test_payment_that_is_not_ours_is_unmatched(bank: Bank):
    assert not await charges.sync_payment("pi_unknown")
    await bank.charge("of-another-site", amount=FIFTEEN)
    assert not await charges.sync_payment("pi_of-another-site")


_AT = datetime(2026, 12, 1, tzinfo=UTC)


def session_of(payer: Payer) -> Session:
    return Session("s", _AT, _AT, person_id=payer.person_id or "")


async def debts_of(payer: Payer) -> list[Invoice]:
    by = session_of(payer)
    return (await plans.read_billing(by, await Own(by).read(brief=True))).debts


async def test_debt_is_paid_by_the_button(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer, 1240)
    person_id = payer.person_id or ""
    assert await payments.owed_by([person_id]) == {person_id: Money(1240)}
    (owed,) = await debts_of(payer)
    assert (owed.due, owed.name, len(owed.lines)) == (Money(1240), "GF-000001", 1)
    bank.answers = ["insufficient_funds"]
    with pytest.raises(PaymentDeclined, match=r"insufficient funds\. Nothing was charged"):
        await charges.pay_now(session_of(payer), row.id)
    await charges.pay_now(session_of(payer), row.id)
    assert (await invoice(row.id)).state == PAID
    await charges.pay_now(session_of(payer), row.id)  # pressed once more
    assert len(bank.calls) == 2
    assert await debts_of(payer) == []


async def test_outcome_that_is_not_known_is_said(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer)
    bank.answers = [Unavailable("down")]
    with pytest.raises(PaymentPending):
        await charges.pay_now(session_of(payer), row.id)


async def test_invoice_of_another_customer_is_not_there(bank: Bank):
    row = await an_invoice(await a_payer())
    other = await a_payer(email="other@example.com", phone="9415550199")
    for invoice_id in (row.id, "nonsense", None, 7):
        with pytest.raises(InvoiceGone):
            await charges.pay_now(session_of(other), invoice_id)
    assert bank.calls == []
    assert await debts_of(other) == []


async def test_bank_is_asked_ten_times_an_hour_by_one_customer(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer)
    bank.answers = ["insufficient_funds"] * 11
    for _ in range(10):
        with pytest.raises(PaymentDeclined):
            await charges.pay_now(session_of(payer), row.id)
    with pytest.raises(TooManyRequests):
        await charges.pay_now(session_of(payer), row.id)
    assert len(bank.calls) == 10


async def test_too_little_for_a_charge_is_waived_after_the_hold(bank: Bank):
    payer = await a_payer()
    async with transaction() as session:
        about = {"key": "h", "kind": HOLD, "payer": payer, "booking_id": "b1"}
        hold = await payments.begin_payment(session, amount=Money(10_000), **about)
    await charges.perform_payment(hold.id)
    row = await an_invoice(payer, 10_049, booking_id="b1")
    await charges.settle_invoice(row.id, "1")
    found = await invoice(row.id)
    assert (found.state, found.paid_cents, found.waived_cents) == (PAID, 10_000, 49)
    assert [call[0] for call in bank.calls] == ["requires_capture", "capture"]
    assert await balances() == {"stripe": 10_000, "fees": -10_049, "returns": 49}
    enough = await an_invoice(payer, 50)
    await charges.pay_now(session_of(payer), enough.id)
    assert (await invoice(enough.id)).paid_cents == 50


async def test_more_than_is_due_goes_back(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer, 1000, kind=LATE_FEE)
    await charges.perform_payment(await begun(payer, CHARGE, 1500, invoice=row))
    async with reading() as session:
        [back] = await session.scalars(select(Refund))
    assert (back.amount_cents, (await invoice(row.id)).state) == (500, PAID)
    bank.answers = ["failed"]
    await payments.perform_refund(back.id)
    staff = Actor(frozenset({Role.ADMIN}), "staff")
    await outcomes_corrections.retry_refund(staff, back.id)
    receipt = await invoices.find_receipt(staff, row.id)
    assert receipt
    assert [amount for _, amount in receipt.sums] == ["$10.00", "$10.00", "$0.00"]


async def test_charge_without_an_invoice_goes_back(bank: Bank):
    await charges.perform_payment(await begun(await a_payer()))
    async with reading() as session:
        assert [each.amount_cents for each in await session.scalars(select(Refund))] == [1500]


async def test_payment_of_a_void_invoice_goes_back(bank: Bank):
    payer = await a_payer()
    async with transaction() as session:
        lines = [invoices.Line("plan", "Family Plan", Money(1500))]
        row = await invoices.draft_invoice(
            session, key="start", kind=START, payer=payer, lines=lines
        )
        await invoices.void_invoice(session, row)
    await charges.perform_payment(await begun(payer, invoice=row))
    async with reading() as session:
        assert [each.amount_cents for each in await session.scalars(select(Refund))] == [1500]


async def begun_late(payer: Payer, row: StoredInvoice, key: str = "1") -> str:
    async with transaction() as session:
        made = {"key": key, "kind": CHARGE, "payer": payer, "amount": FIFTEEN, "invoice": row}
        return (await payments.begin_payment(session, **made)).id


async def give_up(payment_id: str, status: str = "failed") -> str:
    gone = Intent("", status, Money(0), payment_id)
    return (await charges.store_outcome(payment_id, gone)).state


@pytest.mark.parametrize(("status", "state"), [("failed", FAILED), ("canceled", CANCELLED)])
async def test_it_pays_its_invoice_once(bank: Bank, status: str, state: str):
    payer = await a_payer()
    row = await an_invoice(payer)
    late = await begun_late(payer, row)
    await bank.charge(late, amount=FIFTEEN)
    assert await give_up(late, status) == state
    for _ in range(2):
        assert await charges.sync_payment(f"pi_{late}")
    assert (await invoice(row.id)).state == PAID
    assert await balances() == {"stripe": 1500, "fees": -1500}


async def test_it_goes_back_where_another_payment_was_made_meanwhile(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer)
    late = await begun_late(payer, row)
    await bank.charge(late, amount=FIFTEEN)
    await give_up(late)
    await charges.perform_payment(await begun_late(payer, row, "2"))
    await charges.sync_payment(f"pi_{late}")
    async with reading() as session:
        assert [each.payment_id for each in await session.scalars(select(Refund))] == [late]


async def test_it_makes_a_plan_active_again(bank: Bank, monkeypatch: pytest.MonkeyPatch):
    plan_money.on(monkeypatch, date(2026, 10, 31))
    person_id = await plan_money.a_customer()
    await plan_money.start(person_id)
    plan_money.on(monkeypatch, date(2026, 11, 30))
    bank.answers = [Rejected("idempotency_error")]
    await renewals.renew([person_id])
    assert (await plan_money.subscription(person_id)).state == "past_due"
    (payment,) = await stored_payments(state=FAILED)
    await bank.charge(payment.id, amount=Money(payment.amount_cents))
    assert await charges.sync_payment(f"pi_{payment.id}")
    assert (await plan_money.subscription(person_id)).state == "active"
