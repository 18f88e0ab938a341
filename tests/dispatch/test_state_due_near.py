"""The board's list of who is due near its stops, in a tab without a browser."""

from dataclasses import asdict, replace

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.bookings.rules.states import CANCELLED
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.due_near import FAILED, NO_STOPS, NOBODY, DueNearState, NearLine
from fuel_app.forecasts.service import forecasts
from tests.forecasts.due import a_due_car
from tests.helpers.admins import AdminTab
from tests.helpers.board import BoardTab
from tests.helpers.bookings import PLACE, an_area
from tests.helpers.dispatch import a_shift, a_technician, a_truck, on_route
from tests.helpers.stored_bookings import a_booking, change

pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


async def opened(tab: BoardTab) -> DueNearState:
    await tab.fire(DueNearState.open)
    return await tab.screen(DueNearState)


async def test_the_list_is_read_as_it_is_opened_and_leads_to_the_desk():
    area_id, who = await a_due_car()
    street = replace(PLACE, lat=PLACE.lat + 0.01)
    await a_booking(area_id, days=1, place=asdict(street))
    tab = await BoardTab.open()
    list_ = await tab.screen(DueNearState)
    assert (list_.opened, list_.rows) == (False, [])
    events = DueNearState.open.fn(list_)
    await anext(events)
    assert (list_.opened, list_.loading) == (True, True)
    await opened(tab)
    assert list_.rows == [
        NearLine(
            id=who.car_id,
            customer="Ada Lovelace",
            link=f"{routes.CUSTOMER_DASHBOARD}?customer={who.id}",
            desk=routes.customer_tab(who.id, "bookings"),
            car="2020 Toyota Camry",
            when="Due around Thu, Nov 26, 2 days later",
            distance="0.7 miles from a stop",
        )
    ]
    assert (list_.loading, list_.note, list_.error) == (False, "", "")
    await tab.fire(BoardState.show_day, "2026-11-25")  # of another day it says nothing
    assert (list_.opened, list_.rows) == (False, [])


async def test_nobody_no_stop_and_an_outage_are_told(monkeypatch: pytest.MonkeyPatch):
    area_id = await an_area()
    shift = await a_shift(await a_truck(), await a_technician())
    booking = await a_booking(area_id, days=1)
    await on_route(shift, booking)
    tab = await BoardTab.open()
    list_ = await opened(tab)
    assert (list_.note, list_.error, list_.loading) == (NOBODY, "", False)
    await change(booking, state=CANCELLED)
    await tab.fire(BoardState.load)
    assert (await opened(tab)).note == NO_STOPS

    async def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(forecasts, "list_due_near", fail)
    await opened(tab)
    assert (list_.note, list_.error, list_.loading) == ("", FAILED, False)


async def test_a_technician_or_a_tab_without_a_day_opens_no_list():
    tab = await AdminTab.at(routes.DISPATCH, Role.DISPATCHER)
    await tab.fire(DueNearState.open)
    assert not (await tab.screen(DueNearState)).opened
    other = await AdminTab.at(routes.DISPATCH, Role.TECHNICIAN, email="t@example.com")
    (await other.screen(BoardState)).day = "2026-11-24"
    await other.fire(DueNearState.open)
    assert not (await other.screen(DueNearState)).opened
