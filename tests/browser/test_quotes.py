"""Fleets and businesses ask for a quote."""

import json
from itertools import count

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.test_keyboard_and_readers import assert_accessible
from tests.browser.visitor import modal

COMPANY, FLEET, SERVICE = "Company Information", "Fleet Details", "Service Requirements"
THANKS = "We've received your {} quote request and will contact you within one business day."
FAILED = "An error occurred while submitting your quote. Please try again."

_numbers = count(1)


@pytest.fixture
def company() -> str:
    """A name that no other test uses, so that tests share a site and no rows."""
    return f"Analytical Engines {next(_numbers)}"


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
    """All three tabs; the last one shows."""
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


def test_a_fleet_manager_on_a_phone_asks_by_keyboard_alone(visit, site, company):
    page = visit("/fleet", PHONE)
    dialog, keyboard = modal(page), page.keyboard
    page.get_by_role("main").get_by_role("button", name="Request Fleet Quote").first.focus()
    keyboard.press("Enter")
    expect(dialog.get_by_label("Company name")).to_be_focused()
    for text in (company, "Ada Lovelace", "ada@example.com", "9415550123"):
        keyboard.type(text)
        keyboard.press("Tab")
    expect(dialog.get_by_role("button", name="Next")).to_be_focused()
    keyboard.press("Enter")
    expect(dialog.get_by_label("Number of vehicles")).to_be_focused()
    keyboard.type("12")
    for fuel in ("Gasoline", "Diesel"):
        keyboard.press("Tab")
        expect(dialog.get_by_label(fuel)).to_be_focused()
        keyboard.press("Space")
    keyboard.press("Enter")  # a form sends itself
    expect(dialog.get_by_label("Fill frequency")).to_be_focused()
    keyboard.type("Weekly")
    keyboard.press("Tab")
    keyboard.type("120.5")
    keyboard.press("Tab")
    keyboard.type("sarasota")
    expect(suggestions(dialog).first).to_be_visible()
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    expect(place(dialog)).to_have_value("Sarasota, FL")
    keyboard.press("Tab")
    keyboard.type("Gate code 12")
    keyboard.press("Tab")
    keyboard.press("Tab")
    expect(dialog.get_by_role("button", name="Submit Request")).to_be_focused()
    keyboard.press("Enter")
    expect(dialog.get_by_role("heading", name="Thank You!")).to_be_visible()
    expect(dialog).to_have_accessible_description(THANKS.format("fleet"))
    expect(dialog.get_by_role("button", name="Close").first).to_be_focused()
    keyboard.press("Enter")
    expect(dialog).to_be_hidden()

    [row] = site.rows(
        "SELECT contact_name, email, phone, vehicle_count, fuel_types, fill_frequency,"
        " estimated_fuel_amount, service_location, notes, status, lead_source"
        " FROM fleet_quotes WHERE company_name = ?",
        company,
    )
    assert row[:4] == ("Ada Lovelace", "ada@example.com", "9415550123", 12)
    assert json.loads(row[4]) == ["gasoline", "diesel"]
    assert row[5:] == (
        "weekly",
        120.5,
        "Sarasota, FL",
        "Gate code 12",
        "Not Contacted",
        "Inbound",
    )


