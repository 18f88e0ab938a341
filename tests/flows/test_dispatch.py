"""A dispatcher's work on the board: plan, drag, keys, pin, undo, publish; and two at once."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from fuel_app.dispatch.rules.day import RouteChanged
from tests import seed_board
from tests.flows.checks import assert_accessible
from tests.flows.company import Browse, arrive, company_site
from tests.flows.conftest import DESKTOP, PHONE, alive
from tests.flows.visitor import escape, modal
from tests.site import Site, seeded

TRUCKS = ("North", "South")
CHANGED = str(RouteChanged())


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, Any]]]:
    """A site with days to plan; each test takes another one."""
    with company_site(tmp_path_factory.mktemp("board")) as site:
        yield site, seeded(site.database_url, seed_board.seed(3))


@pytest.fixture
def open_board(days: tuple[Site, dict[str, Any]], browse: Browse) -> Callable[..., Page]:
    """Return a function that opens the board of a day for one of two dispatchers."""
    site, known = days
    day = known["days"].pop()

    def open_page(viewport: dict[str, int] = DESKTOP, who: int = 0) -> Page:
        page = browse(site, viewport, known["dispatchers"][who])
        arrive(page, f"/dispatch?day={day}")
        return page

    return open_page


def stops(page: Page, truck: str) -> Locator:
    """Return the stops of a truck, without the places for one that is picked up."""
    listed = page.get_by_role("list", name=f"Stops of {truck}")
    return listed.locator("[data-stop]")


def counts(page: Page) -> list[int]:
    return [stops(page, truck).count() for truck in TRUCKS]


def gaps(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile(r"^Here"))


def move_button(stop: Locator) -> Locator:
    return stop.get_by_role("button", name=re.compile("^Move"))


def fuller(page: Page) -> tuple[str, str]:
    """Return the truck with more stops, then the other one."""
    north, south = counts(page)
    first, second = TRUCKS
    return (first, second) if north >= south else (second, first)


def expect_stops(page: Page, total: int) -> None:
    both = page.locator("[data-column] ol [data-stop]")
    expect(both).to_have_count(total, timeout=60_000)


def plan(page: Page) -> None:
    page.get_by_role("button", name="Plan the day").click()
    expect(page.get_by_text("6 stops planned", exact=True)).to_be_visible(timeout=60_000)
    expect_stops(page, 6)


def undo(page: Page) -> None:
    page.get_by_role("button", name="Undo", exact=True).click()


def test_a_day_is_planned_moved_by_mouse_and_keys_and_published(open_board):
    page = open_board()
    unassigned = page.get_by_role("list", name="Unassigned", exact=True)
    expect(unassigned.get_by_role("listitem")).to_have_count(6)
    assert_accessible(page)
    plan(page)
    undo(page)
    expect(unassigned.get_by_role("listitem")).to_have_count(6)
    plan(page)
    expect(page.get_by_text("No unassigned bookings.")).to_be_visible()
    shows_all_parts_at_once(page)
    widen_the_map_by_keys(page)
    search(page)
    drag_to_the_other_truck(page)
    move_by_keyboard(page)
    pin(page)
    assert_accessible(page)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Published", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Unpublish")).to_be_focused()
    take_the_day_back(page)
    only_look_at_a_past_day(page)


def shows_all_parts_at_once(page: Page) -> None:
    """The columns scroll by themselves, so that the head and the timeline stay in sight."""
    page.set_viewport_size({"width": 1280, "height": 900})
    parts = [page.get_by_role("region", name=name) for name in ("Timeline", "Unassigned")]
    above, below = (part.bounding_box() for part in parts)
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"]
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]


def widen_the_map_by_keys(page: Page) -> None:
    between = page.get_by_role("separator", name="Width of the map")
    between.focus()
    page.keyboard.press("Home")
    expect(between).to_have_attribute("aria-valuenow", "25")
    page.keyboard.press("ArrowRight")
    expect(between).to_have_attribute("aria-valuenow", "30")


def search(page: Page) -> None:
    page.get_by_label("Search by name").fill("grace")
    expect(page.get_by_text("1 found", exact=True)).to_be_visible()
    expect(page.locator("[data-column] ol [data-stop]:visible")).to_have_count(1)
    page.get_by_label("Search by name").fill("")
    expect(page.locator("[data-column] ol [data-stop]:visible")).to_have_count(6)


def take_the_day_back(page: Page) -> None:
    page.get_by_role("button", name="Unpublish").click()
    expect(modal(page).get_by_text("No message goes out.")).to_be_visible()
    assert_accessible(page)
    modal(page).get_by_role("button", name="Unpublish the day").click()
    expect(page.get_by_text("Open", exact=True)).to_be_visible()
    undo(page)
    expect(page.get_by_text("Published", exact=True)).to_be_visible()


def only_look_at_a_past_day(page: Page) -> None:
    page.goto("/dispatch?day=2026-01-05")
    alive(page)
    expect(page.get_by_text("Monday, January 5, 2026")).to_be_visible()
    for name in ("Plan the day", "Publish", "Weather hold"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()


def drag_to_the_other_truck(page: Page) -> None:
    source, target = fuller(page)
    before = stops(page, target).count()
    stop = stops(page, source).first
    last = stops(page, source).last
    was = last.bounding_box()
    stop.hover(position={"x": 60, "y": 12})
    page.mouse.down()
    page.mouse.move(400, 400, steps=4)
    column = page.locator("[data-column]").filter(has=page.get_by_role("heading", name=target))
    place = column.get_by_role("button", name=re.compile("^Here")).first
    expect(place).to_be_visible()
    assert last.bounding_box() == was  # nothing moves under the pointer
    place.hover()
    place.hover()  # the first one is dragenter alone
    page.mouse.up()
    expect(stops(page, target)).to_have_count(before + 1)
    expect(gaps(page)).to_have_count(0)
    undo(page)
    expect(stops(page, target)).to_have_count(before)


def move_by_keyboard(page: Page) -> None:
    source, target = fuller(page)
    before = stops(page, target).count()
    button = move_button(stops(page, source).first)
    button.focus()
    page.keyboard.press("Enter")
    best = page.locator("[data-gap]:focus")
    expect(best).to_have_accessible_name(re.compile("best"))
    page.keyboard.press("Escape")
    expect(gaps(page)).to_have_count(0)
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(best).to_be_visible()
    assert_accessible(page)
    column = page.locator("[data-column]", has=page.locator("[data-gap]:focus"))
    if column.get_by_role("heading", name=target).count() == 0:
        page.keyboard.press("ArrowRight" if target == TRUCKS[1] else "ArrowLeft")
    page.keyboard.press("Enter")
    expect(stops(page, target)).to_have_count(before + 1)
    expect(gaps(page)).to_have_count(0)


def pin(page: Page) -> None:
    source, _ = fuller(page)
    stop = stops(page, source).first
    stop.get_by_role("button").first.click()
    expect(modal(page).get_by_text("Palm Ave")).to_be_visible()
    expect(modal(page).get_by_role("term").first).to_have_text("Window")
    expect(modal(page).get_by_role("link", name="(941)")).to_be_visible()
    assert_accessible(page)
    modal(page).get_by_role("button", name="Pin to its truck").click()
    expect(stop.get_by_text("Pinned", exact=True)).to_be_visible()


def test_two_dispatchers_see_each_others_changes_and_overwrite_none(open_board):
    one, other = open_board(), open_board(who=1)
    plan(one)
    expect_stops(other, 6)
    source, target = fuller(one)
    for page in (one, other):
        move_button(stops(page, source).first).click()
        expect(gaps(page).first).to_be_visible()
    before = stops(one, target).count()
    into(one, target).click()
    for page in (one, other):
        expect(stops(page, target)).to_have_count(before + 1)
    into(other, target).click()
    said = other.get_by_text(CHANGED, exact=True)
    expect(said).to_be_visible()
    expect(stops(other, target)).to_have_count(before + 1)
    expect_stops(other, 6)


def into(page: Page, truck: str) -> Locator:
    column = page.locator("[data-column]").filter(has=page.get_by_role("heading", name=truck))
    return column.get_by_role("button", name=re.compile("^Here")).first


def test_a_phone_shows_one_part_at_a_time(open_board):
    page = open_board(PHONE)
    parts = page.get_by_role("group", name="Parts of the board")
    parts.get_by_role("button", name="Unassigned 6", exact=True).click()
    waiting = page.get_by_role("list", name="Unassigned", exact=True)
    expect(waiting.get_by_role("listitem")).to_have_count(6)
    assert_accessible(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    for sticky in (page.get_by_role("button", name="Plan the day"), parts):
        expect(sticky).to_be_in_viewport()
    move_button(waiting.get_by_role("listitem").first).click()
    expect(gaps(page).first).to_be_visible()
    gaps(page).first.click()
    expect(stops(page, "North")).to_have_count(1)
    for part in ("Map", "Timeline"):
        parts.get_by_role("button", name=part).click()
        expect(page.get_by_role("region", name=re.compile(part)).first).to_be_visible()
        assert_accessible(page)
    page.get_by_role("button", name="Weather hold").click()
    expect(modal(page).get_by_text("would be on hold")).to_be_visible()
    assert_accessible(page)
    escape(page)
