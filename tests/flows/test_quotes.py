"""Fleets and businesses ask for a quote."""

import json

from playwright.sync_api import expect

from tests.flows.conftest import PHONE
from tests.flows.quoting import (
    THANKS,
    expect_all_kept,
    fill_contact,
    fill_fleet_quote,
    open_business_quote,
    open_fleet_quote,
    place,
    stored,
    submit,
    suggestions,
)
from tests.flows.visitor import modal


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

    (row,) = site.rows(
        "SELECT vehicle_count, fuel_types, fill_frequency, estimated_fuel_amount, service_location,"
        " notes FROM fleet_quotes WHERE company_name = ?",
        company,
    )
    fuels = json.dumps(["gasoline", "diesel"])
    assert row == (12, fuels, "weekly", 120.5, "Sarasota, FL", "Gate code 12")


def test_what_was_typed_survives_closing_and_reloading(visit, company):
    page = visit("/fleet", PHONE)
    dialog = open_fleet_quote(page)
    fill_fleet_quote(dialog, company)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.get_by_role("main").get_by_role("button", name="Request Fleet Quote").first.click()
    expect_all_kept(dialog, company)
    page.reload()
    expect_all_kept(dialog, company)


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
    expect(dialog).to_have_count(0)  # it closed as its page was left
    assert stored(site, "fleet_quotes", company) == 1


def test_a_business_asks_for_a_quote(visit, site, company):
    page = visit("/business", PHONE)
    dialog = open_business_quote(page)
    submit(dialog)
    expect(place(dialog)).to_have_accessible_description(
        "Service location is required An address, a city or a ZIP code in the US"
    )
    fill_contact(dialog, company, phone="+44 20 7946 0123 ext. 5")
    dialog.get_by_label("Number of employees").fill("1,200")
    dialog.get_by_label("Industry").select_option("Hospitality")
    place(dialog).fill("The pier, Bradenton Beach")
    dialog.get_by_label("Notes").fill("Two lots\nOne gate")
    submit(dialog)
    expect(dialog.get_by_role("heading", name="Thank You!")).to_be_visible()
    expect(dialog).to_have_accessible_description(THANKS.format("business"))
    (row,) = site.rows(
        "SELECT phone, employee_count, industry, service_location, notes"
        " FROM business_quotes WHERE company_name = ?",
        company,
    )
    place_typed, notes = "The pier, Bradenton Beach", "Two lots\nOne gate"
    assert row == ("+44 20 7946 0123 ext. 5", 1200, "Hospitality", place_typed, notes)
