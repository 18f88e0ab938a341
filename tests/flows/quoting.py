"""Actions of a company that requests a quote, by label, role and text."""

from playwright.sync_api import Locator, Page, expect

from tests.flows.visitor import modal

THANKS = "We've received your {} quote request and will contact you within one business day."
COMPANY, FLEET, SERVICE = "Company Information", "Fleet Details", "Service Requirements"


def open_fleet_quote(page: Page) -> Locator:
    page.get_by_role("main").get_by_role("button", name="Request Fleet Quote").first.click()
    expect(modal(page).get_by_label("Company name")).to_be_focused()
    return modal(page)


def open_business_quote(page: Page) -> Locator:
    page.get_by_role("main").get_by_role("button", name="Get Started").first.click()
    expect(modal(page).get_by_label("Company name")).to_be_focused()
    return modal(page)


def press_next(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Next").click()


def submit(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Submit Request").click()


def expect_tab(dialog: Locator, name: str) -> None:
    expect(dialog.get_by_role("tab", selected=True)).to_have_text(name)


def place(dialog: Locator) -> Locator:
    return dialog.get_by_role("combobox", name="Service location")


def suggestions(dialog: Locator) -> Locator:
    return dialog.get_by_role("listbox", name="Suggestions").get_by_role("option")


def fill_contact(dialog: Locator, company: str, phone: str = "(941) 555-0123") -> None:
    dialog.get_by_label("Company name").fill(company)
    dialog.get_by_label("Contact name").fill("Ada Lovelace")
    dialog.get_by_label("Email").fill("ada@example.com")
    dialog.get_by_label("Phone").fill(phone)


def fill_fleet_quote(dialog: Locator, company: str) -> None:
    """Fill in all three tabs and stay on the last one."""
    fill_contact(dialog, company)
    press_next(dialog)
    dialog.get_by_label("Number of vehicles").fill("12")
    dialog.get_by_label("Diesel").check()
    press_next(dialog)
    dialog.get_by_label("Fill frequency").select_option("weekly")
    dialog.get_by_label("Estimated fuel amount").fill("120.5")
    place(dialog).fill("1 Main Street, Sarasota")


def stored(site, table: str, company: str) -> int:
    [(rows,)] = site.rows(f"SELECT count(*) FROM {table} WHERE company_name = ?", company)
    return rows


def expect_all_kept(dialog: Locator, company: str) -> None:
    """Expect all that `fill_fleet_quote` typed, from the last tab to the first."""
    expect_tab(dialog, SERVICE)
    expect(dialog.get_by_label("Fill frequency")).to_have_value("weekly")
    expect(dialog.get_by_label("Estimated fuel amount")).to_have_value("120.5")
    expect(place(dialog)).to_have_value("1 Main Street, Sarasota")
    dialog.get_by_role("tab", name=FLEET).click()
    expect(dialog.get_by_label("Number of vehicles")).to_have_value("12")
    expect(dialog.get_by_label("Diesel")).to_be_checked()
    dialog.get_by_role("tab", name=COMPANY).click()
    expect(dialog.get_by_label("Company name")).to_have_value(company)
    expect(dialog.get_by_label("Phone")).to_have_value("(941) 555-0123")
    dialog.get_by_role("tab", name=SERVICE).click()
