"""The address wins over what the tab has shown before, on links inside the app and on Back."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from fuel_app.accounts.state.screens import StaffList
from tests.accounts.test_state_arrival import LISTS, addresses
from tests.flows.conftest import until
from tests.flows.lead_list import PAGE, search_for
from tests.flows.visitor import modal

CUSTOMER = "Ada{} Lovelace"


def follow(page: Page, address: str) -> None:
    """Go to an address as a link inside the app does: without a load of the page."""
    page.evaluate(
        """address => {
          const state = {...history.state, idx: (history.state?.idx ?? 0) + 1, key: address};
          history.pushState(state, "", address);
          dispatchEvent(new PopStateEvent("popstate", {state}));
        }""",
        address,
    )


def arrived(page: Page) -> None:
    expect(page.locator("main h1")).to_be_visible()  # by its role an open dialog hides it
    until(page, "!document.querySelector('main .skeleton, main [aria-busy=true]')")


def open_stop(page: Page, name: str) -> None:
    stop = page.locator("[data-column] [data-stop]").filter(has_text=name)
    stop.get_by_role("button", name=re.compile(rf"[AP]M {name}")).click()
    expect(modal(page).get_by_role("heading", name=name)).to_be_visible()


def customer_is(page: Page, name: str, tab: str) -> None:
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", name=name, level=2)).to_be_visible()
    expect(main.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")


@pytest.fixture(scope="session")
def adelina(site) -> str:
    """Store more leads of one name than a page has. Return the name."""
    site.seed("waitlist", "Adelina", PAGE + 10)
    return "Adelina"


def test_links_and_back_open_whom_they_name(dispatcher):
    page = dispatcher("/customer-dashboard")
    main, panel = page.get_by_role("main"), page.get_by_role("complementary")
    first, second, third = (CUSTOMER.format(number) for number in (1, 2, 3))
    main.get_by_role("button", name=second).click()
    main.get_by_role("tab", name="Invoices").click()
    customer_is(page, second, "Invoices")
    for name in (first, third, first):
        panel.get_by_role("link", name="Dispatch").click()
        open_stop(page, name)
        modal(page).get_by_role("link", name="Open the customer").click()
        customer_is(page, name, "Bookings")
        main.get_by_role("tab", name="Notes").click()
        customer_is(page, name, "Notes")
        page.go_back()
        customer_is(page, name, "Bookings")
        page.go_back()
        expect(page.get_by_role("heading", name="Dispatch", level=1)).to_be_visible()
        expect(page.locator("[data-column] [data-stop]").first).to_be_visible()
        expect(modal(page)).to_have_count(0)
        page.go_forward()
        customer_is(page, name, "Bookings")
    panel.get_by_role("link", name="Customer Dashboard").click()
    expect(main.get_by_text("3 customers")).to_be_visible()
    expect(page).to_have_url(re.compile("/customer-dashboard$"))
    page.go_back()
    customer_is(page, first, "Bookings")


def test_a_member_opens_as_a_lead_after_a_search(open_list, store, zip_code):
    palm = store("Palm Court", 2, pioneer=("Ada", "Bell"), zip_code=zip_code)
    page = open_list()
    search_for(page, "somebody")
    follow(page, f"/neighborhoods/{palm}")
    for _ in range(2):
        page.get_by_role("main").get_by_role("link", name="Ada Bell").first.click()
        expect(modal(page).get_by_role("heading", name="Ada Bell")).to_be_visible()
        expect(page).to_have_url(re.compile(r"/submissions\?lead="))
        page.go_back()
        expect(page.get_by_role("heading", name="Palm Court", level=1)).to_be_visible()
        expect(modal(page)).to_have_count(0)
    page.go_back()
    expect(page.get_by_label("Search submissions")).to_have_value("somebody")


@pytest.mark.parametrize("screen", LISTS)
def test_every_list_shows_what_a_link_names(dispatcher, office, screen: type[StaffList]):
    site: Any = office[0]
    site.write("UPDATE person_roles SET role = 'admin' WHERE role = 'dispatcher'")
    site.write("UPDATE sessions SET second_factor = 1")
    first, *others = addresses(screen)
    page = dispatcher(others[-1])
    for address in [*others, first, others[0]]:
        follow(page, "/settings/areas")
        arrived(page)
        follow(page, address)
        arrived(page)
        expect(page).to_have_url(f"{site.url}{address}")
    page.go_back()
    arrived(page)
    page.go_forward()
    arrived(page)
    expect(page).to_have_url(f"{site.url}{others[0]}")


def test_text_typed_before_the_connection_is_there_is_searched(open_list, adelina):
    page = open_list("?q=somebody")
    page.goto("/submissions")
    held: list[Any] = []
    page.route_web_socket(re.compile("_event"), lambda socket: held.append(socket))
    page.reload()
    until(page, "Object.keys(document.querySelector('h1') ?? {}).some(it => it[0] == '_')")
    box = page.get_by_role("searchbox", name="Search submissions")
    box.press_sequentially(adelina)
    for socket in held:
        socket.connect_to_server()
    expect(page.get_by_text("60 matches")).to_be_visible()
    expect(box).to_have_value(adelina)
    expect(box).to_be_focused()
    until(page, f"location.search == '?q={adelina}'")
