"""The staff's live figures on the dashboard."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.flows.checks import assert_accessible, assert_fits, every_size
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.day_route import GRANTED, show_admin_view, the_map
from tests.flows.staff import sign_in
from tests.flows.visitor import found_neighborhood, join_waitlist

A_NUMBER = re.compile(r"^[\d,]+$")


def figures(page: Page) -> Locator:
    return page.get_by_role("region", name="Leads and neighborhoods")


def figure(page: Page, name: str) -> Locator:
    term = figures(page).get_by_role("term").filter(has_text=name)
    return term.locator("xpath=following-sibling::dd/span[1]")


@pytest.fixture
def staff(visit):
    """Return a function that signs in a staff member."""

    def come(viewport: dict[str, int] = DESKTOP) -> Page:
        page = visit("/", viewport, **GRANTED)
        page.get_by_role("button", name="Staff Login").click()
        sign_in(page)
        return page

    return come


@every_size
def test_staff_land_on_the_admin_view_with_live_figures(staff, viewport):
    page = staff(viewport)
    expect(page.get_by_role("heading", name="Admin Dashboard")).to_be_visible()
    for name in ("Leads", "New this week", "Neighborhoods", "Members"):
        expect(figure(page, name).first).to_have_text(A_NUMBER)
    for name in ("Submissions", "Neighborhoods"):
        link = figures(page).get_by_role("link", name=name, exact=True)
        expect(link).to_have_attribute("href", f"/{name.lower()}")
    expect(the_map(page)).to_be_visible()
    above, below = figures(page).bounding_box(), page.get_by_text("Today's Overview").bounding_box()
    assert above
    assert below
    assert above["y"] + above["height"] <= below["y"]
    assert_accessible(page)


def test_figures_update_live(staff, visit, zip_code):
    page = staff()
    leads = figure(page, "Leads").first
    neighborhoods, members = figure(page, "Neighborhoods"), figure(page, "Members")
    expect(leads).not_to_have_text("")
    before = [int(each.inner_text().replace(",", "")) for each in (leads, neighborhoods, members)]
    visitor = visit("/")
    join_waitlist(visitor, zip_code)
    expect(leads).to_have_text(f"{before[0] + 1:,}")
    found_neighborhood(visitor, "Palm Court")
    join_waitlist(visit("/"), zip_code)
    for each, number, more in zip((leads, neighborhoods, members), before, (2, 1, 1), strict=True):
        expect(each).to_have_text(f"{number + more:,}")


def test_long_name_fits_its_card_on_a_phone(staff, store, zip_code):
    name, known = "M" * 60, store("Short", 9, zip_code=zip_code)
    page = staff(PHONE)
    page.goto(f"/neighborhoods/{known}")
    page.get_by_role("button", name="Rename").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Neighborhood name").fill(name)
    dialog.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.goto("/dashboard")
    expect(figures(page).get_by_role("link", name=name).first).to_be_visible()
    assert_fits(page)


def test_visitor_sees_sample_figures_only(visit):
    page = visit("/dashboard")
    show_admin_view(page)
    expect(page.get_by_role("heading", name="Today's Overview")).to_be_visible()
    expect(figures(page)).to_have_count(0)
    expect(page.get_by_role("dialog")).to_have_count(0)
