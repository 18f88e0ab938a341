"""A one-time fill: contact, vehicle and window, with ways that lead into signing up."""

import pytest
from playwright.sync_api import expect

from tests.flows.conftest import PHONE
from tests.flows.wizards import checked, expect_dashboard, expect_step, fill, press, steps

TITLE = "Book a One-Time Fill"


def lead_to(page, step: str) -> None:
    steps(page).get_by_role("link", name=step).click()


def test_contact_leads_to_the_vehicle_and_that_to_the_plans(visit):
    page = visit("/one-time-fill", PHONE)
    expect_step(page, TITLE, "1 of 3")
    expect(page.get_by_role("main")).to_contain_text("$15 convenience fee")
    expect(page.get_by_label("Email")).not_to_have_value("")
    press(page, "Next")
    expect_step(page, TITLE, "2 of 3")
    page.wait_for_url("**/one-time-fill/vehicle")
    expect(page.get_by_label("Model")).to_have_value("Camry")
    press(page, "Next")
    page.wait_for_url("**/onboarding/plan")
    expect_step(page, "Choose Your Plan", "2 of 2")


def test_back_leads_from_the_vehicle_to_signing_up_with_the_same_contact(visit):
    page = visit("/one-time-fill")
    fill(page, {"First Name": "Ada"})
    press(page, "Next")
    expect_step(page, TITLE, "2 of 3")
    page.get_by_role("link", name="Back").click()
    page.wait_for_url("**/onboarding")
    expect_step(page, "Contact Information", "1 of 2")
    expect(page.get_by_label("First Name")).to_have_value("Ada")


@pytest.mark.parametrize("viewport", [PHONE, None], ids=["phone", "desktop"])
def test_the_step_indicator_leads_to_every_step_and_a_reload_stays(visit, viewport):
    page = visit("/one-time-fill", **({"viewport": viewport} if viewport else {}))
    lead_to(page, "Schedule")
    expect_step(page, TITLE, "3 of 3")
    expect(page.get_by_role("radio")).to_have_count(6)
    expect(page.get_by_role("radio").first).to_be_checked()
    assert checked(page) == []
    page.reload()
    expect_step(page, TITLE, "3 of 3")
    lead_to(page, "Vehicle")
    expect_step(page, TITLE, "2 of 3")
    press(page, "Next")
    expect_step(page, "Choose Your Plan", "2 of 2")


def test_the_window_is_the_end(visit):
    page = visit("/one-time-fill")
    lead_to(page, "Schedule")
    expect_step(page, TITLE, "3 of 3")
    press(page, "Schedule Service")
    expect_dashboard(page)


@pytest.mark.parametrize("address", ["/one-time-fill/vehicle", "/one-time-fill/schedule"])
def test_a_step_by_its_address_starts_at_the_contact(visit, address):
    page = visit(address)
    page.wait_for_url("**/one-time-fill")
    expect_step(page, TITLE, "1 of 3")


def test_the_vehicle_says_what_is_wrong_in_its_own_words(visit):
    page = visit("/one-time-fill")
    press(page, "Next")
    expect_step(page, TITLE, "2 of 3")
    page.get_by_label("Make").select_option("")
    expect(page.get_by_role("option", name="Camry")).to_have_count(0)
    fill(page, {"Year": "202", "Color": "", "License Plate": ""})
    press(page, "Next")
    for label, message in {
        "Make": "Vehicle make is required",
        "Model": "Vehicle model is required",
        "Year": "Valid year required",
        "Color": "Vehicle color is required",
        "License Plate": "License plate is required",
    }.items():
        expect(page.get_by_label(label)).to_have_accessible_description(message)
    expect(page.get_by_label("Make")).to_be_focused()


def test_the_contact_says_what_is_wrong_and_asks_for_no_password(visit):
    page = visit("/one-time-fill")
    expect(page.get_by_label("Password")).to_have_count(0)
    fill(page, {"Phone Number": "555"})
    press(page, "Next")
    message = "Phone number must be at least 10 digits"
    expect(page.get_by_label("Phone Number")).to_have_accessible_description(message)
    expect(page.get_by_label("Phone Number")).to_be_focused()
