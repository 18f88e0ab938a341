"""Accessibility: keyboard, screen readers, small phones."""

from playwright.sync_api import expect

from tests.flows.checks import assert_accessible, assert_accessible_at_every_size, assert_large
from tests.flows.conftest import PHONE
from tests.flows.visitor import (
    a_person,
    click_outside,
    found_neighborhood,
    join_waitlist,
    modal,
    open_waitlist,
)


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
    assert_large(dialog.get_by_role("button").or_(dialog.get_by_role("textbox")))
    for _ in range(12):
        page.keyboard.press("Tab")
        assert dialog.evaluate("(element) => element.contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    button = page.get_by_role("banner").get_by_role("button", name="Join Waitlist")
    expect(button).to_be_focused()
    open_waitlist(page)
    click_outside(page)
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
    assert_accessible_at_every_size(page)
    page.get_by_role("link", name="Back to the start").click()
    expect(page.get_by_role("heading", name="Get Your First Fill-Up Free")).to_be_visible()