def test_next_shows_what_is_wrong_on_its_tab_and_the_messages_go_while_typing(visit):
    dialog = open_fleet_quote(visit("/fleet", PHONE))
    press_next(dialog)
    for field in ("Company name", "Contact name", "Email", "Phone"):
        expect(dialog.get_by_label(field)).to_have_accessible_description(f"{field} is required")
    expect(dialog.get_by_label("Company name")).to_be_focused()
    fill_contact(dialog, "Engines", phone="")
    dialog.get_by_label("Email").fill("ada")
    expect(dialog.get_by_label("Email")).to_have_accessible_description("Invalid email address")
    dialog.get_by_label("Email").fill("ada@example.com")
    expect(dialog.get_by_label("Email")).to_have_attribute("aria-invalid", "false")
    dialog.get_by_label("Phone").press_sequentially("941555")
    wrong_phone = "Phone format: (XXX) XXX-XXXX"
    expect(dialog.get_by_label("Phone")).to_have_accessible_description(wrong_phone)
    dialog.get_by_label("Phone").press_sequentially("0123")
    expect(dialog.get_by_text(wrong_phone)).to_be_hidden()

    press_next(dialog)
    expect_tab(dialog, FLEET)
    dialog.get_by_label("Number of vehicles").fill("0")
    press_next(dialog)
    vehicles = dialog.get_by_label("Number of vehicles")
    expect(vehicles).to_have_accessible_description("Must be greater than 0")
    expect(dialog.get_by_label("Gasoline")).to_have_accessible_description(
        "Select at least one fuel type"
    )
    vehicles.fill("3")
    dialog.get_by_label("Gasoline").check()
    expect(dialog.get_by_text("Select at least one fuel type")).to_be_hidden()

    press_next(dialog)
    expect_tab(dialog, SERVICE)
    submit(dialog)
    expect(dialog.get_by_text("Fill frequency is required")).to_be_visible()
    expect(dialog.get_by_text("Service location is required")).to_be_visible()
    amount = dialog.get_by_label("Estimated fuel amount")
    amount.fill("0.05")
    expect(dialog.get_by_text("Must be greater than 0")).to_be_visible()
    amount.fill("0.1")
    expect(dialog.get_by_text("Must be greater than 0")).to_be_hidden()


def test_tabs_go_anywhere_by_arrows_and_keep_what_was_typed(visit):
    page = visit("/fleet")
    dialog = open_fleet_quote(page)
    page.keyboard.type("Engines")
    dialog.get_by_role("tab", name=COMPANY).focus()
    page.keyboard.press("ArrowRight")
    expect_tab(dialog, FLEET)
    dialog.get_by_label("Number of vehicles").fill("7")
    dialog.get_by_role("tab", name=FLEET).focus()
    page.keyboard.press("End")
    expect_tab(dialog, SERVICE)
    dialog.get_by_role("button", name="Back").click()
    expect_tab(dialog, FLEET)
    expect(dialog.get_by_label("Number of vehicles")).to_have_value("7")
    dialog.get_by_role("button", name="Back").click()
    expect(dialog.get_by_label("Company name")).to_have_value("Engines")
    expect(dialog.get_by_role("button", name="Back")).to_have_count(0)


def test_a_mistake_on_an_earlier_tab_brings_one_there(visit, site, company):
    dialog = open_fleet_quote(visit("/fleet", PHONE))
    fill_fleet_quote(dialog, company)
    dialog.get_by_role("tab", name=FLEET).click()
    dialog.get_by_label("Diesel").uncheck()
    dialog.get_by_role("tab", name=SERVICE).click()
    submit(dialog)
    expect_tab(dialog, FLEET)
    expect(dialog.get_by_label("Gasoline")).to_be_focused()
    expect(dialog.get_by_text("Select at least one fuel type")).to_be_visible()
    assert stored(site, "fleet_quotes", company) == 0


