"""A one-time fill: contact, vehicle and window, with ways that lead into signing up."""

from playwright.sync_api import expect

from tests.flows.checks import every_size
from tests.flows.conftest import PHONE
from tests.flows.wizards import checked, expect_dashboard, expect_step, press, steps

TITLE = "Book a One-Time Fill"


def lead_to(page, step: str) -> None:
    steps(page).get_by_role("link", name=step).click()


def test_contact_leads_to_the_vehicle_and_that_to_the_plans(visit):
    page = visit("/one-time-fill", PHONE)
    expect_step(page, TITLE, "1 of 3")
    expect(page.get_by_role("main")).to_contain_text("$15 convenience fee")
    expect(page.get_by_label("Email")).not_to_have_value("")
    expect(page.get_by_label("Password")).to_have_count(0)
    press(page, "Next")
    expect_step(page, TITLE, "2 of 3")
    page.wait_for_url("**/one-time-fill/vehicle")
    expect(page.get_by_label("Model")).to_have_value("Camry")
    press(page, "Next")
    page.wait_for_url("**/onboarding/plan")
    expect_step(page, "Choose Your Plan", "2 of 2")
    page.go_back()
    expect_step(page, TITLE, "2 of 3")
    page.get_by_role("link", name="Back").click()
    page.wait_for_url("**/onboarding")


@every_size
def test_the_step_indicator_leads_to_every_step_and_a_reload_stays(visit, viewport):
    page = visit("/one-time-fill", viewport)
    lead_to(page, "Schedule")
    expect_step(page, TITLE, "3 of 3")
    expect(page.get_by_role("radio")).to_have_count(6)
    expect(page.get_by_role("radio").first).to_be_checked()
    assert checked(page) == []
    page.reload()
    expect_step(page, TITLE, "3 of 3")
    lead_to(page, "Vehicle")
    expect_step(page, TITLE, "2 of 3")
    lead_to(page, "Schedule")
    press(page, "Schedule Service")
    expect_dashboard(page)
