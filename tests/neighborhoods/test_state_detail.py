"""One neighborhood on the staff's screen, in a tab without a browser."""

from typing import Any

import pytest

from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import PAGE_SIZE
from fuel_app.office.state.neighborhood import NeighborhoodState, NeighborhoodToolsState
from tests.helpers.neighborhood_screen import Staff
from tests.helpers.neighborhoods import (
    NEIGHBORHOODS,
    detail,
    members_of,
    merge,
    neighborhood,
    remove,
    undo,
)
from tests.helpers.tabs import go_to, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def test_a_neighborhood_shows_its_figures_its_pioneer_and_its_members():
    palm = await neighborhood("Palm Court", 8, pioneer=("Grace", "Hopper"), zip_code="34236")
    shown = await (await Staff.on(palm)).screen()
    assert (shown.neighborhood.name, shown.neighborhood.zip_code) == ("Palm Court", "34236")
    assert (shown.neighborhood.tier, shown.neighborhood.goal) == ("Tier 1", 10)
    assert shown.count == "8 members"
    assert shown.neighborhood.next_step.startswith("2 more neighbors and everyone saves $10")
    assert (shown.pioneer.name, shown.pioneer.joined) == ("Grace Hopper", "Mar 8, 2026")
    assert [person.id for person in shown.rows] == await members_of(palm)
    assert shown.rows[0].lead == f"/submissions?lead={shown.rows[0].id}"
    assert shown.join_link.endswith(f"/join-neighborhood/{palm}")
    assert (shown.loading, shown.missing, shown.merged) == (False, False, False)


async def test_a_neighborhood_without_a_pioneer_says_so():
    shown = await (await Staff.on(await neighborhood("Palm Court", 1))).screen()
    assert (shown.pioneer.id, shown.count) == ("", "1 member")


@pytest.mark.parametrize("asked", ["nonsense", "0b8f1c1e-5a5e-4a0e-9a2c-1d2f3a4b5c6d", "%3Cb%3E"])
async def test_what_is_no_neighborhood_is_not_found(asked):
    shown = await (await Staff.on(asked)).screen()
    assert (shown.missing, shown.loading, shown.neighborhood.id) == (True, False, "")


async def test_a_stranger_sees_and_changes_nothing():
    palm = await neighborhood("Palm Court", 3)
    tab = tab_at(f"/neighborhoods/{palm}")
    screen = await tab.get_state(NeighborhoodState)
    tools = await tab.get_state(NeighborhoodToolsState)
    await run(NeighborhoodState.load.fn(screen))  # type: ignore[attr-defined]
    await run(NeighborhoodToolsState.open_rename.fn(tools))  # type: ignore[attr-defined]
    await run(NeighborhoodToolsState.submit.fn(tools, {"name": "Mine"}))  # type: ignore[attr-defined]
    assert (screen.neighborhood.id, screen.rows, tools.opened) == ("", [], "")
    assert (await detail(palm)).neighborhood.name == "Palm Court"


async def test_the_members_turn_pages_and_sort_by_the_address():
    palm = await neighborhood("Palm Court", 2 * PAGE_SIZE + 1)
    everyone = await members_of(palm)
    staff = await Staff.on(palm)
    shown = await staff.screen()
    assert await staff.run("turn_to", 3) == f"/neighborhoods/{palm}?page=3"
    assert [person.id for person in shown.rows] == everyone[-1:]
    assert await staff.run("sort_by", "joined") == f"/neighborhoods/{palm}?sort=-joined"
    assert [person.id for person in shown.rows] == everyone[: -PAGE_SIZE - 1 : -1]
    assert (shown.question.sort, shown.question.page, shown.pages) == ("-joined", 1, 3)
    assert await staff.run("jump", {"page": "2"}) == f"/neighborhoods/{palm}?sort=-joined&page=2"
    assert await staff.run("sort_by", "email") == f"/neighborhoods/{palm}?sort=email"
    assert await staff.run("sort_by", "joined") == f"/neighborhoods/{palm}"


async def test_a_neighborhood_that_is_merged_elsewhere_shows_the_one_that_it_became_part_of():
    palm, bay = await neighborhood("Palm Court", 3), await neighborhood("Bay View", 2)
    staff = await Staff.on(palm)
    change = await merge(bay, palm)
    shown = await staff.screen()
    await shown._refresh()
    assert (shown.neighborhood.name, shown.count, shown.merged) == ("Bay View", "5 members", True)
    await undo(change.id)
    await shown._refresh()
    assert (shown.neighborhood.name, shown.merged) == ("Palm Court", False)


async def test_a_neighborhood_that_is_deleted_elsewhere_is_not_found_and_nothing_of_it_stays():
    palm = await neighborhood("Palm Court", 3, pioneer=("Ada", "Bell"))
    staff = await Staff.on(palm)
    await remove(NEIGHBORHOODS, palm)
    shown = await staff.screen()
    await shown._refresh()
    assert shown.missing
    assert (shown.neighborhood.id, shown.pioneer.id, shown.rows, shown.changes) == ("", "", [], [])


async def test_another_neighborhood_starts_from_nothing():
    palm, bay = await neighborhood("Palm Court", 3), await neighborhood("Bay View", 2)
    staff = await Staff.on(palm)
    go_to(staff.tab, f"/neighborhoods/{bay}", cookie=staff.cookie)
    seen = []
    screen = await staff.screen()
    async for _ in NeighborhoodState.load.fn(screen):  # type: ignore[attr-defined]
        seen.append((screen.loading, screen.neighborhood.name, len(screen.rows)))
    assert seen[0] == (True, "", 0)
    assert (screen.loading, screen.neighborhood.name) == (False, "Bay View")


async def test_a_read_that_fails_leaves_what_is_shown(monkeypatch):
    async def fails(*_: Any) -> None:
        raise RuntimeError("gone")

    palm = await neighborhood("Palm Court", 3)
    staff = await Staff.on(palm)
    shown = await staff.screen()
    monkeypatch.setattr(neighborhoods, "detail", fails)
    await shown._refresh()
    assert (shown.neighborhood.name, shown.missing) == ("Palm Court", False)
    other = await (await Staff.on(palm)).screen()
    assert (other.missing, other.loading) == (True, False)
