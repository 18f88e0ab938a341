"""Credit notes, refunds, credit and disputes on both databases."""

import pytest

from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.providers.stripe import RefundInfo, Rejected, Unavailable
from fuel_app.billing.rules.invoices import FILL, OPEN, PAID, START, UNCOLLECTIBLE, VOID, Line
from fuel_app.billing.rules.payments import TooMuch
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.service.payments import TO_CARD, TO_CREDIT, WAIVED
from fuel_app.billing.tables import Payer
from fuel_app.kit.db.session import get_row, transaction
from fuel_app.kit.jobs import Job
from fuel_app.kit.jobs.registry import HANDLERS
from fuel_app.kit.money import Money
from fuel_app.outcomes.service import charges
from tests.helpers.bank import (
    Bank,
    a_paid_invoice,
    a_payer,
    an_invoice,
    balances,
    bank,
    invoice,
    noted,
    perform_refunds,
    refunds,
)

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("database")


async def test_refund_goes_back_to_the_card_once(bank: Bank):
    invoice_id = await a_paid_invoice()
    first = await noted(invoice_id, 500, TO_CARD)
    assert (await noted(invoice_id, 500, TO_CARD)).id == first.id  # pressed twice
    await perform_refunds()
    await perform_refunds()
    assert [call[0] for call in bank.calls] == ["succeeded", "refund"]
    assert (await invoice(invoice_id)).refunded_cents == 500
    assert await balances() == {"stripe": 1000, "fees": -1500, "returns": 500}


@pytest.mark.parametrize("cents", [1501, 0, -5])
@pytest.mark.parametrize("way", [TO_CARD, TO_CREDIT, WAIVED])
async def test_refund_larger_than_paid_is_refused(bank: Bank, way: str, cents: int):
    invoice_id = await a_paid_invoice()
    with pytest.raises(TooMuch):
        await noted(invoice_id, cents, way)
    assert await balances() == {"stripe": 1500, "fees": -1500}


async def test_parts_together_are_never_more_than_paid(bank: Bank):
    invoice_id = await a_paid_invoice()
    await noted(invoice_id, 1000, TO_CARD, "1")
    with pytest.raises(TooMuch):
        await noted(invoice_id, 501, TO_CREDIT, "2")
    await noted(invoice_id, 500, TO_CREDIT, "3")
    await perform_refunds()
    assert await balances() == {
        "stripe": 500,
        "fees": -1500,
        "returns": 1500,
        "customer_credit": -500,
    }


async def test_refund_comes_from_several_payments(bank: Bank):
    payer = await a_payer()
    async with transaction() as session:
        hold = await payments.begin_payment(
            session, "h", "hold", payer, Money(1000), booking_id="b"
        )
    await charges.perform_payment(hold.id)
    row = await an_invoice(payer, 1500, booking_id="b")
    await charges.settle_invoice(row.id, "1")
    await noted(row.id, 1500, TO_CARD)
    await perform_refunds()
    assert [each.amount_cents for each in await refunds()] == [500, 1000]
    assert (await balances())["returns"] == 1500


async def test_what_failed_to_go_back_cannot_go_back_twice(bank: Bank):
    """The refund failed at the bank; the payment behind it has less than the note by then."""
    invoice_id = await a_paid_invoice()
    await noted(invoice_id, 1500, TO_CARD)
    async with transaction() as session:
        row = await session.get_one(invoices.StoredInvoice, invoice_id)
        row.refunded_cents = 0
    with pytest.raises(TooMuch):
        await noted(invoice_id, 1500, TO_CARD, "other")


async def test_refund_whose_answer_was_lost_is_asked_again(bank: Bank):
    invoice_id = await a_paid_invoice()
    await noted(invoice_id, 500, TO_CARD)
    (row,) = await refunds()
    bank.answers = [Unavailable("down")]
    with pytest.raises(Unavailable):
        await payments.perform_refund(row.id)
    await HANDLERS[payments.REFUND_JOB].run(Job("j", "", {"id": row.id}, 1))
    assert [each.state for each in await refunds()] == ["succeeded"]


@pytest.mark.parametrize("answer", [Rejected("charge_disputed"), "failed"])
async def test_refund_that_fails_moves_nothing(bank: Bank, answer: object):
    invoice_id = await a_paid_invoice()
    await noted(invoice_id, 500, TO_CARD)
    bank.answers = [answer]
    await perform_refunds()
    assert [each.state for each in await refunds()] == ["failed"]
    assert (await balances())["stripe"] == 1500


