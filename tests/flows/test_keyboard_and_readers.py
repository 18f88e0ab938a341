"""Accessibility: keyboard, screen readers, small phones."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.flows.conftest import DESKTOP, PHONE, until
from tests.flows.visitor import a_person, found_neighborhood, join_waitlist, modal, open_waitlist

ROUTES = ["/join-neighborhood/unknown", "/no-such-page"]
AXE = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],  # listing passes takes twice as long
}


def assert_accessible(page: Page) -> None:
    # Colors in the middle of a fade fail the contrast rule.
    until(page, "document.getAnimations().every((a) => a.playState !== 'running')")
    report = Axe().run(page, options=AXE)
    assert report.violations_count == 0, report.generate_report()


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("address", ROUTES)
def test_pages_are_accessible_and_fit(visit, witness, address, viewport):
    witness.expected.append("404 (Not Found)")
    page = visit(address, viewport)
    if address.startswith("/join-neighborhood/"):
        expect(modal(page)).to_be_visible()
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_every_step_of_the_modal_is_accessible(visit, zip_code):
    page = visit("/", PHONE)
    dialog = open_waitlist(page)
    assert_accessible(page)
    dialog.get_by_role("button", name="Join Waitlist").click()
    expect(dialog.get_by_text("First name is required")).to_be_visible()
    assert_accessible(page)
    join_waitlist(page, zip_code)
    assert_accessible(page)
    link = found_neighborhood(page, "Palm Grove")
    assert_accessible(page)
    neighbor = visit(link, PHONE)
    expect(modal(neighbor)).to_be_visible()
    join_waitlist(neighbor, zip_code)
    assert_accessible(neighbor)


def test_joining_by_keyboard_alone(visit, zip_code):
    page = visit("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.get_by_role("banner").get_by_role("button", name="Join Waitlist").focus()
    page.keyboard.press("Enter")
    expect(modal(page).get_by_label("First name")).to_be_focused()
    for text in a_person(zip_code).values():
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    expect(modal(page).get_by_role("button", name="Join Waitlist")).to_be_focused()
    page.keyboard.press("Enter")
    create = modal(page).get_by_role("button", name="Create the first neighborhood")
    expect(create).to_be_visible()
    page.keyboard.press("Tab")
    expect(create).to_be_focused()
    page.keyboard.press("Enter")
    expect(modal(page).get_by_label("Neighborhood name")).to_be_focused()
    page.keyboard.type("Palm Grove")
    page.keyboard.press("Enter")
    expect(modal(page).get_by_role("heading", name="You're on the List!")).to_be_visible()


def test_modal_traps_focus_and_returns_it(visit):
    page = visit("/", PHONE)
    dialog = open_waitlist(page)
    controls = dialog.get_by_role("button").or_(dialog.get_by_role("textbox")).all()
    assert controls
    for control in controls:
        box = control.bounding_box()
        assert box
        assert round(box["height"]) >= 44  # a hair less during the opening animation
    for _ in range(12):
        page.keyboard.press("Tab")
        assert dialog.evaluate("(element) => element.contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    button = page.get_by_role("banner").get_by_role("button", name="Join Waitlist")
    expect(button).to_be_focused()
    open_waitlist(page)
    page.mouse.click(5, 5)
    expect(dialog).to_be_hidden()


def test_hero_is_above_the_fold_of_a_small_phone(visit):
    page = visit("/", PHONE)
    hero = page.get_by_role("main")
    for element in (
        hero.get_by_role("button", name="Join Waitlist").first,
        hero.get_by_role("link", name="See what your neighborhood saves"),
        hero.get_by_role("img").first,
    ):
        box = element.bounding_box()
        assert box
        assert box["y"] + box["height"] <= PHONE["height"]


def test_unknown_address_shows_not_found(visit, witness):
    witness.expected.append("404 (Not Found)")
    page = visit("/no-such-page")
    expect(page.get_by_role("heading", name="Unexpected Application Error!")).to_be_visible()
    expect(page.get_by_text("404 Not Found")).to_be_visible()
    page.get_by_role("link", name="Back to the start").click()
    expect(page.get_by_role("heading", name="Get Your First Fill-Up Free")).to_be_visible()
