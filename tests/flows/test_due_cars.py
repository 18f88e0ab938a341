"""A customer sees on a phone when each car is due, and has one booked when it is."""

import re

from playwright.sync_api import Page, expect

from tests import seed
from tests.flows.checks import assert_accessible, assert_accessible_at_every_size
from tests.flows.company import arrive
from tests.flows.conftest import PHONE
from tests.site import seeded


def test_customer_tells_of_a_fill_elsewhere_and_confirms_a_held_seat(open_browser, closed_site):
    page = open_browser(PHONE, seeded(closed_site.database_url, seed.cars()))
    arrive(page, "/dashboard")
    cars = page.get_by_role("heading", name="Next fill-up by car").locator("..")
    items = cars.get_by_role("listitem")
    expect(items).to_have_count(2)
    filled, new = items.all()
    day = re.compile(r"Due around \w{3}, \w{3} \d+")
    before = filled.get_by_text(day).inner_text()
    expect(filled.get_by_text(re.compile(r"Between \w{3} \d+ and \w{3} \d+"))).to_be_visible()
    expect(new.get_by_text("We learn from 3 fills when it is due: 0 so far")).to_be_visible()
    expect(new.get_by_role("button")).to_have_count(0)
    assert_accessible_at_every_size(page)
    filled.get_by_role("button", name="Filled elsewhere").focus()
    page.keyboard.press("Enter")
    undo = filled.get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    expect(filled.get_by_text(day)).not_to_have_text(before)
    page.reload()
    undo.click()
    expect(filled.get_by_role("button", name="Filled elsewhere")).to_be_focused()
    expect(filled.get_by_text(day)).to_have_text(before)
    confirm_held_seat(page)


def confirm_held_seat(page: Page) -> None:
    """Turn it on by keyboard, wait for the seat, and book it."""
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    switch = page.get_by_role("switch", name=re.compile("Book when it is due.*GUL 1"))
    expect(switch).not_to_be_checked()
    switch.focus()
    page.keyboard.press("Space")
    expect(switch).to_be_checked()
    seat = page.get_by_role("heading", name="A seat is held for your 2020 Toyota Camry")
    expect(seat).to_be_visible()
    expect(page.get_by_text(re.compile("Confirm or skip until"))).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Confirm 2020 Toyota Camry").click()
    expect(page).to_have_url(re.compile("/bookings/"))
    expect(page.get_by_text("2020 Toyota Camry").first).to_be_visible()
    arrive(page, "/dashboard")
    expect(page.get_by_text(re.compile(r"Booked for \w{3}, \w{3} \d+"))).to_be_visible()
    expect(seat).to_have_count(0)
