"""A card whose bank asks for a confirmation, and one that is declined, on a phone."""

import re

from playwright.sync_api import Page, expect

from tests.flows.checks import assert_accessible
from tests.flows.company import arrive, customer_and_office
from tests.flows.conftest import PHONE
from tests.flows.test_money import add_card, book_first_fill, happens, until
from tests.site import Site

ASKS = "Needs your confirmation for each payment"
FAILS = "Can be added, is declined when it is charged"


def test_plan_and_hold_are_confirmed_where_the_bank_asks(open_browser, closed_site):
    page, _office = customer_and_office(open_browser, closed_site, PHONE)
    be_refused_beside_the_button(page)
    start_by_confirming(page)
    read_the_receipt(page)
    confirm_a_hold(page, closed_site)
    replace_a_declined_card(page, closed_site)


def be_refused_beside_the_button(page: Page) -> None:
    """Press with a card that is declined: the words are in view, with the way to another card."""
    add_card(page, "Add a card", FAILS)
    arrive(page, "/billing")
    start = page.get_by_role("button", name=re.compile("Start Family"))
    start.click()
    refused = page.get_by_role("alert").filter(has_text="Your card was declined. Nothing was")
    expect(refused).to_be_in_viewport()
    page.evaluate("scrollTo(0, 0)")
    expect(refused).not_to_be_in_viewport()
    start.dispatch_event("click")  # the same refusal once more, with the button out of view
    expect(refused).to_be_in_viewport()
    assert_accessible(page)
    add_card(page, "Update card", ASKS)


def start_by_confirming(page: Page) -> None:
    start = page.get_by_role("button", name=re.compile("Start Family"))
    start.click()
    expect(page.get_by_role("heading", name="Confirm your payment")).to_be_visible()
    expect(page.get_by_text("$44.00").first).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Decline").click()
    expect(page.get_by_role("alert")).to_have_text("Your card was declined.")
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_text("The payment was not confirmed").first).to_be_visible()
    start.click()
    page.get_by_role("button", name="Confirm $44.00").click()
    expect(page.get_by_text("Payment confirmed", exact=True)).to_be_visible()
    expect(page.locator("#current-plan").get_by_text("Active")).to_be_visible()


def read_the_receipt(page: Page) -> None:
    history = page.get_by_role("table", name="Billing History")
    row = history.get_by_role("row").filter(has_text="$44.00").filter(has_text="Paid")
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", name=re.compile("Receipt GF-"))).to_be_visible()
    expect(page.get_by_text(re.compile("Paid by card, "))).to_be_visible()


def confirm_a_hold(page: Page, site: Site) -> None:
    book_first_fill(page)
    first = "UPDATE jobs SET run_at = datetime('now', '-1 minute') WHERE ended_at IS NULL"
    site.write(f"{first} AND key LIKE 'authorize:%:first'")
    wanted = page.get_by_role("alert").filter(has_text="Your bank wants you to confirm")
    expect(wanted).to_be_visible(timeout=30_000)  # it comes to the open page
    assert_accessible(page)
    page.get_by_role("button", name="Confirm payment").click()
    page.get_by_role("button", name=re.compile("Confirm \\$")).click()
    expect(page.get_by_text(re.compile(r"\$\d+ authorized"))).to_be_visible()
    expect(wanted).to_be_hidden()
    holds = "SELECT kind, state FROM payments WHERE booking_id IS NOT NULL ORDER BY id"
    until(site, holds, ("hold", "failed"), ("hold", "authorized"))


def replace_a_declined_card(page: Page, site: Site) -> None:
    """See the declined hold on the dashboard until another card works."""
    site.write(
        "UPDATE payments SET state = 'failed', code = 'card_declined' WHERE state = 'authorized'"
    )
    arrive(page, "/dashboard")
    declined = page.get_by_role("alert").filter(has_text="Choose another card by")
    expect(declined.first).to_be_visible()
    expect(page.get_by_text("Booked, card declined")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Update card", exact=True).first.click()
    page.get_by_label("Works").check()
    page.get_by_role("button", name="Add card").click()
    expect(page.get_by_text("Card added", exact=True).last).to_be_visible()
    happens(site, "bookings.authorize")
    expect(declined).to_have_count(0)
