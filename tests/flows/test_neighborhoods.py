"""The staff's table of neighborhoods and its map, as a person works them."""

import csv
import re
from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.flows.conftest import DESKTOP, PHONE, until
from tests.flows.neighborhoods import Store, store_neighborhood
from tests.flows.staff import row, rows, sign_in
from tests.flows.test_keyboard_and_readers import assert_accessible
from tests.flows.visitor import join_waitlist, modal

Open = Callable[..., Page]


@pytest.fixture
def store(site) -> Store:
    return partial(store_neighborhood, site)


@pytest.fixture
def open_table(visit) -> Open:
    """Opens the table as signed-in staff."""

    def open_it(query: str = "", viewport: dict[str, int] = DESKTOP, **context: object) -> Page:
        page = visit(f"/neighborhoods{query}", viewport, **context)
        sign_in(page)
        expect(page.get_by_role("heading", name="Neighborhoods", exact=True)).to_be_visible()
        # Then the fields hold what the address says, too.
        expect(page.get_by_role("table").first).to_have_attribute("aria-busy", "false")
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
    cells = rows(page).first.get_by_role("cell")
    expect(cells.nth(0)).to_have_text("Palm Court")
    expect(cells.nth(1)).to_contain_text(zip_code)
    expect(cells.nth(2)).to_contain_text("Ada Bell")
    expect(cells.nth(3)).to_contain_text("8")
    expect(cells.nth(3)).to_contain_text("Tier 1")
    expect(cells.nth(3)).to_contain_text("2 short of Tier 2")
    bar = cells.nth(3).get_by_role("progressbar", name="8 of 10 members")
    expect(bar).to_have_attribute("value", "8")
    expect(bar).to_have_attribute("max", "10")
    assert asked(page) == {"zip": zip_code, "missing": "2"}
    page.reload()
    expect(rows(page)).to_have_count(1)
    expect(page.get_by_label("ZIP contains")).to_have_value(zip_code)
    expect(page.get_by_label("Short of next tier")).to_have_value("2")
    page.get_by_label("Short of next tier").select_option("By any number")
    expect(rows(page)).to_have_count(3)
    expect(row(page, "Bay View")).to_contain_text("No pioneer")


def test_a_header_sorts_one_way_and_then_the_other(open_table, store, zip_code):
    for name, members, pioneer in (
        ("Bay View", 3, ("Zoe", "Adams")),
        ("Palm Court", 12, ("Ada", "Young")),
        ("Osprey Point", 7, ("Bob", "Young")),
    ):
        store(name, members, pioneer=pioneer, zip_code=zip_code)
    page = open_table(f"?zip={zip_code}")
    expect(names(page)).to_have_text(["Bay View", "Osprey Point", "Palm Court"])
    for column, order in (
        ("Members", ["Bay View", "Osprey Point", "Palm Court"]),
        ("Pioneer", ["Bay View", "Palm Court", "Osprey Point"]),
    ):
        header(page, column).get_by_role("button").click()
        expect(header(page, column)).to_have_attribute("aria-sort", "ascending")
        expect(names(page)).to_have_text(order)
        header(page, column).get_by_role("button").click()
        expect(header(page, column)).to_have_attribute("aria-sort", "descending")
        expect(names(page)).to_have_text(order[::-1])
    assert asked(page) == {"zip": zip_code, "sort": "-pioneer"}
    page.get_by_label("Sort by").select_option("Closest to the next tier")
    expect(names(page)).to_have_text(["Bay View", "Osprey Point", "Palm Court"])
    page.go_back()
    expect(names(page)).to_have_text(["Osprey Point", "Palm Court", "Bay View"])
    expect(page.get_by_label("Sort by")).to_have_value("-pioneer")


def test_numbers_that_are_none_are_explained_beside_their_field(open_table, store, zip_code):
    store("Palm Court", 8, zip_code=zip_code)
    page = open_table(f"?zip={zip_code}")
    least, most = page.get_by_label("Min members"), page.get_by_label("Max members")
    least.fill("a few")
    expect(least).to_have_accessible_description("Enter a whole number")
    expect(least).to_have_attribute("aria-invalid", "true")
    expect(rows(page)).to_have_count(1)
    least.fill("9")
    most.fill("8")
    expect(least).to_have_accessible_description("This is more than the maximum")
    expect(page.get_by_text("No neighborhoods found")).to_be_visible()
    least.fill("8")
    expect(least).to_have_accessible_description("")
    expect(rows(page)).to_have_count(1)
    expect(least).to_be_focused()
    least.fill("10")
    page.get_by_role("button", name="Show all").click()
    expect(least).to_have_value("")
    expect(page.get_by_text(re.compile(r"^\d+ neighborhoods?$"))).to_be_visible()


