"""The staff's table of groups, in a tab without a browser."""

from typing import Any

import pytest

from fuel_app.areas import service as areas
from fuel_app.neighborhoods import service as neighborhood_list
from fuel_app.neighborhoods.rules.listing import GroupQuery, ZipArea
from fuel_app.neighborhoods.state.listing import NeighborhoodsState
from tests.helpers.groups import group
from tests.helpers.staff_tab import StaffTab
from tests.helpers.tabs import SITE, go_to, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")

PLACES = {"34236": (27.33, -82.54), "34202": (27.4, -82.39)}
LIST = "/neighborhoods"


@pytest.fixture(autouse=True)
def _few_places(monkeypatch) -> None:
    monkeypatch.setattr(areas, "zip_positions", lambda: PLACES)


class Staff(StaffTab[NeighborhoodsState]):
    """A signed-in tab on the table."""

    state = NeighborhoodsState
    after_load = ("draw",)


async def three_groups() -> None:
    await group("Palm Court", 8, pioneer=("Ada", "Bell"), zip_code="34236")
    await group("Bay View", 3, zip_code="34202")
    await group("Osprey", 21, pioneer=("Zoe", "Young"), zip_code="34236")


async def test_a_line_says_what_the_rules_say():
    await three_groups()
    shown = await (await Staff.at(LIST)).screen()
    assert (shown.summary, shown.loading, shown.failed) == ("3 neighborhoods", False, False)
    bay, osprey, palm = shown.rows
    assert (bay.pioneer, bay.members_text, bay.goal, bay.color) == ("", "3", 5, "grey")
    assert (palm.pioneer, palm.goal, palm.color, palm.tier) == ("Ada Bell", 10, "yellow", "Tier 1")
    assert (palm.missing, osprey.missing) == ("2 short of Tier 2", "")
    assert (osprey.goal, osprey.color, osprey.tier) == (20, "green", "Tier 3")
    assert palm.address == f"/neighborhoods/{palm.id}"
    assert palm.join_link == f"{SITE}/join-neighborhood/{palm.id}"


async def test_a_stranger_sees_nothing():
    await three_groups()
    tab = tab_at(LIST)
    shown = await tab.get_state(NeighborhoodsState)
    for event, arguments in (("load", ()), ("narrow", ({"q": "palm"},)), ("clear", ())):
        await run(getattr(NeighborhoodsState, event).fn(shown, *arguments))
    assert (shown.rows, shown.circles, shown.summary) == ([], [], "")


async def test_filters_order_and_page_live_in_the_address():
    for number in range(60):
        await group(f"Palm {number:02}", zip_code="34236")
    await group("Bay View", 1)
    staff = await Staff.at(LIST)
    assert await staff.run("narrow", {"q": "palm", "max": "4"}) == f"{LIST}?q=palm&max=4"
    assert await staff.run("sort_by", "zip") == f"{LIST}?q=palm&max=4&sort=zip"
    assert await staff.run("sort_by", "zip") == f"{LIST}?q=palm&max=4&sort=-zip"
    assert await staff.run("turn_to", 2) == f"{LIST}?q=palm&max=4&sort=-zip&page=2"
    shown = await staff.screen()
    assert (shown.page, shown.pages, len(shown.rows), shown.summary) == (2, 2, 10, "60 matches")
    again = await Staff.at(f"{LIST}?q=palm&max=4&sort=-zip&page=2")
    assert await again.names() == await staff.names()
    assert shown.export_address == "/api/neighborhoods/export?q=palm&max=4&sort=-zip"
    assert await staff.run("order", "-created") == f"{LIST}?q=palm&max=4&sort=-created"
    assert await staff.run("jump", {"page": "2"}) == f"{LIST}?q=palm&max=4&sort=-created&page=2"
    assert await staff.run("clear") == f"{LIST}?sort=-created"
    assert (await staff.screen()).summary == "61 neighborhoods"


async def test_one_that_matches_is_said_so():
    await three_groups()
    assert (await (await Staff.at(f"{LIST}?pioneer=zoe")).screen()).summary == "1 match"


async def test_wrong_numbers_are_explained_beside_them_and_survive_a_reload():
    await three_groups()
    staff = await Staff.at(LIST)
    assert await staff.run("narrow", {"min": "many", "max": "-1"}) == f"{LIST}?min=many&max=-1"
    for each in (staff, await Staff.at(f"{LIST}?min=many&max=-1")):
        shown = await each.screen()
        assert (shown.filters.min, shown.filters.max) == ("many", "-1")
        assert (shown.min_error, shown.max_error) == ("Enter a whole number",) * 2
        assert len(shown.rows) == 3
    await staff.run("narrow", {"min": "9", "max": "5"})
    shown = await staff.screen()
    assert (shown.min_error, shown.max_error) == ("This is more than the maximum", "")
    await staff.run("narrow", {"min": "4", "max": "8"})
    assert ((await staff.screen()).min_error, await staff.names()) == ("", ["Palm Court"])


