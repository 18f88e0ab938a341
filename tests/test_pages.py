"""Pages as they open: one look-up of the session, two events, few statements."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.page_parts import follow_parts, open_parts
from fuel_app.accounts.state.session import COOKIE, SessionState, once_for_page, staff_only
from fuel_app.accounts.tables import Person
from fuel_app.attention.service import read_attention
from fuel_app.billing.rules.invoices import START
from fuel_app.billing.tables import Payer
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.companies.rules.companies import TABS
from fuel_app.dashboard import service as dashboard
from fuel_app.dispatch.service import truck_routes
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.ui.toast import ToastState
from fuel_app.pages import PARTS, PageState
from fuel_app.submissions.state.leads import LeadsState
from tests.helpers import statements
from tests.helpers.bank import an_invoice
from tests.helpers.bookings import NOW, STAFF, TODAY, a_car, a_customer, at
from tests.helpers.companies import a_company
from tests.helpers.customers import cookie_of
from tests.helpers.dispatch import a_shift, a_technician, a_truck, on_route
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.screens import staff_tab
from tests.helpers.signed_in import a_person, cookie_for
from tests.helpers.stored_bookings import a_booking, a_fill
from tests.helpers.tabs import go_to, redirected, run, tab_at

MOST = 15  # statements, the look-up included
CUSTOMERS = (
    routes.DASHBOARD,
    routes.ACCOUNT,
    routes.BILLING,
    routes.NOTIFICATIONS,
    routes.SECURITY,
    routes.SUPPORT,
    routes.SCHEDULE,
    routes.BOOKING_PATTERN,
)
ADMINS = (
    routes.DASHBOARD,
    routes.SUBMISSIONS,
    routes.NEIGHBORHOODS,
    routes.COMPANIES,
    *(f"{routes.COMPANIES_PATTERN}?tab={tab}" for tab in TABS),
    routes.DISPATCH,
    routes.CUSTOMER_DASHBOARD,
    routes.LAUNCH,
    routes.SETTINGS_BUSINESS,
    routes.SETTINGS_AREAS,
    routes.SETTINGS_PRICES,
    routes.SETTINGS_TRUCKS,
    routes.SETTINGS_MESSAGES,
    routes.SETTINGS_MONEY,
    routes.SETTINGS_PEOPLE,
)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note each look-up of a session."""
    noted, find = [], sessions.find_by_token

    async def finding(token: str) -> Any:
        noted.append(token)
        return await find(token)

    monkeypatch.setattr(sessions, "find_by_token", finding)
    return noted


async def load(tab: rx.State, route: str) -> list[Any]:
    """Open a page, and let what follows it begin."""
    state = await tab.get_state(PageState)
    answers = await PageState.open.fn(state, route)
    following = asyncio.create_task(run(PageState.follow.fn(state, route)))
    await asyncio.wait([following], timeout=0.1)
    following.cancel()
    return answers


async def opened(address: str, route: str, cookie: str, looks: list[str]) -> int:
    """Open a page a second time in its tab. Return its statements."""
    tab = tab_at(address, cookie=cookie)
    await load(tab, route)
    looks.clear()
    with statements.noted() as noted:
        await load(tab, route)
    assert len(looks) == 1
    return sum(not each.upper().startswith(("PRAGMA", "BEGIN", "COMMIT")) for each in noted)


@pytest.mark.usefixtures("sqlite_database")
async def test_pages_of_a_customer_open_with_one_look_up_and_few_statements(looks):
    area, cookie = await open_area(), await cookie_of()
    (person,) = await rows(Person)
    booking, car = await a_booking(area, person.id), a_car(person.id)
    async with transaction() as session:
        session.add(car)
    await a_fill(area, person.id, clock.now(), 9000, 3000, vehicle_id=car.id)
    for route in CUSTOMERS:
        address = route.replace("[booking]", booking.id)
        assert await opened(address, route, cookie, looks) <= MOST, route


@pytest.mark.usefixtures("sqlite_database")
async def test_pages_open_with_few_statements_while_a_technician_comes(looks, monkeypatch):
    at(monkeypatch, on_clock(TODAY, 8))
    area, cookie = await open_area(), await cookie_of()
    (person,) = await rows(Person)
    booking, car = await a_booking(area, person.id, days=0), a_car(person.id)
    async with transaction() as session:
        session.add(car)
    await a_fill(area, person.id, clock.now(), 9000, 3000, vehicle_id=car.id)
    shift = await a_shift(await a_truck(), await a_technician(), day=TODAY)
    await on_route(shift, await a_booking(area, days=0), booking, published=True)
    assert await opened(routes.DASHBOARD, routes.DASHBOARD, cookie, looks) <= MOST
    address = routes.booking(booking.id)
    assert await opened(address, routes.BOOKING_PATTERN, cookie, looks) <= MOST
    admin = await a_person(Role.ADMIN)
    cookie = f"{COOKIE}={await cookie_for(admin, second_factor=True)}"
    await read_shared()
    for tab in ("bookings", "ledger", "invoices", "messages", "vehicles", "dashboard"):
        address = f"{routes.CUSTOMER_DASHBOARD}?customer={person.id}&tab={tab}"
        asked = await opened(address, routes.CUSTOMER_DASHBOARD, cookie, looks)
        assert asked <= MOST + 3 * (tab == "dashboard"), tab  # what the customer's own page reads


