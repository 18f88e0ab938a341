"""Everybody can use it: by keyboard, by screen reader, on a small phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.flows.conftest import DESKTOP, PHONE, until
from tests.flows.visitor import a_person, found_neighborhood, join_waitlist, modal, open_waitlist

ROUTES = ["/", "/join-neighborhood/unknown", "/no-such-page"]
AXE = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],  # to list what is well takes twice as long as to look
}


def assert_accessible(page: Page) -> None:
    # Colours in the middle of a fade are nobody's colours.
    until(page, "document.getAnimations().every((a) => a.playState !== 'running')")
    report = Axe().run(page, options=AXE)
    assert report.violations_count == 0, report.generate_report()


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("address", ROUTES)
def test_axe_finds_nothing(visit, witness, address, viewport):
    witness.expected.append("404 (Not Found)")
    page = visit(address, viewport)
    if address.startswith("/join-neighborhood/"):  # opens its modal by itself, a moment later
        expect(modal(page)).to_be_visible()
    assert_accessible(page)


def test_axe_finds_nothing_in_any_step_of_the_modal(visit, zip_code):
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


def test_the_whole_flow_by_keyboard_alone(visit, zip_code):
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


def test_the_modal_keeps_focus_and_gives_it_back(visit):
    page = visit("/")
    dialog = open_waitlist(page)
    for _ in range(12):
        page.keyboard.press("Tab")
        assert dialog.evaluate("(element) => element.contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    button = page.get_by_role("banner").get_by_role("button", name="Join Waitlist")
    expect(button).to_be_focused()


def test_the_modal_closes_on_a_click_outside(visit):
    page = visit("/")
    dialog = open_waitlist(page)
    page.mouse.click(5, 5)
    expect(dialog).to_be_hidden()


def test_the_picture_and_both_calls_to_action_are_above_the_fold_of_a_small_phone(visit):
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


@pytest.mark.parametrize("address", ["/", "/no-such-page"])
def test_nothing_sticks_out_on_a_small_phone(visit, witness, address):
    witness.expected.append("404 (Not Found)")
    page = visit(address, PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_controls_are_large_enough_to_touch(visit):
    page = visit("/", PHONE)
    dialog = open_waitlist(page)
    controls = dialog.get_by_role("button").or_(dialog.get_by_role("textbox")).all()
    assert controls
    for control in controls:
        box = control.bounding_box()
        assert box
        assert round(box["height"]) >= 44  # while it grows into its place, a hair less


def test_the_staff_login_opens_from_the_footer_and_refuses(visit):
    page = visit("/")
    page.get_by_role("contentinfo").get_by_role("button", name="Staff Login").click()
    dialog = modal(page)
    dialog.get_by_label("Password").fill("wrong")
    dialog.get_by_role("button", name="Login").click()
    expect(dialog.get_by_text("Invalid password")).to_be_visible()
    assert_accessible(page)
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()


def test_an_unknown_address_says_so(visit, witness):
    witness.expected.append("404 (Not Found)")
    page = visit("/no-such-page")
    expect(page.get_by_role("heading", name="Unexpected Application Error!")).to_be_visible()
    expect(page.get_by_text("404 Not Found")).to_be_visible()
    page.get_by_role("link", name="Back to the start").click()
    expect(page.get_by_role("heading", name="Get Your First Fill-Up Free")).to_be_visible()
