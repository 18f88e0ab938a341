"""The staff's login, as a person meets it."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.flows.checks import assert_accessible, assert_large, every_size
from tests.flows.visitor import click_outside, modal
from tests.site import STAFF_PASSWORD


def footer_link(page: Page) -> Locator:
    return page.get_by_role("contentinfo").get_by_role("button", name="Staff Login")


def navigation(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Staff", exact=True)


@pytest.mark.parametrize("way", ["Escape", "Close", "Cancel", "outside"])
def test_the_login_closes_and_gives_the_focus_back(visit, way):
    page = visit("/")
    footer_link(page).click()
    expect(modal(page).get_by_label("Password")).to_be_focused()
    if way == "Escape":
        page.keyboard.press("Escape")
    elif way == "outside":
        click_outside(page)
    else:
        modal(page).get_by_role("button", name=way, exact=True).click()
    expect(modal(page)).to_be_hidden()
    if way != "outside":
        expect(footer_link(page)).to_be_focused()


@every_size
def test_a_wrong_password_is_said_at_its_field_and_can_be_corrected_at_once(visit, viewport):
    page = visit("/submissions", viewport)
    field = modal(page).get_by_label("Password")
    field.fill("wrong")
    page.keyboard.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description("Invalid password")
    expect(field).to_be_focused()
    assert_accessible(page)
    assert_large(modal(page).get_by_role("button").or_(field))


def test_the_footer_leads_to_the_dashboard_by_keyboard_alone(visit):
    page = visit("/")
    footer_link(page).focus()
    page.keyboard.press("Enter")
    expect(modal(page).get_by_label("Password")).to_be_focused()
    page.keyboard.type(STAFF_PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/dashboard")
    expect(navigation(page)).to_be_visible()
    (cookie,) = [c for c in page.context.cookies() if c["name"] == "fuel-session"]  # type: ignore[typeddict-item]
    assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Lax")
    assert cookie.get("expires") == -1  # gone with the browser
    page.reload()
    expect(navigation(page)).to_be_visible()
