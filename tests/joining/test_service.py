"""Visitors find, join and create neighborhoods."""

import asyncio

import pytest
import sqlalchemy as sa
from sqlmodel import col

from fuel_app.joining import service as neighborhoods
from fuel_app.kit.db import session
from fuel_app.kit.errors import (
    AlreadyInNeighborhood,
    NeighborhoodGone,
    NeighborhoodNameTaken,
    NotOnTheList,
)
from fuel_app.neighborhoods.rules import NeighborhoodSummary
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.factories import UNKNOWN_ID, row
from tests.helpers.leads import joined
from tests.helpers.visitors import a_neighborhood

NO_ID = (None, "", "abc", 5, [], {}, "x" * 10_240, "' OR '1'='1")


async def neighborhood_of(submission_id: str) -> str | None:
    async with session.reading() as looking:
        found = await looking.get(WaitlistSubmission, submission_id)
        return found and found.neighborhood_id


async def pioneer_of(neighborhood_id: str) -> str | None:
    async with session.reading() as looking:
        return (await looking.get_one(Neighborhood, neighborhood_id)).pioneer_id


async def remove(table: type[WaitlistSubmission] | type[Neighborhood], row_id: str) -> None:
    async with session.transaction() as writing:
        await writing.execute(sa.delete(table).where(col(table.id) == row_id))


async def fill(neighborhood_id: str, members: int) -> None:
    """So many members, past the form."""
    rows = [row("waitlist_submissions", neighborhood_id=neighborhood_id) for _ in range(members)]
    async with session.transaction() as writing:
        await writing.execute(sa.insert(WaitlistSubmission), rows)


async def test_a_pioneer_is_the_first_member(database):
    pioneer = await joined()
    founded = await neighborhoods.create(pioneer, "Palm Court", "34236")
    assert founded == NeighborhoodSummary(founded.id, "Palm Court", "34236", members=1)
    assert await neighborhood_of(pioneer) == founded.id
    assert await pioneer_of(founded.id) == pioneer
    assert await neighborhoods.find(founded.id) == founded


@pytest.mark.parametrize("name", ["Palm Court", "palm court", "PALM  COURT", "PalmCourt"])
async def test_a_name_is_there_once_in_a_zip(database, name):
    first = await a_neighborhood("Palm Court")
    creator = await joined()
    with pytest.raises(
        NeighborhoodNameTaken, match="A neighborhood with this name already exists in 34236"
    ):
        await neighborhoods.create(creator, name, "34236")
    assert await neighborhoods.in_zip("34236") == [first]
    assert await neighborhood_of(creator) is None


async def test_another_zip_may_have_the_same_name(database):
    here, there = await a_neighborhood(zip_code="34236"), await a_neighborhood(zip_code="34237")
    assert await neighborhoods.in_zip("34236") == [here]
    assert await neighborhoods.in_zip("34237") == [there]


async def test_ten_creators_of_one_name_at_once_make_one_neighborhood(database):
    creators = [await joined() for _ in range(10)]
    names = ["Palm Court", "palm  court"] * 5
    outcomes = await asyncio.gather(
        *map(neighborhoods.create, creators, names, ["34236"] * 10), return_exceptions=True
    )
    (won,) = await neighborhoods.in_zip("34236")
    assert won.members == 1
    for creator, outcome in zip(creators, outcomes, strict=True):
        assert outcome == won or isinstance(outcome, NeighborhoodNameTaken)
        assert await neighborhood_of(creator) == (won.id if outcome == won else None)


async def test_one_entry_founds_one_neighborhood_however_many_tabs_it_has(database):
    creator = await joined()
    outcomes = await asyncio.gather(
        *(neighborhoods.create(creator, f"Palm Court {tab}", "34236") for tab in range(10)),
        return_exceptions=True,
    )
    assert sum(isinstance(outcome, NeighborhoodSummary) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, AlreadyInNeighborhood) for outcome in outcomes) == 9
    (only,) = await neighborhoods.in_zip("34236")
    assert only.members == 1


async def test_a_member_founds_no_neighborhood(database):
    founded, member = await a_neighborhood("Palm Court"), await joined()
    await neighborhoods.join(member, founded.id)
    with pytest.raises(AlreadyInNeighborhood, match="You have already joined"):
        await neighborhoods.create(member, "Bay View", "34236")
    assert await neighborhood_of(member) == founded.id


