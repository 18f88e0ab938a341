"""The dashboard's views and figures."""

import asyncio

import pytest

from fuel_app import routes
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.session import StaffLoginState
from fuel_app.dashboard.rules import TypeCount
from fuel_app.dashboard.state import DashboardState, FiguresState, TypeBar
from fuel_app.kit.signals import LEADS, Changes, signals
from fuel_app.quotes import service as quotes
from fuel_app.waitlist import service as waitlist
from tests.factories import fleet_quote, waitlist_entry
from tests.helpers.neighborhoods import neighborhood
from tests.helpers.screens import staff_tab
from tests.helpers.tabs import run, tab_at

HERE = "203.0.113.7"


async def follow(tab) -> None:
    await run(FiguresState.event_handlers["follow"].fn(await tab.get_state(FiguresState)))


@pytest.fixture
def waiting(monkeypatch) -> asyncio.Event:
    """Set whenever the tab shows its figures and waits for changes."""
    monkeypatch.setattr(screens, "_PAUSE_S", 0)
    now, wait = asyncio.Event(), Changes.next

    async def noted(self, seconds=None):
        now.set()
        return await wait(self, seconds)

    monkeypatch.setattr(Changes, "next", noted)
    return now


@pytest.mark.usefixtures("password", "sqlite_database")
async def test_staff_follow_the_figures_live(waiting):
    await waitlist.join(waitlist_entry(), referrer=None, address=HERE)
    for _ in range(3):
        await quotes.request(fleet_quote(), address=HERE)
    palm_court = await neighborhood("Palm Court", 4)
    tab = await staff_tab(routes.DASHBOARD)
    state = await tab.get_state(FiguresState)
    task = asyncio.create_task(follow(tab))
    await waiting.wait()
    assert (state.leads, state.new, state.new_by_type) == ("8", "4", "1 waitlist, 3 fleet")
    assert (state.neighborhoods, state.members) == ("1", "4")
    assert [(bar.label, bar.leads) for bar in state.types] == [
        ("Waitlist", "5"),
        ("Business", "0"),
        ("Fleet", "3"),
    ]
    assert [bar.value for bar in state.days] == ["0"] * 6 + ["4"]
    (near,) = state.nearest
    assert (near.name, near.goal, near.missing) == ("Palm Court", 5, "1 short of Tier 1")
    assert near.address == f"/neighborhoods/{palm_court}"
    waiting.clear()
    await quotes.request(fleet_quote(), address=HERE)
    await signals().publish(LEADS)
    await waiting.wait()
    assert state.leads == "9"
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.usefixtures("password", "sqlite_database")
async def test_visitor_gets_no_figures_and_no_sign_in():
    tab = tab_at(routes.DASHBOARD)
    await follow(tab)
    assert (await tab.get_state(FiguresState)).leads == ""
    assert not (await tab.get_state(StaffLoginState)).opened


@pytest.mark.parametrize("signed_in", [False, True])
@pytest.mark.usefixtures("password", "sqlite_database")
async def test_staff_come_to_the_admin_view_and_a_visitors_choice_stays(signed_in):
    tab = await staff_tab("/dashboard") if signed_in else tab_at("/dashboard")
    state = await tab.get_state(DashboardState)
    await run(state.arrive())
    assert (state.admin_view, state.may_switch) == (signed_in, True)
    await run(state.switch_view())
    await run(state.arrive())
    assert state.admin_view


def test_bar_is_divided_by_status_from_left_to_right():
    bar = TypeBar.of(TypeCount("fleet", {"Not Contacted": 1500, "Contacted": 250, "Other": 250}))
    assert (bar.label, bar.leads) == ("Fleet", "2,000")
    assert [(part.status, part.leads, part.left, part.width) for part in bar.parts] == [
        ("Not Contacted", "1,500", "0.00%", "75.00%"),
        ("Contacted", "250", "75.00%", "12.50%"),
        ("Other", "250", "87.50%", "12.50%"),
    ]
    assert TypeBar.of(TypeCount("fleet", {})).parts == []
