"""One neighborhood on the staff's screen, as a person works it."""

import re
from collections.abc import Callable
from io import BytesIO

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Page, Route, expect

from tests.flows.checks import assert_accessible, assert_accessible_at_every_size
from tests.flows.conftest import DESKTOP
from tests.flows.staff import row
from tests.flows.visitor import a_person, fill_in, modal, send

MARKUP = '<b>O\'Hara</b> & "Sons" 🌴'
ROUTE_CODE = "**/assets/_neighborhoods_.__neighborhood_id_*"
Open = Callable[..., Page]


@pytest.fixture
def open_neighborhood(visit_as_staff) -> Open:
    """Return a function that opens a neighborhood as signed-in staff."""

    def open_it(
        neighborhood_id: str, name: str, viewport: dict[str, int] = DESKTOP, **context: object
    ) -> Page:
        page = visit_as_staff(f"/neighborhoods/{neighborhood_id}", viewport, **context)
        expect(title(page)).to_have_text(name)
        return page

    return open_it


def title(page: Page):
    return page.get_by_role("heading", level=1)


def history(page: Page):
    return page.get_by_role("listitem").filter(has_text="by shared password")


def undo(page: Page):
    return page.get_by_role("button", name="Undo", exact=True)


def test_from_the_neighborhood_that_is_two_short_to_its_flyer_and_its_join_page(
    visit_as_staff, store, zip_code
):
    palm = store("Palm Court", 8, pioneer=("Ada", "Bell"), zip_code=zip_code)
    store("Bay View", 6, zip_code=zip_code)
    page = visit_as_staff(f"/neighborhoods?zip={zip_code}")
    row(page, "2 short of Tier 2").get_by_role("link", name="Palm Court").click()
    expect(title(page)).to_have_text("Palm Court")
    expect(page.get_by_text("2 more neighbors and everyone saves $10 a month")).to_be_visible()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Print flyer").click()
    flyer = opened.value
    expect(flyer.get_by_role("heading", name="Join Palm Court")).to_be_visible()
    with Image.open(BytesIO(flyer.screenshot(full_page=True))) as picture:
        (code,) = zxingcpp.read_barcodes(picture)
    flyer.goto(code.text)
    assert flyer.url.endswith(f"/join-neighborhood/{palm}")
    expect(modal(flyer).get_by_text("Palm Court")).to_be_visible()


def test_who_joins_appears_without_a_reload_and_leads_to_their_lead(
    open_neighborhood, visit, store, zip_code
):
    neighborhood = store("Palm Court", 4, zip_code=zip_code)
    page = open_neighborhood(neighborhood, "Palm Court")
    visitor = visit(f"/join-neighborhood/{neighborhood}")
    person = a_person(zip_code, **{"First name": "Grace", "Last name": "Hopper"})
    fill_in(modal(visitor), person)
    send(modal(visitor))
    modal(visitor).get_by_role("button", name="Join Neighborhood").click()
    expect(page.get_by_role("main").get_by_text("5", exact=True)).to_be_visible()
    expect(page.get_by_role("main").get_by_text("Tier 1")).to_be_visible()
    row(page, "Grace Hopper").get_by_role("link", name="Grace Hopper").click()
    expect(modal(page).get_by_role("heading", name="Grace Hopper")).to_be_visible()
    modal(page).get_by_role("link", name="Palm Court").click()
    expect(title(page)).to_have_text("Palm Court")


def test_a_name_is_changed_by_keyboard_and_taken_back(open_neighborhood, store, zip_code):
    page = open_neighborhood(store("Palm Court", 1, zip_code=zip_code), "Palm Court")
    page.get_by_role("button", name="Rename").focus()
    page.keyboard.press("Enter")
    field = modal(page).get_by_label("Neighborhood name")
    expect(field).to_have_value("Palm Court")
    field.fill("")
    page.keyboard.press("Enter")
    expect(field).to_have_accessible_description("Neighborhood name is required")
    expect(field).to_be_focused()
    assert_accessible(page)
    field.fill(MARKUP)
    page.keyboard.press("Enter")
    expect(title(page)).to_have_text(MARKUP)
    expect(page.get_by_role("button", name="Rename")).to_be_focused()
    expect(history(page)).to_contain_text([f"Renamed from Palm Court to {MARKUP}"])
    undo(page).press("Enter")
    expect(title(page)).to_have_text("Palm Court")
    expect(history(page)).to_contain_text(["undone"])


