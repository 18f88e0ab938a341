"""Previews that are open when the company opens, and what an open company does not show."""

import pytest
import reflex as rx

from fuel_app.customers.state.customer import WE_HAVE_OPENED, CustomerState
from fuel_app.customers.state.vehicles import VehiclesState
from fuel_app.dashboard.state import DashboardState
from fuel_app.membership.state import AccountState
from fuel_app.preview.state.account import BillingState
from fuel_app.preview.state.day_route import DayRouteState
from fuel_app.preview.state.wizards import OneTimeFillState, ScheduleState
from tests.factories import address_form, vehicle_form
from tests.helpers.customers import arrived, at, card, cookie_of, said
from tests.helpers.open_area import open_area
from tests.helpers.tabs import answer, go_to, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

EVERY_PAGE = ("/dashboard", "/account", "/billing", "/notifications", "/support")


@pytest.fixture
async def tab() -> rx.State:
    """A signed-in customer at Account Settings, the company being open."""
    await open_area()
    return await at("/account", await cookie_of())


@pytest.mark.parametrize("page", EVERY_PAGE)
async def test_a_visitor_of_the_open_company_is_led_to_the_sign_in(page):
    await open_area()
    tab = tab_at(page)
    assert await arrived(tab) == f"/sign-in?next=%2F{page[1:]}"
    assert await said(tab) == []
    assert (await card(tab)).name == ""


EVENTS = (
    (CustomerState, "arrive", ()),
    (CustomerState, "toggle_notification", ("push",)),
    (AccountState, "save", ({},)),
    (AccountState, "delete_account", ()),
    (VehiclesState, "remove", ("sample-camry",)),
    (BillingState, "switch_to", ("solo",)),
    (ScheduleState, "submit_address", (address_form(),)),
    (DashboardState, "switch_view", ()),
)


@pytest.mark.parametrize(("state", "event", "given"), EVENTS)
async def test_a_preview_says_at_its_next_event_that_we_have_opened(state, event, given):
    tab = await at("/account")
    assert (await card(tab)).name == "Sarah Johnson"
    await run((await tab.get_state(AccountState)).begin())
    await run((await tab.get_state(ScheduleState)).edit_address(address_form()))
    await open_area()
    fired = getattr(await tab.get_state(state), event)(*given)
    assert redirected(await answer(fired)) == "/sign-in?next=%2Faccount"
    assert await said(tab) == [WE_HAVE_OPENED]
    assert (await card(tab)).name == ""
    assert (await tab.get_state(AccountState)).form["first_name"] == ""
    assert (await tab.get_state(ScheduleState)).address["street"] == ""


async def test_signing_in_after_the_opening_drops_the_sample():
    tab = await at("/account")
    await run((await tab.get_state(VehiclesState)).remove("sample-camry"))
    await open_area()
    go_to(tab, "/account", cookie=await cookie_of())
    assert await arrived(tab) is None
    assert (await card(tab)).name == "Ada Lovelace"
    assert (await tab.get_state(VehiclesState)).removed == ""


async def test_an_open_company_books_nothing_yet(tab):
    for state, event, given in (
        (BillingState, "switch_to", ("solo",)),
        (ScheduleState, "submit_vehicle", (vehicle_form(),)),
    ):
        assert await answer(getattr(await tab.get_state(state), event)(*given)) is None
    schedule = await tab.get_state(ScheduleState)
    await run(schedule.arrive())
    assert (schedule.is_open, schedule.ready, schedule.days) == (True, True, [])
    assert (await tab.get_state(BillingState)).switching == []


async def test_a_visitor_finds_no_sample_in_a_one_time_fill():
    await open_area()
    fill = await tab_at("/one-time-fill/vehicle").get_state(OneTimeFillState)
    assert redirected(await answer(fill.arrive())) is None
    assert (fill.is_open, fill.days, {*fill.vehicle.values()}) == (True, [], {""})


async def test_the_admin_view_is_for_staff_alone_once_open(tab):
    view = await tab.get_state(DashboardState)
    await run(view.arrive())
    await run(view.switch_view())
    assert (view.may_switch, view.admin_view) == (False, False)
    route = await tab.get_state(DayRouteState)
    await run(DayRouteState.event_handlers["calculate"].fn(route))
    assert route.stops == []
