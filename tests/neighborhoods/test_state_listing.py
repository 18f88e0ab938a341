"""The staff's table of neighborhoods, in a tab without a browser."""

from typing import Any

import pytest

from fuel_app.areas.service import places as areas
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.state import NeighborhoodsState
from tests.helpers.neighborhoods import neighborhood
from tests.helpers.staff_tab import StaffTab
from tests.helpers.tabs import SITE, go_to

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")

PLACES = {"34236": (27.33, -82.54), "34202": (27.4, -82.39)}
LIST = "/neighborhoods"


@pytest.fixture(autouse=True)
async def _three_neighborhoods(sqlite_database, monkeypatch) -> None:
    monkeypatch.setattr(areas, "zip_positions", lambda: PLACES)
    await neighborhood("Palm Court", 8, pioneer=("Ada", "Bell"), zip_code="34236")
    await neighborhood("Bay View", 3, zip_code="34202")
    await neighborhood("Osprey", 21, pioneer=("Zoe", "Young"), zip_code="34236")


class Staff(StaffTab[NeighborhoodsState]):
    """A signed-in tab on the table."""

    state = NeighborhoodsState


async def test_a_line_says_what_the_rules_say():
    shown = await (await Staff.at(LIST)).screen()
    assert (shown.summary, shown.loading, shown.failed) == ("3 neighborhoods", False, False)
    bay, osprey, palm = shown.rows
    assert (bay.pioneer, bay.members_text, bay.goal, bay.color) == ("", "3", 5, "grey")
    assert (palm.pioneer, palm.goal, palm.color, palm.tier) == ("Ada Bell", 10, "yellow", "Tier 1")
    assert (palm.missing, osprey.missing) == ("2 short of Tier 2", "")
    assert palm.address == f"/neighborhoods/{palm.id}"
    assert palm.join_link == f"{SITE}/join-neighborhood/{palm.id}"


async def test_filters_order_and_page_live_in_the_address():
    for number in range(60):
        await neighborhood(f"Palm {number:02}", zip_code="34236")
    staff = await Staff.at(LIST)
    assert await staff.run("narrow", {"q": "palm", "max": "4"}) == f"{LIST}?q=palm&max=4"
    assert await staff.run("sort_by", "zip") == f"{LIST}?q=palm&max=4&sort=zip"
    assert await staff.run("sort_by", "zip") == f"{LIST}?q=palm&max=4&sort=-zip"
    assert await staff.run("turn_to", 2) == f"{LIST}?q=palm&max=4&sort=-zip&page=2"
    shown = await staff.screen()
    assert (shown.question.page, shown.pages, len(shown.rows)) == (2, 2, 10)
    assert shown.summary == "60 matches"
    again = await Staff.at(f"{LIST}?q=palm&max=4&sort=-zip&page=2")
    assert await again.names() == await staff.names()
    same = {"q": "palm", "max": "4"}  # leaving a field asks nothing new
    assert await staff.run("narrow", same) == f"{LIST}?q=palm&max=4&sort=-zip&page=2"
    assert shown.export_address == "/api/neighborhoods/export?q=palm&max=4&sort=-zip"
    assert await staff.run("order", "-created") == f"{LIST}?q=palm&max=4&sort=-created"
    assert await staff.run("clear") == f"{LIST}?sort=-created"
    assert shown.summary == "63 neighborhoods"


async def test_wrong_numbers_are_explained_beside_them_and_survive_a_reload():
    staff = await Staff.at(LIST)
    assert await staff.run("narrow", {"min": "many", "max": "-1"}) == f"{LIST}?min=many&max=-1"
    for each in (staff, await Staff.at(f"{LIST}?min=many&max=-1")):
        shown = await each.screen()
        assert (shown.question.min, shown.question.max) == ("many", "-1")
        assert set(shown.problems.values()) == {"Enter a whole number"}
        assert len(shown.rows) == 3


async def test_a_circle_stands_for_each_zip_and_chooses_it():
    await neighborhood("Nowhere", 4, zip_code="00000")
    staff = await Staff.at(LIST)
    large, small = (await staff.screen()).circles
    assert (large.zip_code, large.tier, large.lat) == ("34236", 3, 27.33)
    assert large.label == "34236: 2 neighborhoods, 29 members, the largest at Tier 3"
    assert small.label == "34202: 1 neighborhood, 3 members, the largest at Tier 0"
    assert 24 < small.size < large.size == 52
    await staff.run("sort_by", "members")
    assert await staff.run("show_zip", "34236") == f"{LIST}?zip=34236&sort=members"
    assert await staff.names() == ["Palm Court", "Osprey"]
    assert len((await staff.screen()).circles) == 2
    assert await staff.run("show_zip", "34236") == f"{LIST}?sort=members"


async def test_the_table_does_not_wait_for_the_map():
    staff = await Staff.at(f"{LIST}?q=none")
    shown, seen = await staff.screen(), []
    go_to(staff.tab, LIST, cookie=staff.cookie)
    async for _ in NeighborhoodsState.load.fn(shown):  # type: ignore[attr-defined]
        seen.append((len(shown.rows), len(shown.circles)))
    assert (seen, len(shown.circles)) == ([(3, 0)], 2)


async def test_what_cannot_be_read_leaves_an_empty_table_and_a_way_to_try_again(monkeypatch):
    staff = await Staff.at(LIST)

    async def fails(*_: Any) -> None:
        raise OSError("the database is gone")

    with monkeypatch.context() as broken:
        broken.setattr(neighborhoods, "page", fails)
        broken.setattr(neighborhoods, "areas", fails)
        await staff.run("load")
    shown = await staff.screen()
    assert (shown.rows, shown.circles, shown.failed, shown.loading) == ([], [], True, False)
    await staff.run("load")
    assert (len(shown.rows), len(shown.circles), shown.failed) == (3, 2, False)
