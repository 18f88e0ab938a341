"""One neighborhood on the staff's screen, and its tools, in a tab without a browser."""

from typing import Any

import pytest

from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import PAGE_SIZE
from fuel_app.office.state.neighborhood import NeighborhoodState
from tests.factories import UNKNOWN_ID
from tests.helpers.neighborhood_screen import Staff
from tests.helpers.neighborhoods import (
    NEIGHBORHOODS,
    members_of,
    merge,
    neighborhood,
    remove,
    rename,
    undo,
)
from tests.helpers.tabs import go_to

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def test_a_neighborhood_shows_its_figures_its_pioneer_and_its_members():
    palm = await neighborhood("Palm Court", 8, pioneer=("Grace", "Hopper"), zip_code="34236")
    shown = await (await Staff.on(palm)).screen()
    assert (shown.neighborhood.name, shown.neighborhood.zip_code) == ("Palm Court", "34236")
    assert (shown.neighborhood.tier, shown.neighborhood.goal) == ("Tier 1", 10)
    assert shown.count == "8"
    assert shown.neighborhood.next_step.startswith("2 more neighbors and everyone saves $10")
    assert (shown.pioneer.name, shown.pioneer.joined) == ("Grace Hopper", "Mar 8, 2026")
    assert [person.id for person in shown.rows] == await members_of(palm)
    assert shown.rows[0].lead == f"/submissions?lead={shown.rows[0].id}"
    assert shown.join_link.endswith(f"/join-neighborhood/{palm}")
    assert (shown.loading, shown.missing, shown.merged) == (False, False, False)
    assert not shown.can_merge
    other = await (await Staff.on(await neighborhood("Bay View", 1))).screen()
    assert other.can_merge
    assert (other.pioneer.id, other.count) == ("", "1")


@pytest.mark.parametrize("asked", ["nonsense", UNKNOWN_ID, "%3Cb%3E"])
async def test_what_is_no_neighborhood_is_not_found(asked):
    shown = await (await Staff.on(asked)).screen()
    assert (shown.missing, shown.loading, shown.neighborhood.id) == (True, False, "")


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


async def test_what_happens_elsewhere_is_shown():
    palm, bay = await neighborhood("Palm Court", 3), await neighborhood("Bay View", 2)
    staff = await Staff.on(palm)
    change = await merge(bay, palm)
    shown = await staff.screen()
    await shown._refresh()
    assert (shown.neighborhood.name, shown.count, shown.merged) == ("Bay View", "5", True)
    await undo(change.id)
    await shown._refresh()
    assert (shown.neighborhood.name, shown.merged) == ("Palm Court", False)
    await remove(NEIGHBORHOODS, palm)
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
    shown = await (await Staff.on(palm)).screen()
    monkeypatch.setattr(neighborhoods, "detail", fails)
    await shown._refresh()
    assert (shown.neighborhood.name, shown.missing) == ("Palm Court", False)
    other = await (await Staff.on(palm)).screen()
    assert (other.missing, other.loading) == (True, False)


async def test_a_neighborhood_is_renamed_and_undo_gives_the_old_name_back():
    staff = await Staff.on(await neighborhood("Palm Court", 2))
    shown, tools = await staff.screen(), await staff.tools()
    await staff.use("open_rename")
    await staff.use("submit", {"name": "Palm Court"})  # no change
    assert (tools.opened, await staff.offered()) == (False, "")
    await staff.use("submit", {"name": "Osprey"})  # the dialog is closed
    await staff.use("edit", {"name": ""})
    assert (shown.neighborhood.name, tools.error) == ("Palm Court", "")
    await staff.use("open_rename")
    await staff.use("submit", {"name": "  <b>Élan</b> "})
    assert (shown.neighborhood.name, tools.opened) == ("<b>Élan</b>", False)
    assert await staff.offered() == "Renamed from Palm Court to <b>Élan</b>"
    assert await staff.undo() == ["Undone."]
    assert shown.neighborhood.name == "Palm Court"
    assert [(line.what, line.who, line.undone) for line in shown.changes] == [
        ("Renamed from Palm Court to <b>Élan</b>", "by shared password", True)
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "Neighborhood name is required"),
        ("bay  VIEW", "A neighborhood with this name already exists in 34236"),
    ],
)
async def test_a_name_that_cannot_be_is_refused_beside_its_field(name, message):
    await neighborhood("Bay View", zip_code="34236")
    staff = await Staff.on(await neighborhood("Palm Court", zip_code="34236"))
    tools = await staff.tools()
    await staff.use("open_rename")
    assert await staff.use("submit", {"name": name}) == ["neighborhood_tool_name"]
    assert (tools.errors["name"], tools.tool, tools.busy) == (message, "rename", False)
    await staff.use("edit", {"name": name})
    assert tools.errors["name"] == message
    await staff.use("edit", {"name": "Osprey"})
    assert tools.errors["name"] == ""
    assert await staff.offered() == ""


