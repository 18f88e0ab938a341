"""Trucks as an admin works them, and a technician's way to their own page."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.flows.checks import assert_accessible, assert_accessible_at_every_size, assert_large
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.staff import row
from tests.flows.visitor import modal

PASSWORD = "gannets-dive-41-deep"
TRUCK = {
    "Name": "Gannet",
    "License plate": "FL 41",
    "Regular": "300",
    "Diesel": "100.5",
    "Meter number": "M-41",
    "Meter sealed on": "2026-05-01",
    "Home address": "100 Depot Rd, Sarasota, FL 34236",
}


def save(page: Page, **differs: str) -> None:
    for label, text in (TRUCK | differs).items():
        modal(page).get_by_label(label).fill(text)
    modal(page).get_by_role("button", name="Save truck").click()


def pin(page: Page) -> Locator:
    return modal(page).get_by_label("The pin: move it with the arrow keys")


def test_a_truck_is_added_changed_retired_and_brought_back(visit_as_staff, site):
    page = visit_as_staff("/settings/trucks", DESKTOP)
    expect(page.get_by_text("No truck yet")).to_be_visible()
    assert_accessible_at_every_size(page)

    page.get_by_role("button", name="Add truck").click()
    expect(modal(page)).to_be_visible()
    assert_accessible_at_every_size(page)
    assert_large(modal(page).get_by_role("button"))
    save(page, **{"Name": "", "Home address": "100 Depot Rd"})
    name = modal(page).get_by_label("Name")
    expect(name).to_have_accessible_description("Name is required")
    expect(name).to_be_focused()
    expect(modal(page).get_by_text("End the address with its ZIP")).to_be_visible()
    assert_accessible(page)

    save(page)
    expect(modal(page).get_by_text("This address is not on the map.")).to_be_visible()
    expect(pin(page)).to_be_visible()
    assert_accessible_at_every_size(page)
    pin(page).focus()
    page.keyboard.press("ArrowUp")
    modal(page).get_by_role("button", name="Save truck").click()
    expect(modal(page)).to_be_hidden()
    truck = row(page, "Gannet")
    expect(truck).to_contain_text("Regular 300, Diesel 100.5 gallons")
    expect(truck).to_contain_text("M-41, sealed May 1, 2026")
    assert_accessible_at_every_size(page)

    truck.get_by_role("button", name="Edit").click()
    expect(pin(page)).to_be_visible()
    expect(modal(page).get_by_label("Regular")).to_have_value("300")
    save(page, **{"Meter sealed on": "2099-05-01"})
    for _ in ("as it is said", "after the blur of the button"):
        expect(modal(page).get_by_text("Enter today or an earlier day")).to_be_visible()
        assert_accessible(page)
    save(page, **{"Name": "Gannet 2"})
    truck = row(page, "Gannet 2")
    truck.get_by_role("button", name="Retire").click()
    expect(truck).to_contain_text("Retired")
    assert_accessible(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(truck.get_by_role("button", name="Retire")).to_be_visible()
    truck.get_by_role("button", name="Retire").click()
    truck.get_by_role("button", name="Bring back").click()
    expect(truck.get_by_role("button", name="Retire")).to_be_visible()
    [(revision,)] = site.rows("SELECT revision FROM trucks WHERE name = 'Gannet 2'")
    assert revision == 6


def test_a_technician_comes_to_their_own_page_from_every_other(visit, site):
    site.add_person("tern@example.com", PASSWORD)
    whose = "SELECT id FROM people WHERE email = 'tern@example.com'"
    site.write(f"UPDATE person_roles SET role = 'technician' WHERE person_id = ({whose})")
    page = visit("/sign-in", PHONE)
    page.get_by_label("Email").fill("tern@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In", exact=True).click()
    page.wait_for_url("**/drive")
    expect(page.get_by_text(re.compile("All sent|Saved on this phone"))).to_be_visible()
    page.goto("/sign-in?next=/account")
    page.wait_for_url("**/drive")
