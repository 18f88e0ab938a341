"""One group on the staff's screen, in a tab without a browser."""

from typing import Any

import pytest
import reflex as rx

from fuel_app.db.session import transaction
from fuel_app.domain.neighborhood_detail import MEMBERS_SHOWN
from fuel_app.services import neighborhood_list, neighborhood_tools
from fuel_app.states.admin.neighborhood import NeighborhoodState
from fuel_app.states.admin.neighborhood_tools import FAILED, GroupToolsState
from fuel_app.states.admin.session import COOKIE
from fuel_app.states.admin.undo import UndoState
from fuel_app.states.toasts import ToastState
from tests.services.groups import GROUPS, group, members_of, remove
from tests.staff import a_token
from tests.states.tabs import focused, go_to, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


class Staff:
    """A signed-in tab on a group's screen."""

    def __init__(self, tab: rx.State, cookie: str) -> None:
        self.tab, self.cookie = tab, cookie

    @classmethod
    async def at(cls, group_id: str, query: str = "") -> "Staff":
        cookie = f"{COOKIE}={await a_token()}"
        staff = cls(tab_at(f"/neighborhoods/{group_id}{query}", cookie=cookie), cookie)
        await staff.run("load")
        return staff

    async def screen(self) -> NeighborhoodState:
        return await self.tab.get_state(NeighborhoodState)

    async def tools(self) -> GroupToolsState:
        return await self.tab.get_state(GroupToolsState)

    async def run(self, event: str, *arguments: Any) -> str | None:
        """Fire an event of the screen; returns where it leads, and goes there."""
        sent = await run(getattr(NeighborhoodState, event).fn(await self.screen(), *arguments))
        address = next((to for each in sent if (to := redirected(each))), None)
        if address:
            go_to(self.tab, address, cookie=self.cookie)
            await self.run("load")
        return address

    async def use(self, event: str, *arguments: Any) -> list[str | None]:
        """Fire an event of the tools; returns what got the focus."""
        sent = await run(getattr(GroupToolsState, event).fn(await self.tools(), *arguments))
        return [name for each in sent if (name := focused(each))]

    async def offered(self) -> str:
        undo = await self.tab.get_state(UndoState)
        return undo.text if undo.action_id else ""

    async def undo(self) -> list[str]:
        """Take the offered change back; returns what is said then."""
        await run(UndoState.take_back.fn(await self.tab.get_state(UndoState)))  # type: ignore[attr-defined]
        await (await self.screen())._refresh()
        return [toast.text for toast in (await self.tab.get_state(ToastState)).toasts]


async def test_a_group_shows_its_figures_its_pioneer_and_its_members():
    palm = await group("Palm Court", 8, pioneer=("Grace", "Hopper"), zip_code="34236")
    shown = await (await Staff.at(palm)).screen()
    assert (shown.group.name, shown.group.zip_code) == ("Palm Court", "34236")
    assert (shown.count, shown.group.tier, shown.group.goal) == ("8 members", "Tier 1", 10)
    assert shown.group.next_step.startswith("2 more neighbors and everyone saves $10")
    assert (shown.pioneer.name, shown.pioneer.joined) == ("Grace Hopper", "Mar 8, 2026")
    assert [person.id for person in shown.members] == await members_of(palm)
    assert shown.members[0].lead == f"/submissions?lead={shown.members[0].id}"
    assert shown.join_link.endswith(f"/join-neighborhood/{palm}")
    assert shown.code == f"/join-neighborhood/{palm}/code.svg"
    assert shown.flyer == f"/join-neighborhood/{palm}/flyer"
    assert (shown.loading, shown.missing, shown.merged) == (False, False, False)


async def test_a_group_without_a_pioneer_says_so():
    shown = await (await Staff.at(await group("Palm Court", 1))).screen()
    assert (shown.pioneer.id, shown.count) == ("", "1 member")


@pytest.mark.parametrize("asked", ["nonsense", "0b8f1c1e-5a5e-4a0e-9a2c-1d2f3a4b5c6d", "%3Cb%3E"])
async def test_what_is_no_group_is_not_found(asked):
    shown = await (await Staff.at(asked)).screen()
    assert (shown.missing, shown.loading, shown.group.id) == (True, False, "")


async def test_a_stranger_sees_and_changes_nothing():
    palm = await group("Palm Court", 3)
    tab = tab_at(f"/neighborhoods/{palm}")
    screen, tools = await tab.get_state(NeighborhoodState), await tab.get_state(GroupToolsState)
    await run(NeighborhoodState.load.fn(screen))  # type: ignore[attr-defined]
    await run(GroupToolsState.open_rename.fn(tools))  # type: ignore[attr-defined]
    await run(GroupToolsState.rename.fn(tools, {"name": "Mine"}))  # type: ignore[attr-defined]
    assert (screen.group.id, screen.members, tools.opened) == ("", [], "")
    detail = await neighborhood_list.detail(palm)
    assert detail is not None
    assert detail.group.name == "Palm Court"


