"""The settings of areas and business figures, as an admin works them."""

import re

from playwright.sync_api import Page, expect

from tests import seed_day
from tests.flows.checks import assert_accessible, assert_accessible_at_every_size
from tests.flows.company import arrive
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.visitor import escape, modal
from tests.site import seeded


def undo(page: Page) -> None:
    page.get_by_role("button", name="Undo", exact=True).click()


def send(page: Page, name: str, zips: str) -> None:
    modal(page).get_by_label("Area name").fill(name)
    modal(page).get_by_label("ZIP codes").fill(zips)
    modal(page).get_by_role("button", name="Save area").click()


def area(page: Page, name: str):
    return page.get_by_role("listitem").filter(has=page.get_by_role("heading", name=name))


def test_an_area_is_made_checked_changed_and_deleted(visit_as_staff):
    page = visit_as_staff("/settings")
    expect(page).to_have_url(re.compile("/settings/areas$"))
    expect(page.get_by_role("heading", name="No area yet")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="New area").click()
    send(page, "", "3423")
    name = modal(page).get_by_label("Area name")
    expect(name).to_have_accessible_description("Area name is required")
    expect(name).to_be_focused()
    expect(modal(page).get_by_text("'3423' is not a ZIP code")).to_be_visible()
    assert_accessible(page)
    send(page, "Sarasota", "34236 34237")
    expect(area(page, "Sarasota")).to_contain_text("2 ZIP codes")

    page.get_by_role("button", name="New area").click()
    send(page, "Venice", "34285, 34237")
    taken = "34237 belongs to Sarasota"
    for _ in ("as it is said", "after the blur of the button"):
        expect(modal(page).get_by_label("ZIP codes")).to_have_accessible_description(
            f"{taken} Separated by spaces or commas. A ZIP code belongs to one area."
        )
        assert_accessible(page)
    escape(page)

    area(page, "Sarasota").get_by_role("button", name="Open").click()
    expect(modal(page).get_by_role("listitem").filter(has_text="Missing: ")).to_have_count(3)
    expect(modal(page).get_by_text("Only an admin with an account can open")).to_be_visible()
    expect(modal(page).get_by_role("button", name="Open area")).to_have_count(0)
    expect(modal(page).get_by_role("link", name="Go to People")).to_be_visible()
    assert_accessible(page)
    modal(page).get_by_role("button", name="Cancel").click()

    area(page, "Sarasota").get_by_role("button", name="Edit").click()
    send(page, "Sarasota Bay", "34236")
    expect(area(page, "Sarasota Bay")).to_contain_text("1 ZIP code")
    undo(page)
    expect(area(page, "Sarasota")).to_contain_text("2 ZIP codes")

    area(page, "Sarasota").get_by_role("button", name="Delete").click()
    modal(page).get_by_role("button", name="Delete area").click()
    expect(page.get_by_role("heading", name="No area yet")).to_be_visible()


def test_the_navigation_leads_through_the_settings(visit_as_staff):
    page = visit_as_staff("/submissions", DESKTOP)
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()
    page.set_viewport_size({**PHONE})
    settings = page.get_by_role("navigation", name="Settings")
    settings.get_by_role("link", name="Business").click()
    expect(settings.get_by_role("link", name="Business")).to_have_attribute("aria-current", "page")


