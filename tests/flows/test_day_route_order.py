"""Reordering the day's stops by buttons, keys and dragging."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.flows.conftest import DESKTOP, PHONE, until
from tests.flows.day_route import (
    FIRST_BY_TIME,
    next_destination,
    pin,
    popup,
    rows,
    see_route,
    the_map,
)


def order(page: Page) -> list[str]:
    listed = page.get_by_role("button", name=re.compile(r"^Move down "))
    return [
        (button.get_attribute("aria-label") or "").removeprefix("Move down ")
        for button in listed.all()
    ]


@pytest.fixture
def sorting(visit):
    """Return a function that opens the list in driving order."""

    def open_list(viewport: dict[str, int] = DESKTOP) -> tuple[Page, list[str]]:
        page = see_route(visit, viewport)
        expect(next_destination(page)).to_contain_text("away")
        page.get_by_role("button", name="Driving order").click()
        expect(page.get_by_role("button", name=f"Move down {FIRST_BY_TIME}")).to_be_visible()
        return page, order(page)

    return open_list


def test_buttons_move_a_stop_and_re_optimize_restores_the_order(sorting):
    page, before = sorting(PHONE)
    for name in ("Undo", "Re-optimize"):
        disabled = page.get_by_role("button", name=name)
        expect(disabled).to_be_disabled()
        expect(disabled).to_have_accessible_description(re.compile(r"no stop has been moved\.$"))
    page.get_by_role("button", name=f"Move down {before[0]}").click()
    expect(pin(page, 1)).to_have_accessible_name(f"Stop 1: {before[1]}")
    assert order(page) == [before[1], before[0], *before[2:]]
    expect(page.get_by_role("button", name=f"Move down {before[0]}")).to_be_focused()
    expect(next_destination(page)).to_contain_text(before[1])
    expect(popup(page)).to_contain_text(before[1])
    expect(rows(page).first).to_contain_text("drive")
    page.get_by_role("button", name="Re-optimize").click()
    expect(pin(page, 1)).to_have_accessible_name(f"Stop 1: {before[0]}")
    assert order(page) == before
    expect(page.get_by_role("button", name="Re-optimize")).to_be_disabled()
    expect(page.get_by_text("Re-optimize is off: this is the optimized order.")).to_be_visible()


def test_arrow_keys_on_the_handle_move_a_stop(sorting):
    page, before = sorting()
    handle = page.get_by_role("button", name=f"Move {before[2]}: drag, or press the arrow keys")
    handle.focus()
    page.keyboard.press("ArrowUp")
    expect(pin(page, 2)).to_have_accessible_name(f"Stop 2: {before[2]}")
    expect(handle).to_be_focused()
    expect(page.get_by_text(f"{before[2]} is now stop 2 of 9.")).to_be_attached()


def test_stop_is_dragged_to_another_place(sorting):
    page, before = sorting()
    line = the_map(page).locator("path.leaflet-interactive")
    drawn = line.get_attribute("d")
    handle = page.get_by_role("button", name=f"Move {before[0]}: drag")
    target = page.get_by_role("button", name=f"Move {before[2]}: drag")
    start, end = handle.bounding_box(), target.bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 5, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(start["x"] + 5, end["y"] + end["height"] / 2 + 10, steps=8)
    page.mouse.up()
    expect(pin(page, 3)).to_have_accessible_name(f"Stop 3: {before[0]}")
    assert order(page) == [*before[1:3], before[0], *before[3:]]
    until(
        page, f"document.querySelector('path.leaflet-interactive').getAttribute('d') !== '{drawn}'"
    )
