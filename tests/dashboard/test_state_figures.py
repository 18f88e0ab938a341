"""The staff's figures on the dashboard of one tab."""

import asyncio

import pytest

from fuel_app import routes
from fuel_app.accounts.state import live
from fuel_app.accounts.state.sign_in import StaffLoginState
from fuel_app.dashboard.state import FiguresState
from fuel_app.kit.signals import LEADS, Changes, signals
from fuel_app.quotes import service as quotes
from fuel_app.waitlist import service as waitlist
from tests.factories import fleet_quote, waitlist_entry
from tests.helpers.groups import group
from tests.helpers.screens import staff_tab
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")

HERE = "203.0.113.7"


async def follow(tab) -> None:
    await run(FiguresState.event_handlers["follow"].fn(await tab.get_state(FiguresState)))


@pytest.fixture
def waiting(monkeypatch) -> asyncio.Event:
    """Set whenever the tab has shown what there is and waits for more."""
    monkeypatch.setattr(live, "_PAUSE_S", 0)
    now, wait = asyncio.Event(), Changes.next

    async def noted(self, seconds=None):
        now.set()
        return await wait(self, seconds)

    monkeypatch.setattr(Changes, "next", noted)
    return now


async def test_staff_see_how_many_leads_and_groups_there_are(waiting):
    await waitlist.join(waitlist_entry(), referrer=None, address=HERE)
    for _ in range(3):
        await quotes.request(fleet_quote(), address=HERE)
    palm_court = await group("Palm Court", 4)
    tab = await staff_tab(routes.DASHBOARD)
    task = asyncio.create_task(follow(tab))
    await waiting.wait()
    state = await tab.get_state(FiguresState)
    task.cancel()
    await asyncio.wait([task])
    assert (state.leads, state.new, state.new_by_type) == ("8", "4", "1 waitlist, 3 fleet")
    assert (state.groups, state.members) == ("1", "4")
    assert [(bar.label, bar.leads) for bar in state.types] == [
        ("Waitlist", "5"),
        ("Business", "0"),
        ("Fleet", "3"),
    ]
    assert [bar.value for bar in state.days] == ["0"] * 6 + ["4"]
    (near,) = state.nearest
    assert (near.name, near.goal, near.missing) == ("Palm Court", 5, "1 short of Tier 1")
    assert near.address == f"/neighborhoods/{palm_court}"


async def test_what_comes_meanwhile_is_counted(waiting):
    tab = await staff_tab(routes.DASHBOARD)
    task = asyncio.create_task(follow(tab))
    await waiting.wait()
    waiting.clear()
    await quotes.request(fleet_quote(), address=HERE)
    await signals().publish(LEADS)
    await waiting.wait()
    assert (await tab.get_state(FiguresState)).leads == "1"
    task.cancel()
    await asyncio.wait([task])


async def test_a_stranger_on_the_dashboard_is_told_nothing_and_asked_nothing():
    tab = tab_at(routes.DASHBOARD)
    await follow(tab)
    assert (await tab.get_state(FiguresState)).leads == ""
    assert not (await tab.get_state(StaffLoginState)).opened
