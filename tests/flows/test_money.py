"""A customer's money in the open company, on a phone: every amount is on a receipt."""

import re
from io import BytesIO
from pathlib import Path

from playwright.sync_api import Page, expect
from pypdf import PdfReader

from tests.flows.checks import assert_accessible, assert_large
from tests.flows.company import arrive, customer_and_office
from tests.flows.conftest import PHONE
from tests.flows.test_booking import PLACE, VEHICLE
from tests.flows.visitor import modal
from tests.site import Site
from tests.waiting import came_true

SOON_S = 20
NO_FUNDS = "Can be added, has insufficient funds"
FUEL, FEE = "$41.51", "$15.00"  # 12 gallons at $3.459


def test_every_amount_that_a_customer_pays_is_on_a_receipt(open_browser, closed_site):
    page, office = customer_and_office(open_browser, closed_site, PHONE)
    start_the_plan(page)
    book_beyond_the_allowance(page, closed_site)
    be_declined_and_mend_the_card(page, closed_site)
    record_the_fill(office, closed_site)
    change_plans(page)
    read_receipts(page)


def add_card(page: Page, button: str, card: str) -> None:
    """Add a card on the provider's page, and come back."""
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_role("heading", name="Add a card", exact=True)).to_be_visible()
    page.get_by_label(card).check()
    page.get_by_role("button", name="Add card").click()
    expect(page.get_by_text("Card added", exact=True).last).to_be_visible()