def test_the_phone_number_formats_itself_around_the_caret(visit):
    page = visit("/fleet", PHONE)
    phone = open_fleet_quote(page).get_by_label("Phone")
    for typed, shown in (
        ("941", "(941"),
        ("5", "(941) 5"),
        ("550", "(941) 555-0"),
        ("123", "(941) 555-0123"),
        ("9", "(941) 555-0123"),  # full
        ("x", "(941) 555-0123"),
    ):
        phone.press_sequentially(typed)
        expect(phone).to_have_value(shown)
    for shown in ("(941) 555-012", "(941) 555-01", "(941) 555-0", "(941) 555"):
        page.keyboard.press("Backspace")
        expect(phone).to_have_value(shown)
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.type("7")  # between 4 and 1
    expect(phone).to_have_value("(947) 155-5")
    page.keyboard.type("8")  # the caret went along
    expect(phone).to_have_value("(947) 815-55")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(phone).to_have_value("(941) 555")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("+1 (941) 555-0123")
    expect(phone).to_have_value("(941) 555-0123")


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_what_was_typed_survives_closing_and_reloading(visit, company, viewport):
    page = visit("/fleet", viewport)
    dialog = open_fleet_quote(page)
    fill_fleet_quote(dialog, company)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    for _ in range(2):
        page.get_by_role("main").get_by_role("button", name="Request Fleet Quote").first.click()
        expect_tab(dialog, SERVICE)
        expect(dialog.get_by_label("Fill frequency")).to_have_value("weekly")
        expect(place(dialog)).to_have_value("1 Main Street, Sarasota")
        dialog.get_by_role("tab", name=FLEET).click()
        expect(dialog.get_by_label("Diesel")).to_be_checked()
        dialog.get_by_role("tab", name=COMPANY).click()
        expect(dialog.get_by_label("Company name")).to_have_value(company)
        expect(dialog.get_by_label("Phone")).to_have_value("(941) 555-0123")
        dialog.get_by_role("tab", name=SERVICE).click()
        expect_tab(dialog, SERVICE)
        dialog.get_by_role("button", name="Close").click()
        expect(dialog).to_be_hidden()


def test_a_double_click_stores_one_row(visit, site, company):
    dialog = open_fleet_quote(visit("/fleet"))
    fill_fleet_quote(dialog, company)
    dialog.get_by_role("button", name="Submit Request").dblclick()
    expect(dialog.get_by_role("heading", name="Thank You!")).to_be_visible()
    assert stored(site, "fleet_quotes", company) == 1


def test_a_second_quote_starts_empty(visit, site, company):
    page = visit("/fleet")
    dialog = open_fleet_quote(page)
    fill_fleet_quote(dialog, company)
    submit(dialog)
    dialog.get_by_role("button", name="Close").first.click()
    expect(dialog).to_be_hidden()
    open_fleet_quote(page)
    expect_tab(dialog, COMPANY)
    expect(dialog.get_by_label("Company name")).to_have_value("")
    dialog.get_by_role("tab", name=FLEET).click()
    expect(dialog.get_by_label("Diesel")).not_to_be_checked()


