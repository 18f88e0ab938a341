"""The staff's table, map and detail of neighborhoods, on both databases."""

import random
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from fuel_app.areas.service import places as areas_service
from fuel_app.kit.db.session import transaction
from fuel_app.neighborhoods import queries
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import MemberQuery, NeighborhoodQuery, NeighborhoodRow
from fuel_app.office import service as office
from tests.helpers.bookings import STAFF
from tests.helpers.neighborhoods import (
    NO_ID,
    PEOPLE,
    START,
    detail,
    members_of,
    neighborhood,
    remove,
)


async def a_varied_lot() -> None:
    chance = random.Random(7)
    for number in range(60):
        pioneer = (f"Pat{number % 3}", ("adams", "Bell", "bellamy")[number % 3])
        members = chance.choice([0, 1, 3, 4, 5, 8, 9, 10, 18, 21])
        await neighborhood(
            f"{('élan', 'Bay', 'Zen')[number % 3]} {number // 4} {number}",
            members,
            pioneer=pioneer if members > 1 else None,
            zip_code=f"3423{number % 5}",
            created_at=START + timedelta(days=number // 3),
        )


async def listed(**asked: Any) -> list[NeighborhoodRow]:
    return [
        row async for rows in queries.in_batches(NeighborhoodQuery.parse(asked)) for row in rows
    ]


async def names(**asked: Any) -> list[str]:
    return [row.name for row in await listed(**asked)]


def _last_then_first(row: NeighborhoodRow) -> tuple[Any, ...]:
    first, _, last = row.pioneer.partition(" ")
    return (last.casefold(), first)


def _missing(row: NeighborhoodRow) -> int:
    return next(goal - row.members for goal in (5, 10, 20) if row.members < goal)


KEYS: dict[str, Any] = {
    "name": lambda row: row.name.casefold().replace("é", "e"),
    "zip": lambda row: (row.zip_code, row.name.casefold().replace("é", "e")),
    "pioneer": _last_then_first,
    "members": lambda row: row.members,
    "missing": _missing,
    "created": lambda row: row.created_at,
}
LAST = {"pioneer": lambda row: not row.pioneer, "missing": lambda row: row.members >= 20}


@pytest.mark.parametrize("sort", KEYS)
@pytest.mark.slow
async def test_every_order_goes_both_ways_and_ends_the_same(database, sort):
    await a_varied_lot()
    stands_last = LAST.get(sort, lambda row: False)
    for descending in (False, True):
        rows = await listed(sort=f"-{sort}" if descending else sort)
        assert len({row.id for row in rows}) == 60
        first = [row for row in rows if not stands_last(row)]
        assert rows[: len(first)] == first
        keys = [KEYS[sort](row) for row in first]
        assert keys == sorted(keys, reverse=descending)
        query = NeighborhoodQuery(sort=f"-{sort}" if descending else sort)
        pages = [
            await neighborhoods.page(replace(query, page=number), actor=STAFF) for number in (1, 2)
        ]
        assert [row for page in pages for row in page.rows] == rows


async def test_each_filter_leaves_out_the_others(database):
    await neighborhood("Élan Court", 4, pioneer=("Ada", "Ångström"), zip_code="34236")
    await neighborhood("Palm Court", 5, pioneer=("Grace", "Hopper"), zip_code="34202")
    await neighborhood("100% Bay_View", 8, zip_code="33950")
    await neighborhood("Osprey", 20, pioneer=("Ada", "Bell"), zip_code="34229")
    assert await names(q="COURT") == ["Élan Court", "Palm Court"]
    assert await names(q="elan") == ["Élan Court"]
    assert await names(q="m c") == ["Palm Court"]
    assert await names(q="%") == await names(q="_") == ["100% Bay_View"]
    assert await names(q="' OR 1=1") == await names(q="\\") == await names(q="🚚") == []
    assert await names(zip="342") == ["Élan Court", "Osprey", "Palm Court"]
    assert await names(zip="950") == ["100% Bay_View"]
    assert await names(min="5") == ["100% Bay_View", "Osprey", "Palm Court"]
    assert await names(max="5") == ["Élan Court", "Palm Court"]
    assert await names(min="5", max="8") == ["100% Bay_View", "Palm Court"]
    assert await names(min="9", max="8") == []
    assert await names(pioneer="ada a") == ["Élan Court"]
    assert await names(pioneer="ada") == ["Élan Court", "Osprey"]
    assert await names(missing="1") == ["Élan Court"]
    assert await names(missing="2", sort="missing") == ["Élan Court", "100% Bay_View"]
    assert await names(q="court", zip="34202", min="5", pioneer="grace") == ["Palm Court"]


async def test_a_pioneer_who_has_left_is_no_pioneer_to_search_or_order(database):
    there = await neighborhood("Palm Court", 2, pioneer=("Ada", "Bell"))
    await neighborhood("Bay View", 2, pioneer=("Zoe", "Young"))
    await remove(PEOPLE, (await members_of(there))[0])
    page = await neighborhoods.page(NeighborhoodQuery(page=9), actor=STAFF)  # beyond the end
    assert (page.page, page.pages, page.total, len(page.rows)) == (1, 1, 2, 2)
    assert await names(pioneer="ada") == []
    assert await names(sort="pioneer") == ["Bay View", "Palm Court"]
    assert [row.pioneer for row in await listed(sort="-pioneer")] == ["Zoe Young", ""]


async def test_the_map_has_an_area_for_each_zip_largest_first(database, monkeypatch):
    monkeypatch.setattr(
        areas_service,
        "zip_positions",
        lambda: {"34236": (27.33, -82.54), "34202": (27.4, -82.39)},
    )
    await neighborhood("Palm Court", 4, zip_code="34236")
    await neighborhood("Bay View", 3, zip_code="34236")
    await neighborhood("Osprey", 6, zip_code="34202")
    await neighborhood("Nowhere", 9, zip_code="00000")
    areas = await neighborhoods.areas(NeighborhoodQuery(), actor=STAFF)
    assert [(a.zip_code, a.neighborhoods, a.members, a.largest) for a in areas] == [
        ("34236", 2, 7, 4),
        ("34202", 1, 6, 6),
    ]
    assert (areas[0].lat, areas[0].lng) == (27.33, -82.54)
    assert [
        a.zip_code for a in await neighborhoods.areas(NeighborhoodQuery(min="5"), actor=STAFF)
    ] == ["34202"]


async def test_a_neighborhood_shows_its_pioneer_and_a_page_of_its_members(database):
    palm = await neighborhood("Palm Court", 51, pioneer=("Grace", "Hopper"), zip_code="34236")
    shown = await detail(palm, page="99")  # beyond the end
    assert (shown.page, shown.pages, len(shown.members)) == (2, 2, 1)
    assert (shown.neighborhood.zip_code, shown.neighborhood.members) == ("34236", 51)
    first = (await detail(palm)).members[0]
    assert (first.name, first.joined_at) == ("Grace Hopper", START)
    assert shown.pioneer == first
    empty = await detail(await neighborhood("Bay View"))
    assert (empty.members, empty.pioneer, empty.page, empty.pages) == ((), None, 1, 1)
    for unknown in NO_ID:
        assert await office.neighborhood_detail(unknown, MemberQuery(), actor=STAFF) is None


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("joined", ["bob Bell", "Zoe adams", "Ada Bell"]),
        ("name", ["Zoe adams", "Ada Bell", "bob Bell"]),
        ("email", ["Ada Bell", "bob Bell", "Zoe adams"]),
    ],
)
async def test_members_are_sorted_by_when_they_joined_last_name_or_email(database, sort, order):
    palm = await neighborhood("Palm Court", 3)
    people = (("bob", "Bell"), ("Zoe", "adams"), ("Ada", "Bell"))
    async with transaction() as session:
        for member_id, (first, last) in zip(await members_of(palm), people, strict=True):
            names = {"first_name": first, "last_name": last, "email": f"{first.lower()}@a.example"}
            await session.execute(sa.update(PEOPLE).where(PEOPLE.c.id == member_id).values(names))
    assert [member.name for member in (await detail(palm, sort=sort)).members] == order
    reverse = (await detail(palm, sort=f"-{sort}")).members
    assert [member.name for member in reverse] == order[::-1]


async def test_the_pages_of_an_order_hold_each_member_once(database):
    palm = await neighborhood("Palm Court", 120)
    for sort in ("joined", "name"):
        pages = [await detail(palm, sort=sort, page=page) for page in ("1", "2", "3")]
        seen = [member.id for page in pages for member in page.members]
        assert sorted(seen) == sorted(await members_of(palm))
