"""Money that arrives for a payment that was given up, on both databases."""

from datetime import date

import pytest
from sqlalchemy import select

from fuel_app.billing.providers.stripe import Intent, Rejected
from fuel_app.billing.rules.invoices import PAID
from fuel_app.billing.rules.payments import CANCELLED, CHARGE, FAILED
from fuel_app.billing.service import payments
from fuel_app.billing.tables import Payer, Refund, StoredInvoice
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.money import Money
from fuel_app.outcomes.service import charges, renewals
from tests.helpers import plan_money
from tests.helpers.bank import (
    FIFTEEN,
    Bank,
    a_payer,
    an_invoice,
    balances,
    bank,
    invoice,
    stored_payments,
)

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("database")


async def begun(payer: Payer, row: StoredInvoice, key: str = "1") -> str:
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
    late = await begun(payer, row)
    await bank.charge(late, amount=FIFTEEN)
    assert await give_up(late, status) == state
    for _ in range(2):
        assert await charges.sync_payment(f"pi_{late}")
    assert (await invoice(row.id)).state == PAID
    assert await balances() == {"stripe": 1500, "fees": -1500}


async def test_it_goes_back_where_another_payment_was_made_meanwhile(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer)
    late = await begun(payer, row)
    await bank.charge(late, amount=FIFTEEN)
    await give_up(late)
    await charges.perform_payment(await begun(payer, row, "2"))
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