async def test_the_fields_follow_the_address_but_not_while_somebody_types():
    staff = await Staff.at(LIST)
    before = (await staff.screen()).filters_epoch
    first = await staff.ask("narrow", {"q": "pa"})
    second = await staff.ask("narrow", {"q": "palm"})  # before the browser went anywhere
    assert first
    assert second
    await staff.arrive(first)
    await staff.arrive(second)
    assert (await staff.screen()).filters_epoch == before
    await staff.arrive(first)  # Back
    assert (await staff.screen()).filters_epoch == before + 1
    await staff.run("show_zip", "34236")
    assert (await staff.screen()).filters_epoch == before + 2


async def test_a_reload_fills_the_fields_anew():
    staff = await Staff.at(LIST)
    await staff.run("narrow", {"missing": "2"})
    before = (await staff.screen()).filters_epoch
    go_to(staff.tab, f"{LIST}?missing=2", cookie=staff.cookie, connection="connection-2")
    await staff.run("load")
    assert (await staff.screen()).filters_epoch == before + 1


async def test_a_step_that_skips_what_was_typed_before_it_forgets_it():
    staff = await Staff.at(LIST)
    first = await staff.ask("narrow", {"q": "pa"})
    second = await staff.ask("narrow", {"q": "palm"})
    assert first
    assert second
    await staff.arrive(second)
    before = (await staff.screen()).filters_epoch
    await staff.arrive(first)
    assert (await staff.screen()).filters_epoch == before + 1


async def test_sorting_while_somebody_types_keeps_what_is_typed():
    staff = await Staff.at(LIST)
    await staff.ask("narrow", {"q": "palm"})
    assert await staff.ask("sort_by", "members") == f"{LIST}?q=palm&sort=members"
    assert await staff.ask("narrow", {"q": "palms"}) == f"{LIST}?q=palms&sort=members"
    assert await staff.ask("show_zip", "34236") == f"{LIST}?q=palms&zip=34236&sort=members"
    assert await staff.ask("show_zip", "34236") == f"{LIST}?q=palms&sort=members"


async def test_leaving_a_field_asks_only_for_what_is_new():
    staff = await Staff.at(f"{LIST}?q=palm&page=3")
    assert await staff.ask("leave", "q", {"q": "palm"}) is None
    assert await staff.ask("leave", "q", {"q": " palm  court"}) == f"{LIST}?q=palm+court"


@pytest.mark.parametrize("address", ["?page=0", "?page=x", "?sort=password", "?missing=-3&min="])
async def test_an_address_with_nonsense_shows_the_table(address):
    await three_groups()
    assert len(await (await Staff.at(LIST + address)).names()) == 3


async def test_a_circle_stands_for_each_zip_and_chooses_it():
    await three_groups()
    await group("Nowhere", 4, zip_code="00000")
    staff = await Staff.at(LIST)
    large, small = (await staff.screen()).circles
    assert (large.zip_code, large.tier, large.lat) == ("34236", 3, 27.33)
    assert large.label == "34236: 2 groups, 29 members, the largest at Tier 3"
    assert small.label == "34202: 1 group, 3 members, the largest at Tier 0"
    assert 24 < small.size < large.size == 52
    assert await staff.run("show_zip", "34236") == f"{LIST}?zip=34236"
    assert await staff.names() == ["Osprey", "Palm Court"]
    assert len((await staff.screen()).circles) == 2
    assert await staff.run("show_zip", "34236") == LIST


async def test_a_map_that_took_too_long_does_not_cover_a_newer_one(monkeypatch):
    await three_groups()
    staff = await Staff.at(LIST)
    areas = neighborhood_list.areas

    async def slow(query: GroupQuery) -> list[ZipArea]:
        found = await areas(query)
        await staff.run("narrow", {"q": "osprey"})  # meanwhile
        return found

    with monkeypatch.context() as late:
        late.setattr(neighborhood_list, "areas", slow)
        await staff.ask("draw")
    assert [c.zip_code for c in (await staff.screen()).circles] == ["34236"]


async def test_groups_without_members_have_small_circles():
    await group("Palm Court", zip_code="34236")
    assert [c.size for c in (await (await Staff.at(LIST)).screen()).circles] == [24]


async def test_what_cannot_be_read_leaves_an_empty_table_and_a_way_to_try_again(monkeypatch):
    await three_groups()
    staff = await Staff.at(LIST)

    async def fails(*_: Any) -> None:
        raise OSError("the database is gone")

    with monkeypatch.context() as broken:
        broken.setattr(neighborhood_list, "page", fails)
        broken.setattr(neighborhood_list, "areas", fails)
        await staff.run("load")
    shown = await staff.screen()
    assert (shown.rows, shown.circles, shown.failed, shown.loading) == ([], [], True, False)
    await staff.run("load")
    assert (len(shown.rows), len(shown.circles), shown.failed) == (3, 2, False)


async def test_whoever_joins_is_counted_at_once():
    await three_groups()
    staff = await Staff.at(f"{LIST}?q=palm")
    await group("Palm Grove", 2, zip_code="34202")
    shown = await staff.screen()
    circles = shown.circles
    await shown._refresh()
    assert await staff.names() == ["Palm Court", "Palm Grove"]
    assert shown.circles != circles