async def test_the_members_turn_pages_and_sort_by_the_address():
    palm = await group("Palm Court", 2 * MEMBERS_SHOWN + 1)
    everyone = await members_of(palm)
    staff = await Staff.at(palm)
    shown = await staff.screen()
    assert await staff.run("turn_to", 3) == f"/neighborhoods/{palm}?page=3"
    assert [person.id for person in shown.members] == everyone[-1:]
    assert await staff.run("sort_by", "joined") == f"/neighborhoods/{palm}?sort=-joined"
    assert [person.id for person in shown.members] == everyone[: -MEMBERS_SHOWN - 1 : -1]
    assert (shown.sort, shown.page, shown.pages) == ("-joined", 1, 3)
    assert await staff.run("jump", {"page": "2"}) == f"/neighborhoods/{palm}?sort=-joined&page=2"
    assert await staff.run("sort_by", "email") == f"/neighborhoods/{palm}?sort=email"
    assert await staff.run("sort_by", "joined") == f"/neighborhoods/{palm}"


async def test_nonsense_in_the_address_means_the_first_page():
    palm = await group("Palm Court", 60)
    staff = await Staff.at(palm, "?page=abc&sort=phone")
    shown = await staff.screen()
    assert (shown.page, shown.sort, len(shown.members)) == (1, "joined", MEMBERS_SHOWN)
    assert await staff.run("sort_by", "phone") is None
    assert await staff.run("turn_to", "x") == f"/neighborhoods/{palm}"
    assert await staff.run("jump", None) == f"/neighborhoods/{palm}"


async def test_a_group_that_is_merged_elsewhere_shows_the_one_that_it_became_part_of():
    palm, bay = await group("Palm Court", 3), await group("Bay View", 2)
    staff = await Staff.at(palm)
    change = await neighborhood_tools.merge(bay, palm, by="another")
    shown = await staff.screen()
    await shown._refresh()
    assert (shown.group.name, shown.count, shown.merged) == ("Bay View", "5 members", True)
    await neighborhood_tools.undo(change.id)
    await shown._refresh()
    assert (shown.group.name, shown.count, shown.merged) == ("Palm Court", "3 members", False)


async def test_a_group_that_is_deleted_elsewhere_is_not_found_and_nothing_of_it_stays():
    palm = await group("Palm Court", 3, pioneer=("Ada", "Bell"))
    staff = await Staff.at(palm)
    await remove(GROUPS, palm)
    shown = await staff.screen()
    await shown._refresh()
    assert shown.missing
    assert (shown.group.id, shown.pioneer.id, shown.members, shown.changes) == ("", "", [], [])


async def test_another_group_starts_from_nothing():
    palm, bay = await group("Palm Court", 3), await group("Bay View", 2)
    staff = await Staff.at(palm)
    go_to(staff.tab, f"/neighborhoods/{bay}", cookie=staff.cookie)
    seen = []
    screen = await staff.screen()
    async for _ in NeighborhoodState.load.fn(screen):  # type: ignore[attr-defined]
        seen.append((screen.loading, screen.group.name, len(screen.members)))
    assert seen[0] == (True, "", 0)
    assert (screen.loading, screen.group.name) == (False, "Bay View")


async def test_a_read_that_fails_leaves_what_is_shown(monkeypatch):
    async def fails(*_: Any) -> None:
        raise RuntimeError("gone")

    palm = await group("Palm Court", 3)
    staff = await Staff.at(palm)
    shown = await staff.screen()
    monkeypatch.setattr(neighborhood_list, "detail", fails)
    await shown._refresh()
    assert (shown.group.name, shown.missing) == ("Palm Court", False)
    other = await (await Staff.at(palm)).screen()
    assert (other.missing, other.loading) == (True, False)


async def test_a_group_is_renamed_and_undo_gives_the_old_name_back():
    staff = await Staff.at(await group("Palm Court", 2))
    shown = await staff.screen()
    await staff.use("open_rename")
    await staff.use("rename", {"name": "  <b>Élan</b> "})
    assert shown.group.name == "<b>Élan</b>"
    assert (await staff.tools()).opened == ""
    assert await staff.offered() == "Renamed from Palm Court to <b>Élan</b>"
    assert await staff.undo() == ["Undone."]
    assert shown.group.name == "Palm Court"
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
    await group("Bay View", zip_code="34236")
    staff = await Staff.at(await group("Palm Court", zip_code="34236"))
    tools = await staff.tools()
    await staff.use("open_rename")
    assert await staff.use("rename", {"name": name}) == ["group_tool_name"]
    assert (tools.error, tools.opened, tools.busy) == (message, "rename", False)
    await staff.use("leave", "name", {"name": name})
    assert tools.error == message
    await staff.use("edit", {"name": "Osprey"})
    assert tools.error == ""
    assert await staff.offered() == ""


