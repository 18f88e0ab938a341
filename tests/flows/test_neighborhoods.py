"""The staff's table of neighborhoods and its map, as a person works them."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.flows.checks import assert_accessible, assert_accessible_at_every_size, every_size
from tests.flows.conftest import DESKTOP
from tests.flows.staff import row, rows

Open = Callable[..., Page]


@pytest.fixture
def open_table(visit_as_staff) -> Open:
    """Return a function that opens the table as signed-in staff."""

    def open_it(query: str = "", viewport: dict[str, int] = DESKTOP, **context: object) -> Page:
        page = visit_as_staff(f"/neighborhoods{query}", viewport, **context)
        expect(page.get_by_role("heading", name="Neighborhoods", exact=True)).to_be_visible()
        return page

    return open_it


def asked(page: Page) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def names(page: Page) -> Locator:
    return rows(page).get_by_role("link")


def header(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name)


def circle(page: Page, zip_code: str) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^{zip_code}: "))


def test_staff_find_the_neighborhood_that_is_two_short_of_its_next_tier(
    open_table, store, zip_code
):
    store("Palm Court", 8, pioneer=("Ada", "Bell"), zip_code=zip_code)
    store("Bay View", 1, zip_code=zip_code)
    store("Osprey Point", 20, pioneer=("Grace", "Hopper"), zip_code=zip_code)
    page = open_table()
    page.get_by_label("ZIP contains").fill(zip_code)
    expect(rows(page)).to_have_count(3)
    expect(page.get_by_text("3 matches")).to_be_visible()
    page.get_by_label("Short of next tier").select_option("By 2 or fewer")
    expect(rows(page)).to_have_count(1)
    for text in ("Palm Court", "Ada Bell", "Tier 1", "2 short of Tier 2"):
        expect(rows(page).first).to_contain_text(text)
    bar = rows(page).first.get_by_role("progressbar", name="8 of 10 members")
    expect(bar).to_have_attribute("value", "8")
    assert asked(page) == {"zip": zip_code, "missing": "2"}
    page.reload()
    expect(rows(page)).to_have_count(1)
    expect(page.get_by_label("ZIP contains")).to_have_value(zip_code)
    expect(page.get_by_label("Short of next tier")).to_have_value("2")
    page.get_by_label("Short of next tier").select_option("By any number")
    expect(rows(page)).to_have_count(3)
    expect(row(page, "Bay View")).to_contain_text("No pioneer")


def test_a_circle_stands_where_its_groups_are_and_lists_them(open_table, store, zip_code):
    store("Palm Court", 20, zip_code="34285")
    store("Bay View", 3, zip_code="34285")
    page = open_table()
    here = circle(page, "34285")
    expect(here).to_have_accessible_name(
        "34285: 2 neighborhoods, 23 members, the largest at Tier 3"
    )
    expect(here).to_have_text("23")
    legend = (
        "The number counts the members in the ZIP. The color is its largest neighborhood's tier:"
    )
    expect(page.get_by_text(legend)).to_be_visible()
    assert_accessible(page)
    here.focus()
    page.keyboard.press("Enter")
    expect(names(page)).to_have_text(["Bay View", "Palm Court"])
    expect(here).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("ZIP contains")).to_have_value("34285")
    page.keyboard.press("Enter")
    expect(here).to_have_attribute("aria-pressed", "false")
    assert asked(page) == {}


@every_size
def test_no_circle_lies_under_the_zoom_buttons(open_table, store, company, viewport):
    store(company, 40, zip_code="34209")  # in the corner of the service area beside them
    page = open_table(viewport=viewport)
    expect(circle(page, "34209")).to_be_visible()
    zoom = page.locator(".leaflet-control-zoom").bounding_box()
    assert zoom
    for each in page.get_by_role("button", name=re.compile(r"^\d{5}: ")).all():
        box = each.bounding_box()
        assert box
        assert any(
            box[start] >= zoom[start] + zoom[size] or zoom[start] >= box[start] + box[size]
            for start, size in (("x", "width"), ("y", "height"))
        )


def test_the_table_by_keyboard_alone(open_table, store, zip_code):
    neighborhood_id = store("Palm Court", 2, zip_code=zip_code)
    store("Bay View", 3, zip_code=zip_code)
    page = open_table(f"?zip={zip_code}")
    expect(rows(page)).to_have_count(2)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("palm")
    expect(rows(page)).to_have_count(1)
    expect(page.get_by_role("searchbox")).to_be_focused()
    header(page, "Members").get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(header(page, "Members")).to_have_attribute("aria-sort", "ascending")
    names(page).first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/neighborhoods/{neighborhood_id}")


def test_the_table_is_accessible_and_fits(open_table, store, zip_code):
    store("W" * 60, 8, pioneer=("W" * 50, "Bell"), zip_code=zip_code)
    page = open_table(f"?zip={zip_code}&min=9&max=8")
    expect(page.get_by_text("No neighborhoods found")).to_be_visible()
    assert_accessible_at_every_size(page)
    page.get_by_role("button", name="Show all").click()
    expect(rows(page).first).to_be_visible()
    assert_accessible_at_every_size(page)
