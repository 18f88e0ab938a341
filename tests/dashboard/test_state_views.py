"""The dashboard's two views, and figures as texts."""

import pytest

from fuel_app.accounts.state.session import StaffState
from fuel_app.dashboard.rules import TypeCount
from fuel_app.dashboard.state import AdminOverview, DashboardState, FiguresState, TypeBar
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


async def test_figures_are_shown_as_texts():
    state = await tab_at("/dashboard").get_state(AdminOverview)
    await run(state.arrive())
    assert (state.scheduled, state.completed, state.average_gallons) == ("12", "3", "13.8")
    assert (state.customers, state.subscriptions) == ("156", "142")
    assert (state.revenue, state.per_fillup) == ("$147.60", "$49.20")
    assert state.subscription_revenue == "$6,240"


def test_a_bar_is_divided_by_status_from_left_to_right():
    bar = TypeBar.of(TypeCount("fleet", {"Not Contacted": 1500, "Contacted": 250, "Other": 250}))
    assert (bar.label, bar.leads) == ("Fleet", "2,000")
    assert [(part.status, part.leads, part.left, part.width) for part in bar.parts] == [
        ("Not Contacted", "1,500", "0.00%", "75.00%"),
        ("Contacted", "250", "75.00%", "12.50%"),
        ("Other", "250", "87.50%", "12.50%"),
    ]


def test_a_type_without_leads_has_an_empty_bar():
    assert TypeBar.of(TypeCount("fleet", {})).parts == []