async def test_the_same_name_is_no_change():
    staff = await Staff.at(await group("Palm Court"))
    await staff.use("open_rename")
    await staff.use("rename", {"name": "Palm Court"})
    assert ((await staff.tools()).opened, await staff.offered()) == ("", "")


async def test_another_group_of_the_zip_is_merged_into_this_one_and_undo_parts_them():
    palm, bay = await group("Palm Court", 3), await group("Bay View", 2)
    await group("Osprey", zip_code="34229")
    staff = await Staff.at(palm)
    await staff.use("open_merge")
    tools, shown = await staff.tools(), await staff.screen()
    assert [(other.id, other.text) for other in tools.others] == [(bay, "Bay View (2 members)")]
    await staff.use("merge", {"gone": bay})
    assert shown.count == "5 members"
    assert await staff.offered() == "Bay View was merged into Palm Court: 2 members moved"
    assert await staff.undo() == ["Undone."]
    assert shown.count == "3 members"


async def test_a_merge_needs_a_group_that_is_there():
    palm, bay = await group("Palm Court"), await group("Bay View")
    staff = await Staff.at(palm)
    tools = await staff.tools()
    await staff.use("open_merge")
    assert await staff.use("merge", {"gone": ""}) == ["group_tool_gone"]
    assert tools.error == "Choose a neighborhood"
    await remove(GROUPS, bay)
    await staff.use("merge", {"gone": bay})
    assert tools.error == "Neighborhood not found"


async def test_a_member_becomes_the_pioneer_and_undo_gives_the_role_back():
    palm = await group("Palm Court", 2, pioneer=("Grace", "Hopper"))
    staff = await Staff.at(palm)
    tools, shown = await staff.tools(), await staff.screen()
    other = shown.members[1]
    await staff.use("open_pioneer", other.email)
    assert (tools.opened, tools.email) == ("pioneer", other.email)
    await staff.use("hand_over", {"email": other.email.upper()})
    assert shown.pioneer.id == other.id
    assert await staff.offered() == "Pioneer's role handed from Grace Hopper to Ada Lovelace"
    await staff.undo()
    assert shown.pioneer.name == "Grace Hopper"


async def test_only_a_member_becomes_the_pioneer():
    palm, bay = await group("Palm Court", 1), await group("Bay View", 1)
    stranger = (await (await Staff.at(bay)).screen()).members[0]
    staff = await Staff.at(palm)
    tools = await staff.tools()
    await staff.use("open_pioneer", None)
    await staff.use("hand_over", {"email": "nonsense"})
    assert tools.error == "Invalid email address"
    await staff.use("hand_over", {"email": stranger.email})
    assert tools.error == "No member of this neighborhood has this email."
    assert (await staff.screen()).pioneer.id == ""


async def test_only_the_dialog_that_is_open_does_anything():
    staff = await Staff.at(await group("Palm Court", 1))
    await staff.use("rename", {"name": "Osprey"})
    await staff.use("open_rename")
    await staff.use("close", False)
    await staff.use("rename", {"name": "Osprey"})
    await staff.use("edit", {"name": ""})
    assert (await staff.screen()).group.name == "Palm Court"
    assert (await staff.tools()).error == ""


async def test_a_change_that_fails_says_so_and_the_dialog_stays(monkeypatch):
    staff = await Staff.at(await group("Palm Court", 1))
    await staff.use("open_rename")
    async with transaction():  # nobody else can write
        monkeypatch.setattr("fuel_app.db.session.BUSY_TIMEOUT_MS", 1)
        await staff.use("rename", {"name": "Osprey"})
    tools = await staff.tools()
    assert (tools.error, tools.opened, tools.busy) == (FAILED, "rename", False)


async def test_an_undo_that_comes_too_late_says_why():
    palm = await group("Palm Court", 1)
    staff = await Staff.at(palm)
    await staff.use("open_rename")
    await staff.use("rename", {"name": "Osprey"})
    await neighborhood_tools.rename(palm, "Bay View", by="another")
    assert await staff.undo() == ["This has changed meanwhile and cannot be undone."]
    assert (await staff.screen()).group.name == "Bay View"
