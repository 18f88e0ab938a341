"""Whoever goes by keyboard sees where they are: no header stands on what has the focus."""

import pytest
from playwright.sync_api import Page, expect

from tests.flows.conftest import PHONE
from tests.flows.wizards import at_location, expect_step, press

ROUTES = [
    "/onboarding",
    "/schedule",
    "/one-time-fill",
    "/dashboard",
    "/account",
    "/billing",
    "/notifications",
    "/security",
    "/support",
]
# How far below the header it is; null for what is in the header or above the page, or nowhere.
BELOW_HEADER = """(() => {
  const focused = document.activeElement, header = document.querySelector("header");
  const above = header.contains(focused) || getComputedStyle(focused).position === "fixed";
  if (above || focused === document.body) return null;
  const box = (focused.closest("fieldset label") ?? focused).getBoundingClientRect();
  return box.top - header.getBoundingClientRect().bottom;
})()"""


@pytest.mark.parametrize("address", ROUTES)
def test_going_back_through_a_page_the_focus_is_never_under_the_header(visit, address):
    page = visit(address, {"width": PHONE["width"], "height": 400})
    expect(page.get_by_role("main").get_by_text("Loading...")).to_have_count(0)
    places = [_after(page, "Shift+Tab") for _ in range(25)]
    seen = [place for place in places if place is not None]
    assert seen
    assert min(seen) >= 0


def test_the_field_that_is_wrong_is_in_view(visit):
    page = at_location(visit("/schedule", PHONE))
    page.get_by_role("button", name="Next").scroll_into_view_if_needed()
    press(page, "Next")
    expect(page.get_by_label("Street")).to_be_focused()
    assert page.evaluate(BELOW_HEADER) >= 0
    expect(page.get_by_text("Street is required")).to_be_in_viewport()


def test_a_new_step_begins_at_its_top(visit):
    page = at_location(visit("/schedule", {"width": PHONE["width"], "height": 400}))
    expect_step(page, "Where is it parked?", "2 of 3")
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    assert page.evaluate(BELOW_HEADER) >= 0


def _after(page: Page, key: str) -> float | None:
    page.keyboard.press(key)
    return page.evaluate(BELOW_HEADER)
