"""Account Settings: vehicles, personal information, preferences, the end."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.flows.checks import assert_accessible
from tests.flows.conftest import PHONE
from tests.flows.visitor import modal
from tests.pictures import from_a_phone


@pytest.fixture
def page(visit) -> Page:
    page = visit("/account", PHONE)
    expect(vehicle(page, "2022 Toyota Camry")).to_be_visible()
    return page


def vehicle(page: Page, title: str) -> Locator:
    heading = page.get_by_role("heading", name=title, level=3)
    return page.get_by_role("listitem").filter(has=heading)


def fill_vehicle(dialog: Locator) -> None:
    dialog.get_by_label("Make").select_option("BMW")
    dialog.get_by_label("Model").select_option("X5")
    dialog.get_by_label("Year").fill("2024")
    dialog.get_by_label("Color").fill("White")
    dialog.get_by_label("License Plate").fill("gulf 1")


def first_name(page: Page) -> Locator:
    return page.get_by_label("First name")


def test_a_vehicle_is_added_with_a_photo(page):
    page.get_by_role("button", name="Add Vehicle").click()
    dialog = modal(page)
    dialog.get_by_label("Add a photo").set_input_files(
        {"name": "car.jpg", "mimeType": "image/jpeg", "buffer": from_a_phone()}
    )
    expect(dialog.get_by_role("img", name="The vehicle")).to_be_visible()
    fill_vehicle(dialog)
    assert_accessible(page)
    dialog.get_by_role("button", name="Add Vehicle").click()
    expect(dialog).to_be_hidden()
    added = vehicle(page, "2024 BMW X5")
    expect(added).to_contain_text("White · GULF 1")
    expect(added).to_contain_text("Est. Tank Size: 21.9 gallons")
    expect(added.get_by_role("img")).to_have_attribute(
        "src", re.compile("^data:image/webp;base64,")
    )
    page.reload()
    expect(vehicle(page, "2024 BMW X5").get_by_role("img", name="2024 BMW X5")).to_be_visible()


def test_title_stays_in_sight_while_the_photo_is_chosen(page):
    page.set_viewport_size({"width": PHONE["width"], "height": 400})
    page.get_by_role("button", name="Add Vehicle").click()
    modal(page).get_by_label("Add a photo").focus()
    expect(modal(page).get_by_role("heading")).to_be_in_viewport(ratio=1)


def test_deleting_can_be_undone_by_keyboard_and_the_last_one_leaves_an_invitation(page):
    vehicle(page, "2022 Toyota Camry").get_by_role("button", name="Delete").focus()
    page.keyboard.press("Enter")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    expect(page.get_by_role("status").filter(has_text="2022 Toyota Camry")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=3).first).to_have_text("2022 Toyota Camry")
    expect(page.get_by_role("button", name="Add Vehicle")).to_be_focused()
    for title in ("2022 Toyota Camry", "2021 Honda CR-V"):
        vehicle(page, title).get_by_role("button", name="Delete").click()
        expect(vehicle(page, title)).to_have_count(0)
    expect(page.get_by_text("No vehicles registered yet")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Add Your First Vehicle").click()
    expect(modal(page).get_by_role("heading", name="Add Vehicle")).to_be_visible()
    fill_vehicle(modal(page))
    page.keyboard.press("Enter")
    expect(vehicle(page, "2024 BMW X5")).to_be_visible()
    expect(page.get_by_role("button", name="Add Vehicle")).to_be_focused()


def test_personal_information_is_edited_by_keyboard_alone(page):
    expect(first_name(page)).to_be_disabled()
    expect(page.get_by_role("button", name="Save Changes")).to_have_count(0)
    page.get_by_role("button", name="Edit", exact=True).focus()
    page.keyboard.press("Enter")
    expect(first_name(page)).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    page.keyboard.press("Enter")
    expect(first_name(page)).to_have_accessible_description("First name is required")
    expect(first_name(page)).to_be_focused()
    assert_accessible(page)
    page.keyboard.type("Grace")
    expect(first_name(page)).to_have_attribute("aria-invalid", "false")
    page.keyboard.press("Tab")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Hopper")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved in this preview", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Edit", exact=True)).to_be_focused()
    expect(first_name(page)).to_be_disabled()
    expect(page.get_by_role("button", name="Your menu, Grace Hopper")).to_have_text("GH")
    page.reload()
    expect(first_name(page)).to_have_value("Grace")


def test_deleting_the_account_asks_for_confirmation(page):
    delete = page.get_by_role("button", name="Delete Account")
    delete.click()
    dialog = modal(page)
    expect(dialog.get_by_role("heading", name="Confirm Deletion")).to_be_visible()
    question = "Are you sure you want to delete your account? This action cannot be undone."
    expect(dialog.get_by_text(question)).to_be_visible()
    assert_accessible(page)
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(delete).to_be_focused()
    assert page.url.endswith("/account")
    delete.click()
    dialog.get_by_role("button", name="Delete Account").click()
    expect(page.get_by_role("heading", name="Get Your First Fill-Up Free")).to_be_visible()


def test_changes_are_neither_stored_nor_shown_to_another_visitor(page, visit, site):
    before = site.everything()
    page.get_by_role("button", name="Edit", exact=True).click()
    first_name(page).fill("Grace")
    page.get_by_role("button", name="Save Changes").click()
    expect(page.get_by_text("Saved in this preview", exact=True)).to_be_visible()
    vehicle(page, "2021 Honda CR-V").get_by_role("button", name="Delete").click()
    page.get_by_role("switch", name="SMS notifications").click()
    expect(page.get_by_role("switch", name="SMS notifications")).not_to_be_checked()
    page.reload()
    expect(first_name(page)).to_have_value("Grace")
    expect(vehicle(page, "2021 Honda CR-V")).to_have_count(0)

    other_tab = page.context.new_page()
    for stranger in (visit("/account", PHONE), other_tab):
        stranger.goto("/account")
        expect(first_name(stranger)).to_have_value("Sarah")
        expect(vehicle(stranger, "2021 Honda CR-V")).to_be_visible()
        expect(stranger.get_by_role("switch", name="SMS notifications")).to_be_checked()
    assert site.everything() == before