async def test_pending_refund_is_settled_by_its_webhook_and_may_fail_later(bank: Bank):
    invoice_id = await a_paid_invoice()
    await noted(invoice_id, 500, TO_CARD)
    bank.answers = ["pending"]
    await perform_refunds()
    (row,) = await refunds()
    assert (row.state, row.provider_id) == ("new", f"re_{row.id}")
    for status, stripe_cents in (("succeeded", 1000), ("succeeded", 1000), ("failed", 1500)):
        bank.refunds[f"re_{row.id}"] = RefundInfo(f"re_{row.id}", status, row.id)
        assert await payments.sync_refund(f"re_{row.id}")
        assert (await balances())["stripe"] == stripe_cents
    bank.refunds[f"re_{row.id}"] = RefundInfo(f"re_{row.id}", "succeeded", row.id)
    assert await payments.sync_refund(f"re_{row.id}")  # an old answer after the last
    assert [each.state for each in await refunds()] == ["failed"]


async def test_unknown_refund_is_unmatched(bank: Bank):
    assert not await payments.sync_refund("re_unknown")
    bank.refunds["re_1"] = RefundInfo("re_1", "succeeded", "")
    assert not await payments.sync_refund("re_1")


async def test_waived_invoice_is_paid(bank: Bank):
    row = await an_invoice(await a_payer())
    await noted(row.id, 500, WAIVED, "1")
    assert (await invoice(row.id)).state == OPEN
    await noted(row.id, 1000, WAIVED, "2")
    assert (await invoice(row.id)).state == PAID
    assert bank.calls == []
    assert await balances() == {"fees": -1500, "returns": 1500}


async def test_written_off_invoice_may_be_paid_or_waived_after_all(bank: Bank):
    payer = await a_payer()
    row = await an_invoice(payer, 1500)
    async with transaction() as session:
        await invoices.write_off_invoice(
            session, await session.get_one(invoices.StoredInvoice, row.id)
        )
    assert await balances() == {"fees": -1500, "bad_debt": 1500}
    assert (await invoice(row.id)).state == UNCOLLECTIBLE
    await noted(row.id, 500, WAIVED)
    async with transaction() as session:
        stored = await session.get_one(invoices.StoredInvoice, row.id)
        new = {"key": "late", "kind": "charge", "payer": payer, "amount": Money(1000)}
        late = await payments.begin_payment(session, **new, invoice=stored)
    await charges.perform_payment(late.id)
    assert (await invoice(row.id)).state == PAID
    assert await balances() == {"fees": -1500, "returns": 500, "stripe": 1000}


async def test_credit_is_given_once_and_spent_on_the_next_invoice(bank: Bank):
    payer = await a_payer()
    for _ in range(2):
        async with transaction() as session:
            locked = await get_row(session, Payer, payer.id, lock=True)
            more = {"text": "Referral", "actor": SYSTEM, "key": "referral:1"}
            await payments.add_credit(session, locked, Money(1000), **more)  # type: ignore[arg-type]
    async with transaction() as session:
        lines = [Line("convenience_fee", "Fee", Money(600))]
        row = await invoices.draft_invoice(session, key="a", kind=FILL, payer=payer, lines=lines)
        await invoices.spend_credit(session, row)
        await invoices.open_invoice(session, row)
        await invoices.open_invoice(session, row)  # again: nothing
    assert (await invoice(row.id)).state == PAID
    assert await balances() == {"promotions": 1000, "customer_credit": -400, "fees": -600}
    async with transaction() as session:
        second = await invoices.draft_invoice(
            session, key="b", kind=START, payer=payer, lines=lines
        )
        await invoices.spend_credit(session, second)
        assert second.total_cents == 200
        await invoices.void_invoice(session, second)
    async with transaction() as session:
        await invoices.spend_credit(
            session,
            await invoices.draft_invoice(session, key="c", kind=FILL, payer=payer, lines=lines),
        )
    async with transaction() as session:
        locked = await get_row(session, Payer, payer.id)
        assert await invoices.credit_of(session, locked) == Money(0)
        last = await invoices.draft_invoice(session, key="d", kind=FILL, payer=payer, lines=lines)
        await invoices.spend_credit(session, last)
        assert last.total_cents == 600
        await invoices.void_invoice(session, last)
    assert (await invoice(second.id)).state == VOID
