"""A full window that two wait for, and a new family's two cars booked with few presses."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from fuel_app import routes
from tests import seed_day
from tests.flows.checks import assert_accessible, assert_fits
from tests.flows.company import Browse, arrive, company_site
from tests.flows.conftest import PHONE
from tests.flows.visitor import modal
from tests.site import Site, seeded
from tests.waiting import came_true

OFFERED = "SELECT DISTINCT person_id FROM messages WHERE kind = 'place_open'"
WAIT = re.compile("^Tell me if a place opens")
_COUNTED = """addEventListener('pointerdown', () => {
    sessionStorage.setItem('presses', 1 + Number(sessionStorage.getItem('presses')));
}, true);"""


@pytest.fixture(scope="module")
def families(midday: None, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A site with four families, none of whom has anything booked; each window has one place."""
    with company_site(tmp_path_factory.mktemp("families")) as site:
        known = seeded(site.database_url, seed_day.seed(4, family=True))
        site.write("UPDATE bookings SET state = 'cancelled'")
        site.write("UPDATE area_windows SET capacity = 1")
        yield site, known["customers"]


def test_a_place_of_a_full_window_is_offered_to_one_of_two_who_wait(
    families: tuple[Site, list[str]], browse: Browse
):
    site, (*_, booker, first, second) = families
    gone, one, other = (browse(site, PHONE, each) for each in (booker, first, second))
    to_the_times(gone)
    slot = gone.locator("input[name=slot]:checked").get_attribute("value") or ""
    gone.get_by_role("button", name="Schedule Service").click()
    expect(gone).to_have_url(re.compile("/bookings/"))
    for page in (one, other):
        to_the_times(page)
        window(page, slot).get_by_role("button", name=WAIT).click()
        expect(page.get_by_text("You are on the waiting list")).to_be_visible()
        assert_accessible(page)
        assert_fits(page)
    gone.get_by_role("button", name="Cancel").click()
    modal(gone).get_by_role("button", name="Cancel booking").click()
    assert came_true(lambda: len(site.rows(OFFERED)) == 1, within=30)
    for page in (one, other):
        arrive(page, routes.schedule_window(slot))
    expect(one.get_by_text("We keep this time for you until")).to_be_visible()
    expect(other.get_by_text("This place is not held for you any more.")).to_be_visible()
    expect(window(other, slot).get_by_role("radio")).to_be_disabled()
    assert_accessible(one)
    one.get_by_role("button", name="Schedule Service").click()
    expect(one).to_have_url(re.compile("/bookings/"))
    mine = "SELECT person_id FROM bookings WHERE slot_id = ? AND state = 'booked'"
    assert site.rows(mine, slot) == site.rows(OFFERED)
    assert site.rows("SELECT COUNT(*) FROM slot_waits") == [(1,)]  # the other one goes on


def to_the_times(page: Page) -> None:
    arrive(page, "/schedule")
    tick(page.get_by_role("group", name="Vehicles").get_by_role("checkbox").first)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Step 2 of 3")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Step 3 of 3")).to_be_visible()
    expect(page.get_by_role("button", name="Schedule Service")).to_be_enabled()


def tick(car: Locator) -> None:
    expect(car).to_be_enabled()
    if not car.is_checked():
        car.click()
    expect(car).to_be_checked()


def window(page: Page, slot: str) -> Locator:
    """Return a window with what stands below it."""
    return page.locator(f"div:has(> label input[name=slot][value='{slot}'])")


def test_a_new_family_books_both_cars_with_eight_presses_at_most(
    families: tuple[Site, list[str]], browse: Browse
):
    site, (new, *_) = families
    page = browse(site, PHONE, new)
    page.add_init_script(_COUNTED)
    arrive(page, "/dashboard")
    page.get_by_role("link", name="Book a Fill-Up").first.click()
    cars = page.get_by_role("group", name="Vehicles").get_by_role("checkbox")
    expect(cars).to_have_count(2)
    for car in cars.all():
        tick(car)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Step 2 of 3")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("2 of your 8 fills")).to_be_visible()
    page.get_by_role("button", name="Schedule Service").click()
    expect(page).to_have_url(re.compile("/bookings/"))
    assert int(page.evaluate("sessionStorage.getItem('presses')")) in range(4, 9)
