"""Every wizard step: accessible, 360 px wide, large controls, unlisted."""

from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.flows.checks import assert_accessible_at_every_size, assert_large
from tests.flows.conftest import PHONE
from tests.flows.wizards import add_photo, at_location, at_plan, at_time, press, steps


def _with_messages(page: Page) -> Page:
    add_photo(page)
    press(page, "Next")
    expect(page.get_by_text("Make is required")).to_be_visible()
    return page


def _at_step(name: str, page: Page) -> Page:
    steps(page).get_by_role("link", name=name).click()
    expect(page.get_by_role("banner").get_by_text("Step 1")).to_have_count(0)
    expect(page.get_by_role("link", name="Back")).to_be_visible()
    return page


STEPS = {
    "contact": ("/onboarding", lambda page: page),
    "plan": ("/onboarding", at_plan),
    "vehicle": ("/schedule", _with_messages),
    "location": ("/schedule", at_location),
    "time": ("/schedule", at_time),
    "one-time contact": ("/one-time-fill", lambda page: page),
    "one-time vehicle": ("/one-time-fill", partial(_at_step, "Vehicle")),
    "one-time schedule": ("/one-time-fill", partial(_at_step, "Schedule")),
}


@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_accessible_and_fits(visit, step):
    address, reach = STEPS[step]
    page = reach(visit(address, PHONE))
    expect(page.get_by_role("main").get_by_text("Loading...")).to_have_count(0)
    assert page.get_by_role("heading", level=1).count() == 1
    assert_large(page.locator("main form :is(button, a, select, textarea, label:has(input))"))
    assert_accessible_at_every_size(page)