def test_two_neighborhoods_of_a_zip_become_one_in_every_tab_and_two_again(
    open_neighborhood, store, zip_code
):
    palm, bay = (
        store(name, members, zip_code=zip_code) for name, members in (("Palm Court", 3), ("Bay", 4))
    )
    store("Far Away", 1, zip_code="33101")
    page = open_neighborhood(palm, "Palm Court")
    other = page.context.new_page()
    other.goto(f"/neighborhoods/{bay}")
    expect(title(other)).to_have_text("Bay")
    page.get_by_role("button", name="Merge").click()
    chooser = modal(page).get_by_label("Neighborhood to merge")
    expect(chooser.get_by_role("option")).to_have_text(["Select a neighborhood", "Bay (4 members)"])
    modal(page).get_by_role("button", name="Merge").click()
    expect(modal(page).get_by_text("Choose a neighborhood")).to_be_visible()
    expect(chooser).to_have_attribute("aria-invalid", "true")
    chooser.select_option("Bay (4 members)")
    modal(page).get_by_role("button", name="Merge").click()
    expect(page.get_by_role("main").get_by_text("7", exact=True)).to_be_visible()
    expect(history(page)).to_contain_text(["Bay was merged into Palm Court: 4 members moved"])
    expect(title(other)).to_have_text("Palm Court")
    expect(other.get_by_text("The neighborhood of this address has been merged")).to_be_visible()
    undo(page).click()
    expect(page.get_by_role("main").get_by_text("3", exact=True)).to_be_visible()
    expect(title(other)).to_have_text("Bay")


def test_the_join_link_is_copied_and_its_code_says_the_same(open_neighborhood, store, zip_code):
    neighborhood = store("Palm Court", 1, zip_code=zip_code)
    page = open_neighborhood(
        neighborhood, "Palm Court", permissions=["clipboard-read", "clipboard-write"]
    )
    copy = page.get_by_role("button", name="Copy Link")
    copy.click()
    expect(copy).to_contain_text("Copied!")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith(f"/join-neighborhood/{neighborhood}")
    expect(page.get_by_text(link, exact=True)).to_be_visible()
    expect(copy).to_have_text("Copy Link")
    with Image.open(BytesIO(page.screenshot(full_page=True))) as picture:
        assert [code.text for code in zxingcpp.read_barcodes(picture)] == [link]


def test_axe_finds_nothing_and_nothing_is_cut_off(open_neighborhood, store, zip_code):
    name = "W" * 60
    store("Bay View", zip_code=zip_code)
    neighborhood = store(name, 3, pioneer=("X" * 90, "Bell"), zip_code=zip_code)
    page = open_neighborhood(neighborhood, name)
    assert_accessible_at_every_size(page)
    for tool in ("Merge", "Change pioneer"):
        page.get_by_role("button", name=tool).click()
        expect(modal(page)).to_be_visible()
        assert_accessible_at_every_size(page)
        page.keyboard.press("Escape")
        expect(modal(page)).to_be_hidden()
        expect(page.get_by_role("button", name=tool)).to_be_focused()


def test_page_whose_code_comes_after_the_answer_shows_it(open_neighborhood, store):
    """The frame connects before the page's own code is there, and it is answered once."""
    page = open_neighborhood(store("Slow Road"), "Slow Road")
    held: list[Route] = []
    page.route(ROUTE_CODE, lambda route: held.append(route))
    answered = re.compile(r"is_hydrated_rx_state_\W+true")
    with page.expect_websocket() as socket:
        page.goto(f"/neighborhoods/{store('Late Road')}", wait_until="commit")
    with socket.value.expect_event("framereceived", lambda frame: answered.search(str(frame))):
        pass
    held[0].continue_()
    expect(title(page)).to_have_text("Late Road")
