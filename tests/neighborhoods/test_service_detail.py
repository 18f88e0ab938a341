"""One neighborhood as the staff see it: its pioneer and its members, page by page."""

from typing import Any

import pytest
import sqlalchemy as sa

from fuel_app.kit.db.session import transaction
from fuel_app.neighborhoods import service as neighborhood_list
from fuel_app.neighborhoods.rules.detail import MemberQuery
from tests.helpers.neighborhoods import (
    NEIGHBORHOODS,
    PEOPLE,
    START,
    members_of,
    neighborhood,
    remove,
)
from tests.neighborhoods.test_service_neighborhood_tools import NO_ID


async def test_a_neighborhood_shows_its_pioneer_and_its_members_oldest_first(database):
    shown = await neighborhood("Palm Court", 120, pioneer=("Grace", "Hopper"), zip_code="34236")
    everyone = await members_of(shown)
    seen: list[str] = []
    for number in (1, 2, 3):
        detail = await neighborhood_list.detail(shown, MemberQuery(page=number))
        assert detail is not None
        assert (detail.page, detail.pages, detail.neighborhood.members) == (number, 3, 120)
        seen += [member.id for member in detail.members]
    assert seen == everyone
    assert detail.pioneer is not None
    assert detail.pioneer.name == "Grace Hopper"
    assert detail.pioneer.joined_at == START
    for beyond in (4, 99):
        there = await neighborhood_list.detail(shown, MemberQuery(page=beyond))
        assert there is not None
        assert there.page == 3


async def test_an_empty_neighborhood_has_a_page_without_members(database):
    detail = await neighborhood_list.detail(await neighborhood("Palm Court"))
    assert detail is not None
    assert (detail.members, detail.pioneer, detail.page) == ((), None, 1)


@pytest.mark.parametrize("neighborhood_id", NO_ID)
async def test_there_is_no_detail_of_no_neighborhood(sqlite_database, neighborhood_id):
    assert await neighborhood_list.detail(neighborhood_id) is None


async def test_a_neighborhood_that_is_deleted_while_it_is_looked_up_is_not_found(
    sqlite_database, monkeypatch
):
    shown = await neighborhood("Palm Court", 2)
    find = neighborhood_list.neighborhood_members.find

    async def and_then_it_goes(*args: Any) -> Any:
        found = await find(*args)
        await remove(NEIGHBORHOODS, shown)
        return found

    monkeypatch.setattr(neighborhood_list.neighborhood_members, "find", and_then_it_goes)
    assert await neighborhood_list.detail(shown) is None


async def rename_members(neighborhood_id: str, *names: tuple[str, str]) -> None:
    """The members get these names, in the order in which they joined."""
    async with transaction() as session:
        for member_id, (first, last) in zip(await members_of(neighborhood_id), names, strict=True):
            values = {
                "first_name": first,
                "last_name": last,
                "email": f"{first.lower()}@example.com",
            }
            mine = sa.update(PEOPLE).where(PEOPLE.c.id == member_id)
            await session.execute(mine.values(values))


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("joined", ["bob Bell", "Zoe adams", "Ada Bell"]),
        ("-joined", ["Ada Bell", "Zoe adams", "bob Bell"]),
        ("name", ["Zoe adams", "Ada Bell", "bob Bell"]),
        ("-name", ["bob Bell", "Ada Bell", "Zoe adams"]),
        ("email", ["Ada Bell", "bob Bell", "Zoe adams"]),
        ("-email", ["Zoe adams", "bob Bell", "Ada Bell"]),
    ],
)
async def test_members_are_sorted_by_when_they_joined_last_name_or_email(database, sort, order):
    palm = await neighborhood("Palm Court", 3)
    await rename_members(palm, ("bob", "Bell"), ("Zoe", "adams"), ("Ada", "Bell"))
    detail = await neighborhood_list.detail(palm, MemberQuery.parse({"sort": sort}))
    assert detail is not None
    assert [member.name for member in detail.members] == order


@pytest.mark.parametrize("sort", ["joined", "-joined", "name", "-email"])
async def test_the_pages_of_any_order_hold_everybody_once(database, sort):
    palm = await neighborhood("Palm Court", 120)
    seen: list[str] = []
    for page in ("1", "2", "3"):
        query = MemberQuery.parse({"sort": sort, "page": page})
        detail = await neighborhood_list.detail(palm, query)
        assert detail is not None
        seen += [member.id for member in detail.members]
    assert sorted(seen) == sorted(await members_of(palm))
