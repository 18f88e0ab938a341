"""Payments of drafts, and of more than is due, on both databases."""

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.billing.rules.invoices import LATE_FEE, PAID, START
from fuel_app.billing.rules.payments import CHARGE, FAILED, SUCCEEDED
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.service import invoices as reading_of
from fuel_app.billing.tables import Refund, StoredInvoice, StoredPayment
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.money import Money
from fuel_app.outcomes.service import charges, consequences
from fuel_app.outcomes.service import corrections as outcomes_corrections
from tests.helpers.bank import FIFTEEN, Bank, a_payer, an_invoice, balances, bank, begun, invoice

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("database")


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
    receipt = await reading_of.find_receipt(staff, row.id)
    assert receipt
    assert [amount for _, amount in receipt.sums] == ["$10.00", "$10.00", "$0.00"]


async def test_charge_without_an_invoice_goes_back(bank: Bank):
    await charges.perform_payment(await begun(await a_payer()))
    async with reading() as session:
        assert [each.amount_cents for each in await session.scalars(select(Refund))] == [1500]


async def test_draft_is_opened_by_its_payment_and_its_consequence_taken(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    heard = []

    async def consequence(
        _session: AsyncSession, row: StoredInvoice, payment: StoredPayment, **_more
    ):
        heard.append((row.number, payment.state))

    monkeypatch.setattr(consequences, "invoice_paid", consequence)
    monkeypatch.setattr(consequences, "_invoice_declined", consequence)
    payer = await a_payer()
    async with transaction() as session:
        lines = [invoices.Line("plan", "Family Plan", Money(1500))]
        row = await invoices.draft_invoice(
            session, key="start", kind=START, payer=payer, lines=lines
        )
        again = await invoices.draft_invoice(
            session, key="start", kind=START, payer=payer, lines=[]
        )
        assert again.id == row.id
        payment = await payments.begin_payment(session, "1", CHARGE, payer, FIFTEEN, invoice=row)
    bank.answers = ["card_declined"]
    await charges.perform_payment(payment.id)
    async with transaction() as session:
        second = await payments.begin_payment(session, "2", CHARGE, payer, FIFTEEN, invoice=row)
    await charges.perform_payment(second.id)
    assert heard == [(None, FAILED), (1, SUCCEEDED)]
    assert await balances() == {"stripe": 1500, "plans": -1500}


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
