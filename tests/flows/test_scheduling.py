"""Scheduling a fill: vehicle with its photo, location with its notes, window."""

import pytest
from playwright.sync_api import expect

from tests.flows.conftest import PHONE, until
from tests.flows.wizards import (
    ADDRESS,
    PHOTO,
    VEHICLE,
    add_photo,
    at_location,
    at_time,
    checked,
    expect_dashboard,
    expect_step,
    fill,
    fill_vehicle,
    photo,
    press,
)
from tests.pictures import from_a_phone

FIRST = "8–10 AM"  # noqa: RUF001


def test_a_fill_is_scheduled_on_a_phone_and_nothing_is_booked(visit, site):
    before = site.everything()
    page = visit("/schedule", PHONE)
    expect_step(page, "Which vehicle do we fill?", "1 of 3")
    fill_vehicle(page)
    add_photo(page)
    press(page, "Next")
    expect_step(page, "Where is it parked?", "2 of 3")
    fill(page, ADDRESS | {"Location notes (optional)": "Gate 12"})
    expect(page.get_by_label("Save this address for future fill-ups")).to_be_checked()
    press(page, "Next")
    expect_step(page, "Choose a time", "3 of 3")
    assert checked(page) == ["Vehicle", "Location"]
    press(page, "Schedule Service")
    expect_dashboard(page)
    assert site.everything() == before


def test_the_whole_way_by_keyboard_alone(visit):
    page = visit("/schedule")
    expect_step(page, "Which vehicle do we fill?", "1 of 3")
    # From the start: the browser takes a moment to learn that a chooser is waited for.
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Make").focus()
        page.keyboard.type("Hon")
        expect(page.get_by_role("option", name="Pilot")).to_be_attached()
        page.keyboard.press("Tab")
        page.keyboard.type("Pil")
        for text in VEHICLE.values():
            page.keyboard.press("Tab")
            page.keyboard.type(text)
        page.keyboard.press("Tab")
        expect(page.get_by_label("Add a photo")).to_be_focused()
        page.keyboard.press("Enter")
    chooser.value.set_files(PHOTO)  # type: ignore[arg-type]
    expect(photo(page)).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Remove photo")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Cancel")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Where is it parked?")).to_be_focused()
    for text in (*ADDRESS.values(), "Gate 12"):
        page.keyboard.press("Tab")
        page.keyboard.type(text)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_label("Save this address for future fill-ups")).not_to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Choose a time")).to_be_focused()
    page.keyboard.press("Tab")
    for _ in range(3):  # past the end of a day
        page.keyboard.press("ArrowDown")
    second = page.get_by_role("group", name="Saturday, March 16, 2024")
    expect(second.get_by_label(FIRST)).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect_dashboard(page)


@pytest.mark.parametrize("way", ["reload", "back"])
def test_nothing_is_lost_by_a_reload_in_the_middle_or_on_the_way_back(visit, way):
    page = visit("/schedule")
    add_photo(page)
    at_time(page)
    page.get_by_role("group", name="Saturday, March 16, 2024").get_by_label(FIRST).check()
    if way == "reload":
        page.reload()
        expect_step(page, "Choose a time", "3 of 3")
    second = page.get_by_role("group", name="Saturday, March 16, 2024")
    expect(second.get_by_label(FIRST)).to_be_checked()
    page.get_by_role("link", name="Back").click()
    expect_step(page, "Where is it parked?", "2 of 3")
    if way == "reload":
        page.reload()
    for label, text in ADDRESS.items():
        expect(page.get_by_label(label, exact=True)).to_have_value(text)
    page.get_by_role("link", name="Back").click()
    expect_step(page, "Which vehicle do we fill?", "1 of 3")
    if way == "reload":
        page.reload()
    expect(page.get_by_label("Make")).to_have_value("Honda")
    expect(page.get_by_label("Model")).to_have_value("Pilot")
    expect(page.get_by_label("Year")).to_have_value("2021")
    expect(photo(page)).to_be_visible()


def test_notes_stay_in_this_browser_under_their_key(visit):
    page = at_location(visit("/schedule"))
    page.get_by_label("Location notes").fill("Gate 12")
    until(page, "localStorage.getItem('scheduling-notes') === 'Gate 12'")
    later = page.context.new_page()  # another tab: nothing else of the wizard is there
    later.goto("/schedule")
    expect_step(later, "Which vehicle do we fill?", "1 of 3")
    expect(later.get_by_label("Color")).to_have_value("")
    at_location(later)
    expect(later.get_by_label("Location notes")).to_have_value("Gate 12")


def test_a_photo_is_added_replaced_and_removed(visit):
    page = visit("/schedule", PHONE)
    add_photo(page)
    until(page, "document.querySelector('img[alt=\"The vehicle\"]').naturalWidth > 0")
    size = photo(page).evaluate("image => [image.naturalWidth, image.naturalHeight]")
    assert size == [480, 960]  # upright, and smaller than it came
    first = photo(page).get_attribute("src")
    assert first
    assert len(first) <= 60_000
    page.get_by_label("Replace photo").set_input_files(PHOTO | {"buffer": from_a_phone(1)})
    expect(photo(page)).not_to_have_attribute("src", first)
    press(page, "Remove photo")
    expect(photo(page)).to_have_count(0)
    expect(page.get_by_label("Add a photo")).to_be_focused()
