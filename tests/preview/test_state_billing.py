"""Billing & Plans: switches of plans, which never complete before launch."""

from typing import Any

import pytest

from fuel_app.customers.state.customer import CustomerState
from fuel_app.preview.pages import billing
from fuel_app.preview.state.account import BillingState
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def state() -> BillingState:
    """Open Billing & Plans in a tab."""
    tab = tab_at("/billing")
    await run((await tab.get_state(CustomerState)).arrive())
    state = await tab.get_state(BillingState)
    await run(state.arrive())
    return state


async def test_a_switch_shows_as_switching_and_never_completes(state):
    current = (await state.get_state(CustomerState)).billing.plan_id
    assert current != "solo"
    assert await run(state.switch_to("solo")) == [None]  # nothing follows that could end it
    assert state.switching == ["solo"]
    assert (await state.get_state(CustomerState)).billing.plan_id == current
    assert '? "Switching..." : "Switch Plan"' in str(billing())


async def test_a_second_press_changes_nothing(state):
    await run(state.switch_to("solo"))
    await run(state.switch_to("solo"))
    assert state.switching == ["solo"]


async def test_several_plans_show_as_switching(state):
    await run(state.switch_to("solo"))
    await run(state.switch_to("big-family"))
    assert state.switching == ["solo", "big-family"]


@pytest.mark.parametrize("plan_id", ["", "Solo", "gold", None, 5, ["solo"], {"id": "solo"}])
async def test_an_unknown_plan_is_ignored(state, plan_id: Any):
    await run(state.switch_to(plan_id))
    assert state.switching == []


async def test_a_new_visit_forgets_the_switches(state):
    await run(state.switch_to("solo"))
    await run(state.arrive())
    assert state.switching == []