def test_a_week_is_typed_in_one_table_and_saved_once(visit_as_staff):
    page = visit_as_staff("/settings/areas")
    page.get_by_role("button", name="New area").click()
    send(page, "Sarasota", "34236")
    area(page, "Sarasota").get_by_role("button", name="Hours").click()
    first = page.get_by_label("Monday, 8–10 AM: fills at most")  # noqa: RUF001
    expect(first).to_have_value("6")
    first.fill("4")
    first.press("ArrowDown")
    below = page.get_by_label("Tuesday, 8–10 AM: fills at most")  # noqa: RUF001
    expect(below).to_be_focused()
    below.press("ArrowRight")
    beside = page.get_by_label("Tuesday, 10 AM–12 PM: fills at most")  # noqa: RUF001
    expect(beside).to_be_focused()
    beside.press("ArrowLeft")
    expect(below).to_be_focused()
    page.get_by_role("button", name="Add a window").click()
    page.get_by_label("New window: from").select_option("12 PM")
    page.get_by_label("New window: to").select_option("2 PM")
    saturday = page.get_by_label("Saturday, 12–2 PM: fills at most")  # noqa: RUF001
    saturday.fill("none")
    saturday.press("Enter")
    expect(page.get_by_text("Nothing was saved. 1 field to correct.")).to_be_visible()
    expect(saturday).to_be_focused()
    expect(saturday).to_have_accessible_description("Enter a number from 1 to 200")
    assert_accessible_at_every_size(page)
    saturday.fill("2")
    page.get_by_role("button", name="Save week").click()
    expect(page.get_by_text("Hours of Sarasota changed", exact=True)).to_be_visible()
    expect(page.get_by_label("Monday, 12–2 PM: fills at most")).to_have_value("")  # noqa: RUF001
    expect(first).to_have_value("4")
    page.get_by_role("button", name="Delete 2–4 PM").click()  # noqa: RUF001
    page.get_by_role("button", name="Discard changes").click()
    expect(page.get_by_role("button", name="Delete 2–4 PM")).to_be_visible()  # noqa: RUF001
    page.get_by_role("button", name="Close or change a day").click()
    expect(modal(page).get_by_label("Fills at most in each window")).to_be_visible()
    modal(page).get_by_label("Window (optional)").select_option("8–10 AM")  # noqa: RUF001
    expect(modal(page).get_by_label("Fills at most in this window")).to_be_visible()
    escape(page)
    area(page, "Sarasota").get_by_role("button", name="Delete").click()
    modal(page).get_by_role("button", name="Delete area").click()
    expect(page.get_by_role("heading", name="No area yet")).to_be_visible()


def test_a_closure_offers_other_times_to_so_many_customers(open_browser, closed_site):
    known = seeded(closed_site.database_url, seed_day.seed(2, ahead=True))
    page = open_browser(token=known["admin"])
    arrive(page, "/settings/areas")
    area(page, "Sarasota").get_by_role("button", name="Hours").click()
    expect(page.get_by_text("2 of 6")).to_be_visible()
    page.get_by_role("button", name="Delete 8–10 AM").click()  # noqa: RUF001
    page.get_by_role("button", name="Save week").click()
    dialog = modal(page)
    expect(dialog.get_by_role("heading", name="2 booked in what closes")).to_be_visible()
    expect(dialog.get_by_label("Keep them")).to_be_checked()
    expect(dialog.get_by_label("Reason")).to_have_count(0)
    assert_accessible_at_every_size(page)
    dialog.get_by_label("Cancel them").check()
    expect(dialog.get_by_role("button", name="Cancel 2 bookings, tell 2 customers")).to_be_visible()
    dialog.get_by_label("Offer other times").check()
    offer = dialog.get_by_role("button", name="Offer other times, tell 2 customers")
    offer.click()
    expect(dialog.get_by_label("Reason")).to_have_accessible_description(
        "Reason is required The customers are told."
    )
    dialog.get_by_label("Reason").fill("Our truck is at the shop")
    offer.click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="Delete 8–10 AM")).to_have_count(0)  # noqa: RUF001

    customer = open_browser(PHONE, known["customers"][0])
    arrive(customer, f"/bookings/{known['bookings'][0]}")
    expect(customer.get_by_text("On hold", exact=True).first).to_be_visible()
    expect(customer.get_by_text("Our truck is at the shop").first).to_be_visible()
    expect(customer.get_by_role("button", name="Reschedule")).to_be_visible()
