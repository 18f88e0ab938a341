"""Starting plans: what is charged, and what follows from it."""

import pytest

from fuel_app.areas.tables import Area
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import Intent, Unavailable
from fuel_app.billing.rules.payments import NoCard, PaymentDeclined, PaymentPending
from fuel_app.billing.rules.plans import OtherAmount
from fuel_app.customers.rules.customers import NotVerified
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.membership import service as membership
from fuel_app.outcomes.service import plans, renewals
from fuel_app.plans.rules.plans import NoPlan
from tests.helpers.bank import Bank, balances, bank, stored_payments
from tests.helpers.bookings import an_area
from tests.helpers.neighborhoods import neighborhood
from tests.helpers.plan_money import (
    a_customer,
    by,
    credit_cents,
    join,
    lines,
    november,
    offered,
    set_credit,
    start,
    stored_invoices,
    subscription,
)
from tests.helpers.signed_in import session_of
from tests.staff import HERE

__all__ = ["bank", "november"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "november")


async def start_again(person_id: str) -> None:
    """Press the same button a second time."""
    words = "Start Solo · $0.00 today, then $25.00 monthly until you cancel"
    await plans.start_plan(by(person_id), "solo", words, "start")


async def test_other_plan_in_another_tab_waits_and_sees_the_new_offer(bank: Bank):
    person_id = await a_customer()
    words = (await offered(person_id, "family")).button
    bank.answers = [Unavailable("down")]
    with pytest.raises(PaymentPending):
        await start(person_id, "solo")
    pending = await plans.plan_overview(by(person_id))
    assert pending
    assert pending.payment_pending
    for change in (plans.cancel_plan, plans.undo_plan_change):
        with pytest.raises(PaymentPending):
            await change(by(person_id))
    with pytest.raises(OtherAmount, match="Switch now") as refused:
        await plans.start_plan(by(person_id), "family", words, "other")
    assert refused.value.offer.way == "up"
    assert [row.kind for row in await stored_invoices()] == ["start"]


async def test_declined_start_changes_nothing_and_may_be_tried_again(bank: Bank):
    person_id = await a_customer()
    await set_credit(person_id, 500)
    for code, reason in (
        ("insufficient_funds", "insufficient funds"),
        ("expired_card", "expired"),
        ("authentication_required", "Your bank wants you to confirm this payment"),
    ):
        bank.answers = [code]
        with pytest.raises(PaymentDeclined, match=reason):
            await start(person_id, key=code)
        with pytest.raises(PaymentDeclined, match=reason):  # the same press once more
            await start(person_id, key=code)
    assert (await subscription(person_id)).state == "incomplete"
    assert {(row.state, row.number) for row in await stored_invoices()} == {("void", None)}
    assert (await balances(), len(bank.calls)) == ({}, 3)
    assert await credit_cents() == 500
    await start(person_id, key="again")
    assert [call[2] for call in bank.calls][-1] == 2000


async def test_discount_tax_and_credit_stand_on_lines_of_their_own(bank: Bank):
    area_id = await an_area()
    async with transaction() as session:
        (await session.get_one(Area, area_id)).tax_basis_points = 750
    person_id = await a_customer()
    neighborhood_id = await neighborhood("Palm Grove")
    others = [await a_customer(number) for number in range(2, 6)]
    await join(neighborhood_id, person_id, *others)
    await set_credit(person_id, 300)
    offer = await offered(person_id, "family")
    assert "$38.93 today, then $41.93 monthly" in offer.button  # (44 - 5) * 1.075 = 41.925
    await plans.start_plan(by(person_id), "family", offer.button, "key")
    [invoice] = await stored_invoices()
    assert await lines(invoice) == [
        ("Family Plan from November 23, 2026", 4400),
        ("Neighborhood discount, Palm Grove: Tier 1", -500),
        ("Sales tax 7.5%", 293),
        ("Credit", -300),
    ]
    [row] = await stored_payments()
    assert row.amount_cents == 3893


async def test_credit_leaves_enough_for_a_charge(bank: Bank):
    person_id = await a_customer()
    await set_credit(person_id, 2460)
    await start(person_id)
    assert [call[2] for call in bank.calls] == [50]
    assert await credit_cents() == 10


async def test_credit_that_pays_it_all_needs_no_charge(bank: Bank):
    person_id = await a_customer()
    await set_credit(person_id, 3000)
    await start(person_id)
    await start_again(person_id)
    [invoice] = await stored_invoices()
    assert (invoice.state, invoice.total_cents, bank.calls) == ("paid", 0, [])
    assert (await subscription(person_id)).state == "active"
    assert await credit_cents() == 500


async def test_start_needs_a_verified_email_and_a_card(bank: Bank):
    with pytest.raises(NotVerified):
        await start(await a_customer(1, email_verified_at=None))
    with pytest.raises(NoCard):
        await start(await a_customer(2, card=""))
    assert await stored_invoices() == []


@pytest.mark.parametrize("plan_id", ["gold", None, 7, [], {"id": "solo"}])
async def test_plan_that_is_none_cannot_be_started(plan_id: object, bank: Bank):
    person_id = await a_customer()
    with pytest.raises(NoPlan):
        await plans.start_plan(by(person_id), plan_id, "Start", "key")


async def test_other_words_than_the_button_says_are_refused_with_the_new_offer(bank: Bank):
    person_id = await a_customer()
    offer = await offered(person_id, "solo")
    await set_credit(person_id, 100)
    for seen in (offer.button, None, 7):
        with pytest.raises(OtherAmount, match=r"\$24\.00 today") as refused:
            await plans.start_plan(by(person_id), "solo", seen, "key")
    assert str(refused.value.offer.due) == "$24.00"
    with pytest.raises(OtherAmount):  # a start is no switch
        await plans.switch_plan(by(person_id), "solo", refused.value.offer.button, "key")
    assert bank.calls == []


async def test_same_button_in_another_tab_afterwards_is_the_same_press(bank: Bank):
    person_id = await a_customer()
    words = (await offered(person_id, "solo")).button
    await start(person_id)
    await plans.start_plan(by(person_id), "solo", words, "other")
    assert len(await stored_invoices()) == 1


async def test_charge_that_is_being_processed_is_pending(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    async def processes(payment_id: str, **_: object) -> Intent:
        return Intent("pi", "processing", Money(0), payment_id)

    monkeypatch.setattr(stripe, "charge", processes)
    with pytest.raises(PaymentPending):
        await start(await a_customer())


async def test_staff_have_no_plan_and_no_offers(bank: Bank):
    assert await plans.plan_overview(by("nobody")) is None
    assert await plans.plan_offers(by("nobody")) == ()
    with pytest.raises(NoPlan):
        await plans.start_plan(by("nobody"), "solo", "Start", "key")


async def test_closing_the_account_ends_the_plan(bank: Bank):
    person_id = await a_customer()
    await start(person_id)
    await membership.close(await session_of(person_id), HERE)
    assert (await subscription(person_id)).state == "cancelled"
    await renewals.renew([person_id])
    assert len(bank.calls) == 1
