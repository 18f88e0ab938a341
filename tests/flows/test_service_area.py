"""The check of a ZIP on the families' pages."""

import pytest
from playwright.sync_api import Page, expect

from tests.flows.checks import assert_accessible, every_size
from tests.flows.visitor import modal


def ask(page: Page, zip_code: str) -> None:
    page.get_by_label("ZIP code").fill(zip_code)
    page.keyboard.press("Enter")


def answer(page: Page, text: str):
    return page.get_by_role("status").filter(has_text=text)


@every_size
@pytest.mark.parametrize("address", ["/", "/home"])
def test_zip_inside_and_outside_the_area(visit, address, viewport):
    page = visit(address, viewport)
    ask(page, "34205")
    inside = answer(page, "Yes: 34205 (Bradenton) is inside our service area.")
    expect(inside).to_contain_text("Join the waitlist, and we write to you as soon as we start.")
    assert_accessible(page)
    ask(page, "99501")
    outside = answer(page, "Not yet: 99501 is outside our service area, which is Sarasota and")
    expect(outside).to_contain_text("Join the waitlist all the same")
    expect(inside).to_have_count(0)
    outside.get_by_role("button", name="Join Waitlist").click()
    expect(modal(page).get_by_role("heading", name="Join the Waitlist")).to_be_visible()
