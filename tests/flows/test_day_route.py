"""The day's route on the dashboard: figures, map, list and the visitor's position."""

import re

from playwright.sync_api import expect

from tests.flows.checks import assert_accessible, every_size
from tests.flows.day_route import (
    FIRST_BY_TIME,
    IN_SARASOTA,
    all_on_the_map,
    next_destination,
    pin,
    popup,
    row,
    rows,
    see_route,
    the_map,
    tiles_shown,
)


@every_size
def test_figures_map_and_list(visit, viewport):
    page = see_route(visit, viewport)
    term = page.get_by_role("term").filter(has_text=re.compile("^Scheduled fill-ups$"))
    expect(term.locator("xpath=following-sibling::dd")).to_have_text("12")
    expect(next_destination(page)).to_contain_text(re.compile(r"\d+ mins? away"))
    expect(page.get_by_text("Estimated without live traffic")).to_be_visible()
    expect(the_map(page).get_by_role("button", name=re.compile(r"^Stop \d+:"))).to_have_count(9)
    expect(rows(page)).to_have_count(9)
    expect(rows(page).first).to_contain_text("8:00 AM")
    expect(rows(page).first).to_contain_text("Stop 1 on the route")
    expect(rows(page).last).to_contain_text("3:15 PM")
    expect(the_map(page).get_by_text("OpenStreetMap")).to_be_visible()
    tile = tiles_shown(page).first
    expect(tile).to_have_attribute("src", re.compile(r"/11/\d+/\d+\.png$"))
    line = the_map(page).locator("path.leaflet-interactive")
    expect(line).to_have_attribute("stroke", "#1D4ED8")
    expect(line).to_have_attribute("stroke-width", "5")
    size = pin(page, 1).bounding_box()
    assert size
    assert (size["width"], size["height"]) == (36, 36)
    assert_accessible(page)
    page.get_by_role("button", name="Driving order").click()
    expect(page.get_by_role("button", name=f"Move down {FIRST_BY_TIME}")).to_be_visible()
    assert_accessible(page)


def test_marker_selects_a_stop(visit):
    page = see_route(visit)
    expect(popup(page)).to_contain_text(FIRST_BY_TIME)
    expect(row(page, FIRST_BY_TIME)).to_have_attribute("aria-pressed", "true")
    link = popup(page).get_by_role("link", name="Get Directions")
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("rel", re.compile("noopener"))
    expect(link).to_have_attribute("href", re.compile("origin=27.350000,-82.520000$"))
    pin(page, 2).click()
    box = popup(page)
    expect(box.get_by_role("heading")).to_have_text("2. Tom Becker")
    for text in ("2019 Ford F-150", "Black", "1850 S Osprey Ave, Sarasota, FL 34239", "8:30 AM"):
        expect(box).to_contain_text(text)
    expect(row(page, "Tom Becker")).to_have_attribute("aria-pressed", "true")
    pin(page, 2).click()
    expect(box.get_by_role("heading")).to_have_text("2. Tom Becker")
    close = page.get_by_role("button", name="Close popup")
    expect(close).to_have_count(1)
    close.click()
    expect(popup(page)).to_have_count(0)
    expect(row(page, "Tom Becker")).to_have_attribute("aria-pressed", "false")


def test_map_by_keyboard(visit):
    page = see_route(visit)
    expect(next_destination(page)).to_contain_text("away")  # the final order
    the_map(page).locator(".leaflet-container").focus()
    page.keyboard.press("Tab")
    for place in (1, 2, 3):
        expect(pin(page, place)).to_be_focused()
        page.keyboard.press("Tab")
    expect(pin(page, 4)).to_be_focused()
    page.keyboard.press("Enter")
    expect(popup(page)).to_contain_text("Evelyn Brooks")
    expect(popup(page)).to_be_focused()
    page.keyboard.press("Tab")
    expect(popup(page).get_by_role("link", name="Get Directions")).to_be_focused()
    page.keyboard.press("Escape")
    expect(popup(page)).to_have_count(0)
    expect(pin(page, 4)).to_be_focused()


@every_size
def test_missing_position_fits_the_map_to_the_stops_until_retry(visit, viewport):
    page = see_route(visit, viewport, granted=False)
    alert = page.get_by_role("alert").filter(has_text="Failed to get current location")
    expect(alert.get_by_role("heading", name="Error")).to_be_visible()
    expect(popup(page)).to_be_visible()
    assert all_on_the_map(page)
    expect(the_map(page).get_by_text("Your position")).to_have_count(0)
    expect(next_destination(page)).not_to_contain_text("away")
    expect(popup(page).get_by_role("link", name="Get Directions")).not_to_have_attribute(
        "href", re.compile("origin")
    )
    assert_accessible(page)
    page.context.grant_permissions(["geolocation"])
    page.context.set_geolocation(IN_SARASOTA)
    alert.get_by_role("button", name="Retry").click()
    expect(next_destination(page)).to_contain_text("away")
    expect(alert).to_have_count(0)
    expect(the_map(page).get_by_text("Your position")).to_be_attached()