@pytest.mark.usefixtures("sqlite_database")
async def test_billing_opens_with_few_statements_for_a_customer_who_owes(looks, monkeypatch):
    at(monkeypatch, NOW)
    await open_area()
    customer = await a_customer()
    (payer,) = await rows(Payer)
    await an_invoice(payer, kind=START, period=TODAY)
    await an_invoice(payer)
    cookie = f"{COOKIE}={await cookie_for(customer.id)}"
    assert await opened(routes.BILLING, routes.BILLING, cookie, looks) <= MOST


async def read_shared() -> None:
    """Read what the tabs of all staff share, once for a change or a minute."""
    await read_attention(STAFF)
    await dashboard.latest_leads(STAFF)
    await dashboard.morning_figures(STAFF)
    await dashboard.today_figures(STAFF, {})
    await truck_routes.read_todays_board(STAFF)


@pytest.mark.usefixtures("sqlite_database")
async def test_pages_of_an_admin_open_with_one_look_up_and_few_statements(looks):
    await open_area()
    admin = await a_person(Role.ADMIN)
    cookie = f"{COOKIE}={await cookie_for(admin, second_factor=True)}"
    company_id = await a_company(made_by=admin)
    await read_shared()
    for route in ADMINS:
        address, pattern = route.replace("[company_id]", company_id), route.partition("?")[0]
        assert await opened(address, pattern, cookie, looks) <= MOST, route


def test_parts_that_open_end_and_parts_that_follow_run_in_the_background():
    for opens, follows in PARTS.values():
        assert opens
        assert all(not each.is_background for each in opens)
        assert all(each.is_background for each in follows)


class PartsState(rx.State):
    """Parts of a page that note that they ran."""

    ran: list[str] = []

    @rx.event
    async def first(self):
        self.ran = [*self.ran, "first"]

    @rx.event
    async def fails(self):
        raise ConnectionError

    @rx.event
    def leads_away(self):
        self.ran = [*self.ran, "leads away"]
        return rx.redirect("/elsewhere")

    @rx.event
    async def last(self):
        yield
        self.ran = [*self.ran, "last"]

    @staff_only(background=True)
    async def follow(self):
        async with self:
            self.ran = [*self.ran, "follow"]


async def test_parts_run_in_their_order_and_one_that_fails_keeps_none_from_running():
    state = await tab_at().get_state(PartsState)
    answers = await open_parts(state, (PartsState.first, PartsState.fails, PartsState.last))
    assert state.ran == ["first", "last"]
    assert answers == [ToastState.apologise]


async def test_after_a_redirect_no_other_part_runs():
    state = await tab_at().get_state(PartsState)
    answers = await open_parts(state, (PartsState.leads_away, PartsState.last))
    assert state.ran == ["leads away"]
    assert [redirected(each) for each in answers] == ["/elsewhere"]


@pytest.mark.parametrize("route", ["/nowhere", "", None, [], {}])
async def test_route_that_is_none_opens_and_follows_nothing(route):
    state = await tab_at().get_state(PageState)
    assert await PageState.open.fn(state, route) == []
    assert await run(PageState.follow.fn(state, route)) == []


async def following(tab: rx.State) -> None:
    async for _ in follow_parts(await tab.get_state(PartsState), (PartsState.follow,)):
        pass


@pytest.mark.usefixtures("password", "sqlite_database")
async def test_session_that_ends_as_the_page_opens_follows_nothing(looks):
    tab = await staff_tab()
    state = await tab.get_state(SessionState)
    await open_parts(tab, (SessionState.look,))
    await following(tab)
    assert len(looks) == 1
    assert (await tab.get_state(PartsState)).ran == ["follow"]
    await open_parts(tab, (SessionState.look,))
    await sessions.sign_out(state._session.id)  # type: ignore[union-attr]
    await following(tab)
    assert len(looks) == 3
    assert (await tab.get_state(PartsState)).ran == ["follow"]


@pytest.mark.usefixtures("password", "sqlite_database")
async def test_what_the_sign_in_page_found_serves_no_page_after_the_sign_in(looks):
    cookie = (await staff_tab()).router.headers.raw_headers["cookie"]
    tab = tab_at("/sign-in")
    await open_parts(tab, (SessionState.look,))
    go_to(tab, "/submissions", cookie=cookie)
    await following(tab)  # begins before the page has opened
    assert (await tab.get_state(PartsState)).ran == ["follow"]
    assert len(looks) == 1


@pytest.mark.usefixtures("password", "sqlite_database")
async def test_screens_that_were_forgotten_open_again_to_the_same_session():
    tab = await staff_tab()
    state, leads = await tab.get_state(SessionState), await tab.get_state(LeadsState)
    await state._look()
    assert leads._is_open()
    await state._forget()
    await state._look()
    assert leads._is_open()


@pytest.mark.usefixtures("password", "sqlite_database")
async def test_what_was_found_serves_neither_another_connection_nor_a_later_check(looks):
    tab = await staff_tab()
    await open_parts(tab, (SessionState.look,))
    state = await tab.get_state(SessionState)
    assert state._handed_over
    state._handed_over = replace(state._handed_over, connection="another")
    await following(tab)
    assert len(looks) == 2
    await state._find()
    assert len(looks) == 3


async def test_once_for_page_asks_each_time_outside_of_an_opening():
    asked = []

    async def find() -> int:
        asked.append(1)
        return len(asked)

    assert [await once_for_page("it", find) for _ in range(2)] == [1, 2]
