"""The admin view's figures in one tab."""

from fuel_app.dashboard.state import AdminOverview
from tests.helpers.tabs import run, tab_at


async def test_figures_are_shown_as_texts():
    state = await tab_at("/dashboard").get_state(AdminOverview)
    await run(state.arrive())
    assert (state.scheduled, state.completed, state.average_gallons) == ("12", "3", "13.8")
    assert (state.customers, state.subscriptions) == ("156", "142")
    assert (state.revenue, state.per_fillup) == ("$147.60", "$49.20")
    assert state.subscription_revenue == "$6,240"
