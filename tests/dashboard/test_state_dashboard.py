"""The dashboard's two views in one tab."""

import pytest

from fuel_app.accounts.state.session import StaffState
from fuel_app.dashboard.state import DashboardState, FiguresState
from tests.helpers.tabs import run, tab_at


@pytest.mark.parametrize("signed_in", [False, True])
async def test_staff_come_for_the_companys_day_and_everybody_else_for_their_own(signed_in):
    tab = tab_at("/dashboard")
    (await tab.get_state(StaffState)).signed_in = signed_in
    state = await tab.get_state(DashboardState)
    await run(state.arrive())
    assert state.admin_view is signed_in


async def test_a_view_that_somebody_has_chosen_stays():
    tab = tab_at("/dashboard")
    (await tab.get_state(StaffState)).signed_in = True
    state = await tab.get_state(DashboardState)
    await run(state.arrive())
    await run(state.switch_view())
    await run(state.arrive())
    assert not state.admin_view


@pytest.mark.parametrize(
    ("signed_in", "followed"), [(False, None), (True, [StaffState.follow, FiguresState.follow])]
)
async def test_only_a_tab_of_the_staff_follows_what_changes(signed_in, followed):
    tab = tab_at("/dashboard")
    (await tab.get_state(StaffState)).signed_in = signed_in
    assert await (await tab.get_state(DashboardState)).follow() == followed
