"""Billing & Plans: switches of plans, which never complete before launch."""

from typing import Any

import pytest

from fuel_app.customers.state.customer import CustomerState
from fuel_app.preview.pages import billing
from fuel_app.preview.state.account import BillingState
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def opened() -> BillingState:
    tab = tab_at("/billing")
    await run((await tab.get_state(CustomerState)).arrive())
    state = await tab.get_state(BillingState)
    await run(state.arrive())
    return state


async def test_switches_show_as_switching_never_complete_and_are_forgotten_by_a_new_visit():
    state = await opened()
    current = (await state.get_state(CustomerState)).billing.plan_id
    for plan in ("solo", "solo", "big-family"):
        assert await run(state.switch_to(plan)) == [None]  # nothing follows that could end it
    assert state.switching == ["solo", "big-family"]
    assert (await state.get_state(CustomerState)).billing.plan_id == current == "family"
    assert '? "Switching..." : "Switch Plan"' in str(billing())
    await run(state.arrive())
    assert state.switching == []


@pytest.mark.parametrize("plan_id", ["", "Solo", "gold", None, 5, ["solo"], {"id": "solo"}])
async def test_an_unknown_plan_is_ignored(plan_id: Any):
    state = await opened()
    await run(state.switch_to(plan_id))
    assert state.switching == []
