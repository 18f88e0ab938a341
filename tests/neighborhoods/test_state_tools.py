"""The tools of one neighborhood's screen: rename, merge, another pioneer, and taking each back."""

import pytest

from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from tests.helpers.neighborhood_screen import Staff
from tests.helpers.neighborhoods import NEIGHBORHOODS, neighborhood, remove, rename

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def test_a_neighborhood_is_renamed_and_undo_gives_the_old_name_back():
    staff = await Staff.on(await neighborhood("Palm Court", 2))
    shown = await staff.screen()
    await staff.use("open_rename")
    await staff.use("submit", {"name": "  <b>Élan</b> "})
    assert shown.neighborhood.name == "<b>Élan</b>"
    assert (await staff.tools()).opened == ""
    assert await staff.offered() == "Renamed from Palm Court to <b>Élan</b>"
    assert await staff.undo() == ["Undone."]
    assert shown.neighborhood.name == "Palm Court"
    assert {line.who for line in shown.changes} == {"by shared password"}
    assert [(line.what, line.undone) for line in shown.changes] == [
        ("Renamed from Palm Court to <b>Élan</b>", True)
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "Neighborhood name is required"),
        ("x" * 61, "Neighborhood name must be 60 characters or fewer"),
        ("bay  VIEW", "A neighborhood with this name already exists in 34236"),
    ],
)
async def test_a_name_that_cannot_be_is_refused_beside_its_field(name, message):
    await neighborhood("Bay View", zip_code="34236")
    staff = await Staff.on(await neighborhood("Palm Court", zip_code="34236"))
    tools = await staff.tools()
    await staff.use("open_rename")
    assert await staff.use("submit", {"name": name}) == ["neighborhood_tool_name"]
    assert (tools.error, tools.opened, tools.busy) == (message, "rename", False)
    await staff.use("edit", {"name": name})
    assert tools.error == message
    await staff.use("edit", {"name": "Osprey"})
    assert tools.error == ""
    assert await staff.offered() == ""


async def test_the_same_name_is_no_change():
    staff = await Staff.on(await neighborhood("Palm Court"))
    await staff.use("open_rename")
    await staff.use("submit", {"name": "Palm Court"})
    assert ((await staff.tools()).opened, await staff.offered()) == ("", "")


async def test_another_neighborhood_of_the_zip_is_merged_into_this_one_and_undo_parts_them():
    palm, bay = await neighborhood("Palm Court", 3), await neighborhood("Bay View", 2)
    await neighborhood("Osprey", zip_code="34229")
    staff = await Staff.on(palm)
    await staff.use("open_merge")
    tools, shown = await staff.tools(), await staff.screen()
    assert [(other.id, other.text) for other in tools.others] == [(bay, "Bay View (2 members)")]
    await staff.use("submit", {"gone": bay})
    assert shown.count == "5 members"
    assert await staff.offered() == "Bay View was merged into Palm Court: 2 members moved"
    assert await staff.undo() == ["Undone."]
    assert shown.count == "3 members"


async def test_a_merge_needs_a_neighborhood_that_is_there():
    palm, bay = await neighborhood("Palm Court"), await neighborhood("Bay View")
    staff = await Staff.on(palm)
    tools = await staff.tools()
    await staff.use("open_merge")
    assert await staff.use("submit", {"gone": ""}) == ["neighborhood_tool_gone"]
    assert tools.error == "Choose a neighborhood"
    await remove(NEIGHBORHOODS, bay)
    await staff.use("submit", {"gone": bay})
    assert tools.error == "Neighborhood not found"


async def test_a_member_becomes_the_pioneer_and_undo_gives_the_role_back():
    palm = await neighborhood("Palm Court", 2, pioneer=("Grace", "Hopper"))
    staff = await Staff.on(palm)
    tools, shown = await staff.tools(), await staff.screen()
    other = shown.rows[1]
    await staff.use("open_pioneer", other.email)
    assert (tools.opened, tools.email) == ("pioneer", other.email)
    await staff.use("submit", {"email": other.email.upper()})
    assert shown.pioneer.id == other.id
    assert await staff.offered() == "Pioneer's role handed from Grace Hopper to Ada Lovelace"
    await staff.undo()
    assert shown.pioneer.name == "Grace Hopper"


async def test_only_a_member_becomes_the_pioneer():
    palm, bay = await neighborhood("Palm Court", 1), await neighborhood("Bay View", 1)
    stranger = (await (await Staff.on(bay)).screen()).rows[0]
    staff = await Staff.on(palm)
    tools = await staff.tools()
    await staff.use("open_pioneer", None)
    await staff.use("submit", {"email": "nonsense"})
    assert tools.error == "Invalid email address"
    await staff.use("submit", {"email": stranger.email})
    assert tools.error == "No member of this neighborhood has this email."
    assert (await staff.screen()).pioneer.id == ""


async def test_only_the_dialog_that_is_open_does_anything():
    staff = await Staff.on(await neighborhood("Palm Court", 1))
    await staff.use("submit", {"name": "Osprey"})
    await staff.use("open_rename")
    await staff.use("close", False)
    await staff.use("submit", {"name": "Osprey"})
    await staff.use("edit", {"name": ""})
    assert (await staff.screen()).neighborhood.name == "Palm Court"
    assert (await staff.tools()).error == ""


async def test_a_change_that_fails_says_so_and_the_dialog_stays(monkeypatch):
    staff = await Staff.on(await neighborhood("Palm Court", 1))
    await staff.use("open_rename")
    async with transaction():  # nobody else can write
        monkeypatch.setattr("fuel_app.kit.db.session.BUSY_TIMEOUT_MS", 1)
        await staff.use("submit", {"name": "Osprey"})
    tools = await staff.tools()
    assert (tools.error, tools.opened, tools.busy) == (FAILED, "rename", False)


async def test_an_undo_that_comes_too_late_says_why():
    palm = await neighborhood("Palm Court", 1)
    staff = await Staff.on(palm)
    await staff.use("open_rename")
    await staff.use("submit", {"name": "Osprey"})
    await rename(palm, "Bay View")
    assert await staff.undo() == ["This has changed meanwhile and cannot be undone."]
    assert (await staff.screen()).neighborhood.name == "Bay View"
