"""The customer's dashboard, its toggle and its menu."""

import pytest
from playwright.sync_api import Page, expect

from tests.flows.checks import (
    assert_accessible,
    assert_accessible_at_every_size,
    assert_large,
    every_size,
)
from tests.flows.conftest import PHONE

SCREENS = {
    "Account Settings": ("/account", "Account Settings"),
    "Billing & Plans": ("/billing", "Billing & Plans"),
    "Notifications": ("/notifications", "Notification Settings"),
    "Privacy & Security": ("/security", "Privacy & Security"),
    "Help & Support": ("/support", "Help & Support"),
}
ROUTES = ["/dashboard", *(address for address, _ in SCREENS.values())]


def menu_button(page: Page):
    return page.get_by_role("button", name="Your menu")


def open_menu(page: Page):
    expect(menu_button(page)).to_have_text("SJ")
    menu_button(page).click()
    links = page.get_by_role("navigation", name="Your account")
    expect(links).to_be_visible()
    return links


def tile(page: Page, label: str):
    """Return the values below a tile's label."""
    term = page.get_by_role("term").filter(has_text=label)
    return page.get_by_role("main").locator("div").filter(has=term).last.get_by_role("definition")


def test_tiles_chart_and_next_service(visit):
    page = visit("/dashboard")
    main = page.get_by_role("main")
    expect(main.get_by_text("Family Plan · 4 fills per month")).to_be_visible()
    expect(main.get_by_role("progressbar")).to_have_attribute("value", "3")
    for label, value in {
        "Fills Remaining": "3 of 4 fills this month",
        "Gallons Used": "14.2",
        "Avg. Cost/Gallon": "$3.45",
        "Days Since Last Fill": "Last fill: ",
        "Fills used": "1 of 4",
    }.items():
        expect(tile(page, label)).to_contain_text(value)
    expect(page.get_by_text("Preview with sample data").locator("visible=true")).to_be_visible()
    bars = main.get_by_role("list").last.get_by_role("listitem")
    expect(bars).to_have_count(4)
    expect(bars.last).to_contain_text(": 14.2 gallons")
    expect(main.get_by_text("No service scheduled")).to_be_visible()
    main.get_by_role("link", name="Book a Fill-Up").click()
    page.wait_for_url("**/schedule")


@every_size
def test_past_services_are_a_table_and_cards_on_a_phone(visit, viewport):
    page = visit("/dashboard", viewport)
    table = page.get_by_role("table", name="Past Services")
    headers = table.get_by_role("columnheader")
    expect(headers).to_have_text(["Date", "Vehicle", "Gallons", "Total Price"])
    expect(table.get_by_role("row")).to_have_count(5)
    newest = table.get_by_role("row").nth(1)
    expect(newest).to_contain_text("2022 Toyota Camry")
    expect(newest).to_contain_text("$48.99")
    expect(newest.get_by_role("cell")).to_have_count(4)
    tops = [box["y"] for cell in newest.get_by_role("cell").all() if (box := cell.bounding_box())]
    each_on_its_own_line = tops == sorted(set(tops))
    assert each_on_its_own_line is (viewport == PHONE)


def test_menu_leads_to_every_screen_and_back(visit, site):
    page = visit("/dashboard")
    sitemap = page.request.get(f"{site.url}/sitemap.xml").text()
    for entry, (address, title) in SCREENS.items():
        open_menu(page).get_by_role("link", name=entry).click()
        expect(page.get_by_role("heading", name=title, level=1)).to_be_focused()
        expect(page).to_have_url(site.url + address)
        assert address not in sitemap
        expect(page.locator("meta[name=robots]")).to_have_attribute("content", "noindex")
        expect(page.get_by_role("navigation", name="Your account")).to_be_hidden()
        here = open_menu(page).get_by_role("link", name=entry)
        expect(here).to_have_attribute("aria-current", "page")
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Back to Dashboard").click()
        expect(page.get_by_role("heading", name="Welcome back")).to_be_focused()
    open_menu(page)
    page.get_by_role("link", name="Log Out").click()
    expect(page.get_by_role("heading", name="Get Your First Fill-Up Free")).to_be_visible()


def test_menu_by_keyboard(visit):
    page = visit("/dashboard")
    expect(menu_button(page)).to_have_text("SJ")
    menu_button(page).focus()
    page.keyboard.press("Enter")
    links = page.get_by_role("navigation", name="Your account")
    for name in SCREENS:
        page.keyboard.press("Tab")
        expect(links.get_by_role("link", name=name)).to_be_focused()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(links).to_be_hidden()
    expect(menu_button(page)).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Log Out").focus()
    page.keyboard.press("Tab")
    expect(links).to_be_hidden()
    expect(page.get_by_role("link", name="Book a Fill-Up")).to_be_focused()


@pytest.mark.parametrize("address", ROUTES)
def test_screens_are_accessible_fit_and_have_large_controls(visit, address):
    page = visit(address)
    expect(menu_button(page)).to_have_text("SJ")
    assert_accessible_at_every_size(page)
    page.set_viewport_size(PHONE)
    assert_large(page.get_by_role("button").or_(page.get_by_role("switch")))