def start_the_plan(page: Page) -> None:
    page.get_by_role("button", name="Add a card").click()
    expect(page.get_by_role("heading", name="Add a card", exact=True)).to_be_visible()
    assert_accessible(page)
    page.get_by_label("Is declined at once").check()
    page.get_by_role("button", name="Add card").click()
    expect(page.get_by_role("alert")).to_have_text("Your card was declined.")
    assert_accessible(page)
    page.get_by_role("link", name="Back").click()
    add_card(page, "Add a card", "Works")
    expect(page.get_by_text("Test payments: no money moves")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Start Family · $44.00 today").click()
    expect(page.get_by_text("Your plan has started", exact=True)).to_be_visible()


def book_beyond_the_allowance(page: Page, site: Site) -> None:
    """Book with a card without funds, after all fills of the month were used elsewhere."""
    arrive(page, "/billing")
    add_card(page, "Update", NO_FUNDS)
    site.write("UPDATE ledger_entries SET fills = 0")
    book_first_fill(page, price=FEE)


def book_first_fill(page: Page, price: str = "Included in your plan") -> None:
    """Book with a new vehicle at a new place; the price says how its fee is paid."""
    arrive(page, "/schedule")
    for step in (VEHICLE, PLACE):
        for label, text in step.items():
            control = page.get_by_label(label, exact=True)
            if control.evaluate("(element) => element.tagName") == "SELECT":
                control.select_option(text)
            else:
                control.fill(text)
        page.get_by_role("button", name="Next").click()
    page.get_by_label("The pin: move it with the arrow keys").press("ArrowRight")
    expect(page.get_by_text("The pin is set.")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Convenience fee").last).to_be_visible()
    expect(page.get_by_text(price).last).to_be_visible()
    page.get_by_role("button", name="Schedule Service").click()
    expect(page).to_have_url(re.compile("/bookings/"))
    expect(page.get_by_text("Payment:")).to_be_visible()


def happens(site: Site, kind: str) -> None:
    """Let jobs of a kind be due, which wait for their time."""
    due = "datetime('now', '-1 minute')"
    site.write(f"UPDATE jobs SET run_at = {due} WHERE kind = ? AND ended_at IS NULL", kind)


def until(site: Site, query: str, *found: tuple) -> None:
    assert came_true(lambda: site.rows(query) == list(found), within=SOON_S), site.rows(query)


def be_declined_and_mend_the_card(page: Page, site: Site) -> None:
    booking = page.url
    holds = "SELECT state FROM payments WHERE kind = 'hold' ORDER BY id"
    first = "UPDATE jobs SET run_at = datetime('now', '-1 minute') WHERE ended_at IS NULL"
    site.write(f"{first} AND key LIKE 'authorize:%:first'")
    until(site, holds, ("failed",))
    arrive(page, booking)
    expect(page.get_by_text("Declined. Your card has insufficient funds.")).to_be_visible()
    assert_accessible(page)
    arrive(page, "/billing")
    expect(page.get_by_text("Your card has insufficient funds.").first).to_be_visible()
    assert_accessible(page)
    add_card(page, "Update", "Works")
    until(site, holds, ("failed",), ("authorized",))
    arrive(page, booking)
    expect(page.get_by_text(re.compile(r"\$\d+ authorized"))).to_be_visible()


def record_the_fill(office: Page, site: Site) -> None:
    """Let staff record what was pumped, in a window that has come by now."""
    site.write(
        "UPDATE bookings SET starts_at = datetime('now'), ends_at = datetime('now', '2 hours')"
    )
    arrive(office, "/customer-dashboard")
    office.get_by_role("button", name=re.compile("Ada Lovelace")).first.click()
    office.get_by_role("tab", name="Bookings").click()
    office.get_by_role("button", name=re.compile("Record")).first.click()
    modal(office).get_by_label("Gallons").fill("12")
    modal(office).get_by_label("Ticket number").fill("T-1001")
    modal(office).get_by_role("button", name=re.compile("Record")).click()
    expect(modal(office)).to_be_hidden()
    happens(site, "billing.open_fill")
    until(site, "SELECT state FROM invoices WHERE kind = 'fill'", ("paid",))


def change_plans(page: Page) -> None:
    arrive(page, "/billing")
    page.get_by_role("button", name="Switch now · $35.00 today").click()
    expect(page.get_by_text("Your plan has changed", exact=True)).to_be_visible()
    down = page.get_by_role("button", name=re.compile(r"Switch on \w+ \d+")).last
    down.click()
    plan = page.locator("#current-plan")  # a toast says the same
    expect(plan.get_by_text(re.compile("your plan becomes the"))).to_be_visible()
    page.get_by_role("button", name="Keep Big Family Plan").click()
    expect(plan.get_by_text(re.compile("your plan becomes the"))).to_be_hidden()
    page.get_by_role("button", name="Cancel plan").click()
    modal(page).get_by_role("button", name="Cancel plan").click()
    expect(plan.get_by_text(re.compile("Your plan ends on"))).to_be_visible()
    assert_accessible(page)


def read_receipts(page: Page) -> None:
    """Find each amount on a receipt and in its PDF, and all of them in the history."""
    history = page.get_by_role("table", name="Billing History")
    total = "$56.51"
    assert_large(history.get_by_role("link"))
    expect(history.get_by_role("row").filter(has_text=re.compile(r"\$"))).to_have_count(3)
    receipts = {
        "$44.00": ["Family Plan"],
        "$35.00": ["Big Family Plan", "$79.00", "-$44.00"],
        total: ["12.000", "$3.459", FUEL, FEE, "T-1001", "100 Main Street"],
    }
    for amount, parts in receipts.items():
        history.get_by_role("row").filter(has_text=amount).get_by_role("link").click()
        expect(page.get_by_role("heading", name=re.compile("Receipt GF-"))).to_be_visible()
        for part in [amount, *parts]:
            shown = page.get_by_role("main").get_by_text(part, exact=False)
            expect(shown.first).to_be_visible()
        assert_accessible(page)
        with page.expect_download() as download:
            page.get_by_role("button", name="Download PDF").click()
        reader = PdfReader(BytesIO(Path(download.value.path()).read_bytes()))
        text = "\n".join(each.extract_text() for each in reader.pages)
        assert all(part in text for part in [amount, *parts]), text
        page.go_back()
