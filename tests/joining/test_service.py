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
from tests.helpers.leads import joined
from tests.helpers.neighborhoods import NO_ID
from tests.helpers.visitors import a_neighborhood


async def neighborhood_of(submission_id: str) -> str | None:
    async with session.reading() as looking:
        submission = await looking.get(WaitlistSubmission, submission_id)
        return submission and submission.neighborhood_id


async def pioneer_of(neighborhood_id: str) -> str | None:
    async with session.reading() as looking:
        return (await looking.get_one(Neighborhood, neighborhood_id)).pioneer_id


async def remove(submission_id: str) -> None:
    async with session.transaction() as writing:
        this = sa.delete(WaitlistSubmission).where(col(WaitlistSubmission.id) == submission_id)
        await writing.execute(this)


async def test_a_pioneer_is_the_first_member(database):
    pioneer = await joined()
    founded = await neighborhoods.create(pioneer, "Palm Court", "34236")
    assert founded == NeighborhoodSummary(founded.id, "Palm Court", "34236", members=1)
    assert await neighborhood_of(pioneer) == founded.id
    assert await pioneer_of(founded.id) == pioneer
    assert await neighborhoods.find(f" {founded.id.upper()} ") == founded  # as links are typed
    await remove(pioneer)
    assert (await neighborhoods.join(await joined(), founded.id)).members == 1
    assert await pioneer_of(founded.id) is None


async def test_a_name_is_there_once_in_a_zip(database):
    first, creator = await a_neighborhood("Palm Court"), await joined()
    taken = "A neighborhood with this name already exists in 34236"
    for name in ("Palm Court", "PALM  COURT"):
        with pytest.raises(NeighborhoodNameTaken, match=taken):
            await neighborhoods.create(creator, name, "34236")
    assert await neighborhoods.in_zip("34236") == [first]
    assert await neighborhood_of(creator) is None
    there = await a_neighborhood("Palm Court", "34237")
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


async def test_a_neighbor_is_in_one_neighborhood_at_a_time_and_counts_once(database):
    bay, palm, neighbor = await a_neighborhood("Bay"), await a_neighborhood("Palm"), await joined()
    await neighborhoods.join(neighbor, bay.id)
    there = NeighborhoodSummary(palm.id, "Palm", palm.zip_code, members=2)
    for _ in range(2):
        assert await neighborhoods.join(neighbor, palm.id) == there
        assert await neighborhood_of(neighbor) == palm.id
    assert await neighborhoods.in_zip(palm.zip_code) == [bay, there]
    with pytest.raises(AlreadyInNeighborhood, match="You have already joined"):
        await neighborhoods.create(neighbor, "Bay View", "34236")


async def test_ten_neighbors_join_at_once(database):
    founded = await a_neighborhood("Palm Court")
    neighbors = [await joined() for _ in range(10)]
    await asyncio.gather(*(neighborhoods.join(neighbor, founded.id) for neighbor in neighbors))
    (shown,) = await neighborhoods.in_zip("34236")
    assert shown.members == 11


async def test_an_unknown_neighborhood_is_neither_found_nor_joined(database):
    neighbor = await joined()
    for unknown in (*NO_ID, {}, "' OR '1'='1"):
        assert await neighborhoods.find(unknown) is None
        with pytest.raises(NeighborhoodGone, match="Neighborhood not found"):
            await neighborhoods.join(neighbor, unknown)
    assert await neighborhood_of(neighbor) is None


async def test_somebody_who_has_left_joins_and_founds_nothing(database):
    founded, neighbor = await a_neighborhood("Palm Court"), await joined()
    await remove(neighbor)
    with pytest.raises(NotOnTheList):
        await neighborhoods.join(neighbor, founded.id)
    with pytest.raises(NotOnTheList):
        await neighborhoods.create(neighbor, "Bay View", "34236")
    assert await neighborhoods.in_zip("34236") == [founded]


async def test_the_neighborhoods_of_a_zip_come_by_name_exactly_as_they_were_typed(database):
    names = (
        "\"Palm\" & 'Court' %_\\",
        "<img src=x>",
        "Bay 🌴 Row",
        "👨\u200d👩\u200d👧 Row",
        "ﷺ" * 60,
    )
    for name in reversed(names):
        await a_neighborhood(name)
    await a_neighborhood("Elsewhere", "34237")
    listed = [each.name for each in await neighborhoods.in_zip("34236")]
    assert sorted(listed) == sorted(names)
    assert await neighborhoods.in_zip("' OR 1=1 --") == []
    for name in ("Cedar Park", "Alder Row", "Zen"):
        await a_neighborhood(name, "34238")
    assert [each.name for each in await neighborhoods.in_zip("34238")] == [
        *("Alder Row", "Cedar Park", "Zen")
    ]
