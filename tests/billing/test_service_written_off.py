"""Renewals that staff give up, and what becomes of the plan."""

import pytest

from fuel_app.billing.rules.corrections import WAIVED
from fuel_app.kit import clock
from fuel_app.outcomes.service import corrections as outcomes_corrections
from fuel_app.outcomes.service import renewals
from tests.billing.test_service_corrections import WHY, amount, staff
from tests.helpers import plan_money
from tests.helpers.bank import Bank, bank

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database")


async def test_renewal_marked_as_uncollectible_ends_the_plan(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    person_id = await plan_money.a_customer()
    await plan_money.start(person_id)
    plan_money.on(monkeypatch, clock.months_later(plan_money.today(), 1))
    bank.answers = ["insufficient_funds"]
    await renewals.renew([person_id])
    await outcomes_corrections.write_off_open(
        await staff(), (await plan_money.stored_invoices())[-1].id, WHY
    )
    assert (await plan_money.subscription(person_id)).state == "cancelled"
    await plan_money.start(person_id, key="again")
    assert (await plan_money.subscription(person_id)).state == "active"


async def test_waived_renewal_of_a_former_plan_leaves_an_unpaid_one_past_due(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    person_id = await plan_money.a_customer()
    await plan_money.start(person_id)
    for _ in range(2):
        plan_money.on(monkeypatch, clock.months_later(plan_money.today(), 1))
        bank.answers = ["insufficient_funds"]
        await renewals.renew([person_id])
        if (unpaid := (await plan_money.stored_invoices())[-1]).number == 2:
            await outcomes_corrections.write_off_open(await staff(), unpaid.id, WHY)
            await plan_money.start(person_id, key="again")
    former = (await plan_money.stored_invoices())[1]
    await outcomes_corrections.correct_invoice(await staff(), former.id, WAIVED, amount("25"), "k")
    assert (await plan_money.subscription(person_id)).state == "past_due"