async def test_a_creator_who_has_left_founds_nothing(database):
    creator = await joined()
    await remove(WaitlistSubmission, creator)
    with pytest.raises(NotOnTheList):
        await neighborhoods.create(creator, "Palm Court", "34236")
    assert await neighborhoods.in_zip("34236") == []


async def test_a_neighbor_who_joins_twice_counts_once(database):
    founded, neighbor = await a_neighborhood("Palm Court"), await joined()
    for _ in range(2):
        found = await neighborhoods.join(neighbor, founded.id)
        assert found == NeighborhoodSummary(founded.id, "Palm Court", "34236", members=2)
        assert await neighborhood_of(neighbor) == founded.id


async def test_a_neighbor_is_in_one_neighborhood_at_a_time(database):
    neighbor = await joined()
    for name in ("Palm Court", "Bay View"):
        await neighborhoods.join(neighbor, (await a_neighborhood(name)).id)
    counts = {shown.name: shown.members for shown in await neighborhoods.in_zip("34236")}
    assert counts == {"Palm Court": 1, "Bay View": 2}


async def test_ten_neighbors_join_at_once(database):
    founded = await a_neighborhood("Palm Court")
    neighbors = [await joined() for _ in range(10)]
    await asyncio.gather(*(neighborhoods.join(neighbor, founded.id) for neighbor in neighbors))
    (shown,) = await neighborhoods.in_zip("34236")
    assert shown.members == 11


@pytest.mark.parametrize("neighborhood_id", [UNKNOWN_ID, *NO_ID])
async def test_an_unknown_neighborhood_is_neither_found_nor_joined(database, neighborhood_id):
    neighbor = await joined()
    assert await neighborhoods.find(neighborhood_id) is None
    with pytest.raises(NeighborhoodGone, match="Neighborhood not found"):
        await neighborhoods.join(neighbor, neighborhood_id)
    assert await neighborhood_of(neighbor) is None


async def test_a_neighbor_who_has_left_joins_nothing(database):
    founded, neighbor = await a_neighborhood("Palm Court"), await joined()
    await remove(WaitlistSubmission, neighbor)
    with pytest.raises(NotOnTheList):
        await neighborhoods.join(neighbor, founded.id)
    assert await neighborhoods.find(founded.id) == founded


async def test_a_neighborhood_can_be_joined_after_its_pioneer_has_left(database):
    pioneer, neighbor = await joined(), await joined()
    founded = await neighborhoods.create(pioneer, "Palm Court", "34236")
    await remove(WaitlistSubmission, pioneer)
    assert (await neighborhoods.join(neighbor, founded.id)).members == 1
    assert await pioneer_of(founded.id) is None


async def test_the_neighborhoods_of_a_zip_come_by_name_with_their_members(database):
    for name in ("Cedar Park", "Alder Row", "Bay View"):
        await a_neighborhood(name)
    await a_neighborhood("Elsewhere", "34237")
    assert await neighborhoods.in_zip("' OR 1=1 --") == []
    bay_view = next(
        shown for shown in await neighborhoods.in_zip("34236") if shown.name == "Bay View"
    )
    await fill(bay_view.id, 3)
    assert [(shown.name, shown.members) for shown in await neighborhoods.in_zip("34236")] == [
        ("Alder Row", 1),
        ("Bay View", 4),
        ("Cedar Park", 1),
    ]


async def test_a_link_in_capitals_finds_its_neighborhood(database):
    founded = await a_neighborhood("Palm Court")
    assert await neighborhoods.find(f" {founded.id.upper()} ") == founded


@pytest.mark.parametrize(
    "name",
    [
        "<img src=x onerror=alert(1)>",
        "\"Palm\" & 'Court' %_\\",
        "Palm 🌴 Court",
        "👨\u200d👩\u200d👧 Row",
        "棕榈阁",
        "ﷺ" * 60,
    ],
)
async def test_a_neighborhood_name_comes_back_exactly_as_it_was_typed(database, name):
    founded = await a_neighborhood(name)
    assert [shown.name for shown in await neighborhoods.in_zip("34236")] == [name]
    assert await neighborhoods.find(founded.id) == founded