def test_back_and_forward_after_the_thanks_send_nothing_again(visit, site, company):
    page = visit("/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Fleet").click()
    dialog = open_fleet_quote(page)
    fill_fleet_quote(dialog, company)
    submit(dialog)
    expect(dialog.get_by_role("heading", name="Thank You!")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Get Your First Fill-Up Free")).to_be_visible()
    expect(dialog).to_have_count(0)
    page.go_forward()
    expect(page.get_by_role("heading", name="Your fleet starts the day full")).to_be_visible()
    assert stored(site, "fleet_quotes", company) == 1


def test_a_database_that_does_not_answer_keeps_the_form(visit, site, company):
    dialog = open_fleet_quote(visit("/fleet", PHONE))
    fill_fleet_quote(dialog, company)
    with site.stuck_database():
        submit(dialog)
        expect(dialog.get_by_role("button", name="Submitting...")).to_be_disabled()
        expect(dialog.get_by_role("alert")).to_have_text(FAILED, timeout=20_000)
    expect(dialog.get_by_role("alert").get_by_text(FAILED)).to_be_in_viewport()
    expect(place(dialog)).to_have_value("1 Main Street, Sarasota")
    place(dialog).fill("2 Main Street, Sarasota")
    submit(dialog)
    expect(dialog.get_by_role("heading", name="Thank You!")).to_be_visible()
    assert stored(site, "fleet_quotes", company) == 1


def test_places_are_suggested_and_chosen_by_keyboard(visit):
    page = visit("/business")
    dialog = open_business_quote(page)
    field = place(dialog)
    field.press_sequentially("bradenton")
    expect(suggestions(dialog).first).to_have_text("Bradenton, FL")
    expect(field).to_have_attribute("aria-expanded", "true")
    number = suggestions(dialog).count()
    expect(dialog.get_by_role("status")).to_have_text(f"{number} suggestions")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = dialog.get_by_role("option", selected=True).and_(suggestions(dialog))
    expect(second).to_have_text(suggestions(dialog).nth(1).inner_text())
    expect(field).to_have_attribute("aria-activedescendant", second.get_attribute("id") or "none")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(field).to_have_value("Bradenton, FL")
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(dialog.get_by_role("status")).to_have_text("")
    expect(dialog.get_by_text("Company name is required")).to_be_hidden()  # Enter sent nothing


def test_escape_closes_the_suggestions_and_only_then_the_modal(visit):
    page = visit("/business", PHONE)
    dialog = open_business_quote(page)
    place(dialog).press_sequentially("34236")
    expect(suggestions(dialog)).to_have_count(1)
    expect(dialog.get_by_role("status")).to_have_text("1 suggestion")
    page.keyboard.press("Escape")
    expect(suggestions(dialog)).to_have_count(0)
    expect(place(dialog)).to_have_value("34236")
    page.keyboard.press("ArrowDown")
    suggestions(dialog).first.click()
    expect(place(dialog)).to_have_value("Sarasota, FL 34236")
    expect(place(dialog)).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_a_business_asks_for_a_quote(visit, site, company):
    page = visit("/business", PHONE)
    dialog = open_business_quote(page)
    submit(dialog)
    for field in ("Company name", "Phone", "Number of employees", "Industry", "Service location"):
        expect(dialog.get_by_label(field)).to_have_accessible_description(
            f"{field} is required"
            + (" An address, a city or a ZIP code in the US" if field == "Service location" else "")
        )
    fill_contact(dialog, company, phone="+44 20 7946 0123 ext. 5")
    dialog.get_by_label("Number of employees").fill("1,200")
    dialog.get_by_label("Industry").select_option("Hospitality")
    place(dialog).fill("The pier, Bradenton Beach")
    dialog.get_by_label("Notes").fill("Two lots\nOne gate")
    submit(dialog)
    expect(dialog.get_by_role("heading", name="Thank You!")).to_be_visible()
    expect(dialog).to_have_accessible_description(THANKS.format("business"))
    assert site.rows(
        "SELECT phone, employee_count, industry, service_location, notes"
        " FROM business_quotes WHERE company_name = ?",
        company,
    ) == [
        (
            "+44 20 7946 0123 ext. 5",
            1200,
            "Hospitality",
            "The pier, Bradenton Beach",
            "Two lots\nOne gate",
        )
    ]


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_axe_finds_nothing_in_any_state_of_the_fleet_quote(visit, company, viewport):
    page = visit("/fleet", viewport)
    dialog = open_fleet_quote(page)
    assert_accessible(page)
    press_next(dialog)
    expect(dialog.get_by_text("Company name is required")).to_be_visible()
    assert_accessible(page)
    fill_fleet_quote(dialog, company)
    assert_accessible(page)
    place(dialog).press_sequentially(", sara")
    expect(suggestions(dialog).first).to_be_visible()
    page.keyboard.press("ArrowDown")
    assert_accessible(page)
    page.keyboard.press("Enter")
    submit(dialog)
    expect(dialog.get_by_role("heading", name="Thank You!")).to_be_visible()
    assert_accessible(page)


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_axe_finds_nothing_in_the_business_quote(visit, viewport):
    page = visit("/business", viewport)
    dialog = open_business_quote(page)
    assert_accessible(page)
    submit(dialog)
    expect(dialog.get_by_text("Company name is required")).to_be_visible()
    assert_accessible(page)
