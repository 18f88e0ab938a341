"""The real day on the dashboard, for staff of an open company alone."""

import asyncio
from datetime import timedelta

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state import screens
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.dashboard.state import TodayState
from fuel_app.dispatch.rules.day import TRUCK_COLORS
from fuel_app.dispatch.state.day_route import TodaysRouteState
from fuel_app.kit.signals import SHIFTS, signals
from tests.helpers.admins import AdminTab
from tests.helpers.bookings import TODAY, an_area, at
from tests.helpers.dispatch import a_shift, a_truck, change_stop, on_route
from tests.helpers.stored_bookings import a_booking, change
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

SEVEN = on_clock(TODAY, 7)


@pytest.fixture(autouse=True)
def _clock(monkeypatch) -> None:
    at(monkeypatch, SEVEN)
    monkeypatch.setattr(screens, "_PAUSE_S", 0)


async def followed(tab, state, waiting) -> asyncio.Task:
    shown = await tab.get_state(state)
    task = asyncio.create_task(run(state.event_handlers["follow"].fn(shown)))
    await waiting.wait()
    return task


async def test_two_trucks_each_have_their_line_and_the_next_stop_of_all_comes_first(waiting):
    area = await an_area()
    eight, ten, noon, left, held, gone = [
        await a_booking(area, days=0, opens=8 + 2 * n) for n in range(6)
    ]
    first, second = [
        await a_shift(await a_truck(name=name), None, day=TODAY) for name in ("Heron", "Ibis")
    ]
    await on_route(first, ten, noon, gone, published=True)
    stops = await on_route(second, eight, published=True)
    await change(held, state="weather_hold", reason="A storm")
    await change(gone, state="cancelled")
    tab = await AdminTab.at(routes.DASHBOARD, Role.DISPATCHER)
    state = await tab.screen(TodaysRouteState)
    task = await followed(tab.tab, TodaysRouteState, waiting)
    assert [(line.truck, line.color) for line in state.lines] == [
        ("Heron", TRUCK_COLORS[0]),
        ("Ibis", TRUCK_COLORS[1]),
    ]
    assert [len(line.points) for line in state.lines] == [4, 3]
    assert [(stop.truck, stop.place, stop.number, stop.time) for stop in state.by_time] == [
        ("Ibis", 1, 1, "8:00 AM"),
        ("Heron", 1, 2, "10:00 AM"),
        ("Heron", 2, 3, "12:00 PM"),
    ]
    assert [stop.id for stop in state.following] == [eight.id]
    assert state.following[0].drive == "10 mins"
    assert [(each.id, each.reason) for each in state.left_out] == [
        (left.id, "Not planned yet"),
        (held.id, "On hold: A storm"),
    ]
    waiting.clear()
    await change(eight, state="completed", completed_at=SEVEN)
    await change_stop(stops[0], ended_at=SEVEN)
    await signals().publish(SHIFTS)
    await waiting.wait()
    assert ([stop.id for stop in state.following], state.next_id) == ([ten.id], ten.id)
    assert state.by_time[0].status == "Done"
    task.cancel()
    await asyncio.wait([task])


async def test_late_and_at_risk_are_told_apart(waiting, monkeypatch):
    area = await an_area()
    bookings = [await a_booking(area, days=0, opens=opens) for opens in (8, 10)]
    await on_route(await a_shift(await a_truck(), None, day=TODAY), *bookings, published=True)
    at(monkeypatch, on_clock(TODAY, 11) + timedelta(minutes=35))
    tab = await AdminTab.at(routes.DASHBOARD, Role.DISPATCHER)
    task = await followed(tab.tab, TodaysRouteState, waiting)
    state = await tab.screen(TodaysRouteState)
    assert [stop.lateness for stop in state.stops] == ["late", "at_risk"]
    task.cancel()
    await asyncio.wait([task])


async def test_figures_follow_the_day(waiting):
    area = await an_area()
    booking = await a_booking(area, days=0)
    tab = await AdminTab.at(routes.DASHBOARD, Role.DISPATCHER)
    state = await tab.screen(TodayState)
    task = await followed(tab.tab, TodayState, waiting)
    assert state.figures["Scheduled fill-ups"] == "1"
    assert [bar.value for bar in state.revenue] == ["$0"] * 14
    waiting.clear()
    await change(booking, state="cancelled")
    await signals().publish(SHIFTS)
    await waiting.wait()
    assert state.figures["Scheduled fill-ups"] == "0"
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize("state", [TodayState, TodaysRouteState])
@pytest.mark.parametrize("role", [None, Role.CUSTOMER, Role.TECHNICIAN])
async def test_others_get_no_day(state, role):
    await a_booking(await an_area(), days=0)
    tab = (await AdminTab.at(routes.DASHBOARD, role)).tab if role else tab_at(routes.DASHBOARD)
    shown = await tab.get_state(state)
    await run(state.event_handlers["follow"].fn(shown))
    assert shown._is_blank()


@pytest.mark.parametrize("state", [TodayState, TodaysRouteState])
async def test_staff_of_a_company_that_is_not_open_see_the_sample_alone(state):
    tab = await AdminTab.at(routes.DASHBOARD, Role.DISPATCHER)
    await run(state.event_handlers["follow"].fn(await tab.screen(state)))
    assert (await tab.screen(state))._is_blank()
