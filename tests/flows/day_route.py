"""The day's route on the dashboard, found by role and text."""

import re

from playwright.sync_api import Geolocation, Locator, Page

from tests.flows.conftest import Visit

IN_SARASOTA: Geolocation = {"latitude": 27.35, "longitude": -82.52}
GRANTED = {"permissions": ["geolocation"], "geolocation": IN_SARASOTA}
FIRST_BY_TIME = "Maria Alvarez"


def see_route(visit: Visit, *viewport: dict[str, int], granted: bool = True) -> Page:
    """Open the admin view; `granted` gives the site the visitor's position."""
    page = visit("/dashboard", *viewport, **(GRANTED if granted else {}))
    show_admin_view(page)
    return page


def show_admin_view(page: Page) -> None:
    page.get_by_role("button", name="Switch to Admin View").click()


def the_map(page: Page) -> Locator:
    return page.get_by_role("region", name="Route map")


def pin(page: Page, place: int) -> Locator:
    return the_map(page).get_by_role("button", name=re.compile(rf"^Stop {place}:"))


def popup(page: Page) -> Locator:
    return the_map(page).get_by_role("heading").locator("..")


def rows(page: Page) -> Locator:
    return page.get_by_role("listitem").filter(has_text="scheduled")


def row(page: Page, customer: str) -> Locator:
    return rows(page).get_by_role("button", name=re.compile(rf"^\d+\s*{customer}"))


def next_destination(page: Page) -> Locator:
    return page.get_by_text("Next Destination").locator("..")


def tiles_shown(page: Page) -> Locator:
    return the_map(page).locator("img.leaflet-tile-loaded")


def all_on_the_map(page: Page) -> bool:
    """Return True if the map shows every stop."""
    outer = the_map(page).bounding_box()
    pins = [pin(page, place).bounding_box() for place in range(1, 10)]
    assert outer
    return all(
        box
        and outer["x"] <= box["x"] <= outer["x"] + outer["width"] - box["width"]
        and outer["y"] <= box["y"] <= outer["y"] + outer["height"] - box["height"]
        for box in pins
    )
