"""Paying one's own open invoice from the screen."""

from datetime import UTC, datetime

import pytest

from fuel_app.accounts.rules import Session
from fuel_app.billing.providers.stripe import Unavailable
from fuel_app.billing.rules.invoices import PAID, InvoiceGone
from fuel_app.billing.rules.payments import HOLD, PaymentDeclined, PaymentPending
from fuel_app.billing.service import payments
from fuel_app.billing.tables import Payer
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.money import Money
from fuel_app.outcomes.service import charges
from tests.helpers.bank import Bank, a_payer, an_invoice, balances, bank, invoice

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database")
_AT = datetime(2026, 12, 1, tzinfo=UTC)


def by(payer: Payer) -> Session:
    return Session("s", _AT, _AT, person_id=payer.person_id or "")


async def test_debt_is_paid_by_the_button(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer, 1240)
    person_id = payer.person_id or ""
    assert await payments.owed_by([person_id]) == {person_id: Money(1240)}
    (owed,) = await payments.open_invoices_of(person_id)
    assert (owed.due, owed.name, len(owed.lines)) == (Money(1240), "GF-000001", 1)
    bank.answers = ["insufficient_funds"]
    with pytest.raises(PaymentDeclined, match=r"insufficient funds\. Nothing was charged"):
        await charges.pay_now(by(payer), row.id)
    await charges.pay_now(by(payer), row.id)
    assert (await invoice(row.id)).state == PAID
    await charges.pay_now(by(payer), row.id)  # pressed once more
    assert len(bank.calls) == 2
    assert await payments.open_invoices_of(person_id) == []


async def test_outcome_that_is_not_known_is_said(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer)
    bank.answers = [Unavailable("down")]
    with pytest.raises(PaymentPending):
        await charges.pay_now(by(payer), row.id)


async def test_invoice_of_another_customer_is_not_there(bank: Bank):
    row = await an_invoice(await a_payer())
    other = await a_payer(email="other@example.com", phone="9415550199")
    for invoice_id in (row.id, "nonsense", None, 7):
        with pytest.raises(InvoiceGone):
            await charges.pay_now(by(other), invoice_id)
    assert bank.calls == []
    assert await payments.open_invoices_of("nobody") == []


async def test_bank_is_asked_ten_times_an_hour_by_one_customer(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer)
    bank.answers = ["insufficient_funds"] * 11
    for _ in range(10):
        with pytest.raises(PaymentDeclined):
            await charges.pay_now(by(payer), row.id)
    with pytest.raises(TooManyRequests):
        await charges.pay_now(by(payer), row.id)
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
    await charges.pay_now(by(payer), enough.id)
    assert (await invoice(enough.id)).paid_cents == 50