def test_markup_in_a_name_is_a_name(open_table, store, zip_code):
    name = '<img src=x onerror="alert(1)"> & <b>Co</b>'
    store(name, 2, zip_code=zip_code)
    page = open_table(f"?zip={zip_code}")
    expect(names(page)).to_have_text([name])


def test_a_row_opens_its_neighborhood(open_table, store, zip_code):
    neighborhood_id = store("Palm Court", 2, zip_code=zip_code)
    page = open_table(f"?zip={zip_code}")
    rows(page).first.get_by_role("cell").nth(1).click()
    page.wait_for_url(f"**/neighborhoods/{neighborhood_id}")
    page.go_back()
    page.wait_for_url(f"**/neighborhoods?zip={zip_code}")
    names(page).first.click()
    page.wait_for_url(f"**/neighborhoods/{neighborhood_id}")
    page.go_back()
    page.wait_for_url(f"**/neighborhoods?zip={zip_code}")


def test_the_join_link_is_copied_and_says_so_for_two_seconds(open_table, store, site, zip_code):
    neighborhood_id = store("Palm Court", 2, zip_code=zip_code)
    page = open_table(f"?zip={zip_code}", permissions=["clipboard-read", "clipboard-write"])
    copy = page.get_by_role("button", name="Copy Link of Palm Court")
    copy.click()
    expect(copy).to_contain_text("Copied!")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{site.url}/join-neighborhood/{neighborhood_id}"
    expect(copy).to_contain_text("Copy Link")
    assert asked(page) == {"zip": zip_code}  # the row did not open


def test_whoever_joins_is_counted_without_a_reload(open_table, visit, store, zip_code):
    neighborhood_id = store("Palm Court", 4, zip_code=zip_code)
    page = open_table(f"?zip={zip_code}")
    expect(rows(page).first).to_contain_text("1 short of Tier 1")
    neighbor = visit(f"/join-neighborhood/{neighborhood_id}", PHONE)
    expect(modal(neighbor)).to_be_visible()  # it opens by itself here
    join_waitlist(neighbor, zip_code)
    modal(neighbor).get_by_role("button", name="Join Neighborhood").click()
    expect(rows(page).first).to_contain_text("5 short of Tier 2")
    expect(rows(page).first.get_by_role("progressbar")).to_have_attribute("value", "5")


def test_a_circle_stands_where_its_neighborhoods_are_and_lists_them(open_table, store, zip_code):
    store("Palm Court", 20, zip_code="34285")
    store("Bay View", 3, zip_code="34285")
    page = open_table()
    here = circle(page, "34285")
    expect(here).to_have_accessible_name("34285: 2 groups, 23 members, the largest at Tier 3")
    assert_accessible(page)
    here.focus()
    page.keyboard.press("Enter")
    expect(names(page)).to_have_text(["Bay View", "Palm Court"])
    expect(here).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("ZIP contains")).to_have_value("34285")
    page.keyboard.press("Enter")
    expect(here).to_have_attribute("aria-pressed", "false")
    assert asked(page) == {}


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


def test_on_a_phone_rows_are_cards(open_table, store, zip_code):
    store("Palm Court with a name as long as a name of a group may ever be, or so", 8,
          zip_code=zip_code)  # fmt: skip
    page = open_table(f"?zip={zip_code}", PHONE)
    expect(rows(page)).to_have_count(1)
    expect(rows(page).first.get_by_text("Members", exact=True)).to_be_visible()
    until(page, "document.documentElement.scrollWidth <= 360")
    assert_accessible(page)


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_axe_finds_nothing(open_table, store, zip_code, viewport):
    store("Palm Court", 8, pioneer=("Ada", "Bell"), zip_code=zip_code)
    page = open_table(f"?zip={zip_code}&min=9&max=8", viewport)
    expect(page.get_by_text("No neighborhoods found")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Show all").click()
    expect(rows(page).first).to_be_visible()
    assert_accessible(page)


def test_the_export_has_the_rows_that_the_filters_leave(open_table, store, zip_code):
    store("=Palm Court", 8, zip_code=zip_code)
    store("Bay View", 3, zip_code=zip_code)
    page = open_table(f"?zip={zip_code}&sort=-members")
    expect(rows(page)).to_have_count(2)
    with page.expect_download() as download:
        page.get_by_role("link", name="Export CSV").click()
    assert re.fullmatch(r"neighborhoods-\d{4}-\d\d-\d\d\.csv", download.value.suggested_filename)
    with download.value.path().open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["Name", "ZIP Code", "Members", "Created At"]
    assert [line[:3] for line in lines[1:]] == [
        ["'=Palm Court", zip_code, "8"],
        ["Bay View", zip_code, "3"],
    ]