async def test_another_neighborhood_of_the_zip_is_merged_into_this_one_and_undo_parts_them():
    palm, bay = await neighborhood("Palm Court", 3), await neighborhood("Bay View", 2)
    await neighborhood("Osprey", zip_code="34229")
    staff = await Staff.on(palm)
    await staff.use("open_merge")
    tools, shown = await staff.tools(), await staff.screen()
    assert [(other.id, other.text) for other in tools.others] == [(bay, "Bay View (2 members)")]
    assert await staff.use("submit", {"gone": ""}) == ["neighborhood_tool_gone"]
    assert tools.errors["gone"] == "Choose a neighborhood"
    await staff.use("submit", {"gone": bay})
    assert shown.count == "5"
    assert await staff.offered() == "Bay View was merged into Palm Court: 2 members moved"
    assert await staff.undo() == ["Undone."]
    assert shown.count == "3"
    await staff.use("open_merge")
    await remove(NEIGHBORHOODS, bay)
    await staff.use("submit", {"gone": bay})
    assert tools.errors["gone"] == "Neighborhood not found"


async def test_a_member_becomes_the_pioneer_and_undo_gives_the_role_back():
    palm = await neighborhood("Palm Court", 2, pioneer=("Grace", "Hopper"))
    staff = await Staff.on(palm)
    tools, shown = await staff.tools(), await staff.screen()
    await staff.use("open_pioneer", None)
    await staff.use("submit", {"email": "nonsense"})
    assert tools.errors["email"] == "Invalid email address"
    await staff.use("submit", {"email": "nobody@example.com"})
    assert tools.errors["email"] == "No member of this neighborhood has this email."
    other = shown.rows[1]
    await staff.use("open_pioneer", other.email)
    assert (tools.tool, tools.email) == ("pioneer", other.email)
    await staff.use("submit", {"email": other.email.upper()})
    assert shown.pioneer.id == other.id
    assert await staff.offered() == "Pioneer's role handed from Grace Hopper to Ada Lovelace"
    await staff.undo()
    assert shown.pioneer.name == "Grace Hopper"


async def test_a_change_that_fails_says_so_and_a_late_undo_says_why(monkeypatch):
    palm = await neighborhood("Palm Court", 1)
    staff = await Staff.on(palm)
    tools = await staff.tools()
    await staff.use("open_rename")
    await staff.use("close", False)
    await staff.use("submit", {"name": "Osprey"})
    await staff.use("open_rename")
    with monkeypatch.context() as busy:
        async with transaction():  # nobody else can write
            busy.setattr("fuel_app.kit.db.session.BUSY_TIMEOUT_MS", 1)
            await staff.use("submit", {"name": "Osprey"})
    assert (tools.error, tools.tool, tools.busy) == (FAILED, "rename", False)
    await staff.use("submit", {"name": "Osprey"})
    await rename(palm, "Bay View")
    assert await staff.undo() == ["This has changed meanwhile and cannot be undone."]
    assert (await staff.screen()).neighborhood.name == "Bay View"
