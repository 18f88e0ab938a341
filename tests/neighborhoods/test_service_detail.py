"""One neighborhood as the staff see it: its pioneer and its members, page by page."""

import pytest
import sqlalchemy as sa

from fuel_app.kit.db.session import transaction
from fuel_app.neighborhoods.rules import MemberQuery
from fuel_app.office import service as office
from tests.helpers.neighborhoods import NO_ID, PEOPLE, START, detail, members_of, neighborhood


async def test_a_neighborhood_shows_its_pioneer_and_its_figures(database):
    palm = await neighborhood("Palm Court", 51, pioneer=("Grace", "Hopper"), zip_code="34236")
    shown = await detail(palm, page="99")  # beyond the end
    assert (shown.page, shown.pages, len(shown.members)) == (2, 2, 1)
    assert (shown.neighborhood.zip_code, shown.neighborhood.members) == ("34236", 51)
    first = (await detail(palm)).members[0]
    assert (first.name, first.joined_at) == ("Grace Hopper", START)
    assert shown.pioneer == first


async def test_an_empty_neighborhood_has_a_page_without_members(database):
    shown = await detail(await neighborhood("Palm Court"))
    assert (shown.members, shown.pioneer, shown.page, shown.pages) == ((), None, 1, 1)


@pytest.mark.parametrize("neighborhood_id", NO_ID)
async def test_an_unknown_neighborhood_has_no_detail(sqlite_database, neighborhood_id):
    assert await office.neighborhood_detail(neighborhood_id, MemberQuery()) is None


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
    people = (("bob", "Bell"), ("Zoe", "adams"), ("Ada", "Bell"))
    async with transaction() as session:
        for member_id, (first, last) in zip(await members_of(palm), people, strict=True):
            names = {"first_name": first, "last_name": last, "email": f"{first.lower()}@a.example"}
            await session.execute(sa.update(PEOPLE).where(PEOPLE.c.id == member_id).values(names))
    assert [member.name for member in (await detail(palm, sort=sort)).members] == order


@pytest.mark.parametrize("sort", ["joined", "-joined", "name", "-email"])
async def test_the_pages_of_any_order_hold_each_member_once(database, sort):
    palm = await neighborhood("Palm Court", 120)
    pages = [await detail(palm, sort=sort, page=page) for page in ("1", "2", "3")]
    seen = [member.id for page in pages for member in page.members]
    if sort == "joined":
        assert seen == await members_of(palm)
    assert sorted(seen) == sorted(await members_of(palm))
