"""Steps that meet on one customer's money: none waits for another that waits for it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from fuel_app.billing.providers.stripe import Unavailable
from fuel_app.billing.rules.payments import PaymentPending
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import Payer
from fuel_app.bookings import queries
from fuel_app.outcomes.service import charges, checkouts, plans, renewals
from tests.helpers import plan_money
from tests.helpers.bank import Bank, bank, stored_payments
from tests.helpers.bookings import NOW, at
from tests.helpers.fills import a_booking, authorized, bills, ends, filled, monday
from tests.helpers.people import rows
from tests.helpers.plan_money import by, offered, stored_invoices, subscription

__all__ = ["bank", "monday"]
pytestmark = pytest.mark.usefixtures("database", "monday")


async def test_hold_captured_by_jobs_and_customer_at_once_is_captured_once(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    who, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await filled(monkeypatch, booking)
    at(monkeypatch, booking.starts_at + timedelta(minutes=15))
    [bill] = await bills(booking)
    await asyncio.gather(
        *[charges.open_and_settle(bill.id) for _ in range(5)],
        *[charges.pay_now(by(who.id), bill.id) for _ in range(3)],
        *[charges.settle_open(who.id) for _ in range(5)],
    )
    assert await ends() == [("hold", "succeeded", bill.total_cents)]


async def test_settling_locks_the_invoice_before_its_hold(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    """Storing an outcome locks them in this order: another one would be a deadlock."""
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    await filled(monkeypatch, booking)
    find_row, holds_of, locked = charges.find_row, charges.queries.holds_of, []

    async def found(session: Any, model: type, key: Any, *, lock: bool = False) -> Any:
        locked.append(model.__name__ if lock else "")
        return await find_row(session, model, key, lock=lock)

    async def held(*args: Any) -> Any:
        locked.append("holds")
        return await holds_of(*args)

    at(monkeypatch, booking.starts_at + timedelta(minutes=15))
    [bill] = await bills(booking)
    bank.answers = [Unavailable("down")]
    with pytest.raises(Unavailable):
        await charges.open_and_settle(bill.id)
    monkeypatch.setattr(charges, "find_row", found)
    monkeypatch.setattr(charges.queries, "holds_of", held)
    await charges.settle_invoice(bill.id, "first")
    assert locked[:2] == ["StoredInvoice", "holds"]


async def test_switch_locks_bookings_before_the_payer(bank: Bank, monkeypatch: pytest.MonkeyPatch):
    """Cancelling a booking for a fee, and completing it, lock them in this order."""
    person_id = await plan_money.a_customer()
    await plan_money.start(person_id)
    taken = []

    def noted(name: str, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def takes(*args: Any, **more: Any) -> Any:
            is_payers = more.get("lock") and args[1] in (Payer, person_id)
            if name == "booking" or is_payers:
                taken.append(name)
            return await call(*args, **more)

        return takes

    words = (await offered(person_id, "family")).button
    monkeypatch.setattr(queries, "lock_coverable", noted("booking", queries.lock_coverable))
    for module in (payments, invoices):
        monkeypatch.setattr(module, "get_row", noted("payer", module.get_row))
    monkeypatch.setattr(invoices, "payer_of_person", noted("payer", invoices.payer_of_person))
    bank.answers = [Unavailable("down")]
    with pytest.raises(PaymentPending):
        await plans.switch_plan(by(person_id), "family", words, "key")
    assert taken[:2] == ["booking", "payer"]
    taken.clear()
    await charges.perform_payment((await stored_payments(state="new"))[0].id)
    assert taken[:2] == ["booking", "payer"]


async def test_switch_waits_for_the_renewal_that_is_being_charged(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    """It would credit what is not paid yet, and a declined renewal would not be tried again."""
    person_id = await plan_money.a_customer()
    await plan_money.start(person_id)
    at(monkeypatch, NOW + timedelta(days=30))
    bank.answers = [Unavailable("down")]
    with pytest.raises(Unavailable):
        await renewals.renew([person_id])
    with pytest.raises(PaymentPending):
        await plan_money.switch(person_id, "family")
    assert [row.kind for row in await stored_invoices()] == ["start", "renewal"]


async def test_card_stays_while_it_pays_for_the_start_of_a_plan(bank: Bank):
    person_id = await plan_money.a_customer()
    bank.answers = [Unavailable("down")]
    with pytest.raises(PaymentPending):
        await plan_money.start(person_id)
    with pytest.raises(PaymentPending):
        await checkouts.remove_card(by(person_id))
    assert (await rows(Payer))[0].card_id
    assert (await subscription(person_id)).state == "incomplete"
