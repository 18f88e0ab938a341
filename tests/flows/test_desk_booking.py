"""A caller without an account: staff book as for a guest, who adds the card by the mailed link."""

import re

from playwright.sync_api import Page, expect

from tests.flows.checks import assert_accessible
from tests.flows.company import arrive, message
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.test_booking import GUEST, PLACE, VEHICLE


def fill(page: Page, values: dict[str, str], chosen: set[str]) -> None:
    for label, text in values.items():
        control = page.get_by_label(label, exact=True)
        if label in chosen:
            control.select_option(text)
        else:
            control.fill(text)


def test_a_caller_is_booked_for_and_adds_the_card_by_the_link(office, browse, dispatcher):
    site, known = office
    page = dispatcher("/customer-dashboard")
    page.get_by_role("button", name="New customer").click()
    expect(page.get_by_text("For a caller without an account.")).to_be_visible()
    fill(page, GUEST | PLACE, {"Where the car is parked"})
    expect(page.get_by_label("I accept the terms")).to_have_count(0)
    assert_accessible(page)
    page.get_by_role("button", name="Next").click()
    page.get_by_label("The pin: move it with the arrow keys").press("ArrowRight")
    expect(page.get_by_text("The pin is set.")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page).to_have_url(re.compile("/one-time-fill/vehicle$"))
    fill(page, VEHICLE, {"Make", "Model", "Fuel grade", "Fuel door"})
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Continue to payment").click()
    page.get_by_label("Reason").fill("called, no account")
    assert_accessible(page)
    page.get_by_role("button", name=re.compile("Book · about")).click()
    expect(page).to_have_url(re.compile("/customer-dashboard.guest="))
    expect(page.get_by_role("heading", name="Gus Guest", level=2)).to_be_visible()
    assert_accessible(page)
    admin = browse(site, DESKTOP, known["admin"])
    link = re.search(r"/manage/\S+", message(admin, "Booking confirmed"))
    assert link
    guest = browse(site, PHONE)
    arrive(guest, link[0])
    expect(guest.get_by_text(re.compile("Please add a card by"))).to_be_visible()
    assert_accessible(guest)
    guest.get_by_role("button", name="Add a card").click()
    guest.get_by_role("button", name="Add card").click()
    expect(guest).to_have_url(re.compile("/manage/"))
    expect(guest.get_by_text(re.compile("Please add a card by"))).to_have_count(0)
