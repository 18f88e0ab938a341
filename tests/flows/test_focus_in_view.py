"""The sticky header never covers the focused element."""

import pytest
from playwright.sync_api import expect

from tests.flows.conftest import PHONE

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
# Pixels from the header to the focused element; null inside the header or without focus.
BELOW_HEADER = """(() => {
  const focused = document.activeElement, header = document.querySelector("header");
  const above = header.contains(focused) || getComputedStyle(focused).position === "fixed";
  if (above || focused === document.body) return null;
  const box = (focused.closest("fieldset label") ?? focused).getBoundingClientRect();
  return box.top - header.getBoundingClientRect().bottom;
})()"""


@pytest.mark.parametrize("address", ROUTES)
def test_focus_is_never_under_the_header(visit, address):
    page = visit(address, {"width": PHONE["width"], "height": 400})
    expect(page.get_by_role("main").get_by_text("Loading...")).to_have_count(0)
    places = []
    for _ in range(25):
        page.keyboard.press("Shift+Tab")
        places.append(page.evaluate(BELOW_HEADER))
    seen = [place for place in places if place is not None]
    assert seen
    assert min(seen) >= 0
