"""Staff rename a neighborhood, merge two, hand the pioneer's role over; and take each back."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from fuel_app.joining import service as neighborhoods
from fuel_app.kit import audit
from fuel_app.kit.errors import (
    ChangedSince,
    NeighborhoodGone,
    NeighborhoodNameTaken,
    NotAMember,
    NothingToUndo,
    OtherZip,
)
from fuel_app.neighborhoods import service as neighborhood_list
from fuel_app.neighborhoods import service as neighborhood_tools
from fuel_app.neighborhoods.rules.changes import NeighborhoodChange
from fuel_app.neighborhoods.rules.detail import NeighborhoodDetail
from fuel_app.neighborhoods.rules.listing import NeighborhoodQuery
from fuel_app.waitlist import service as waitlist
from tests.factories import waitlist_entry
from tests.helpers.neighborhoods import (
    NEIGHBORHOODS,
    PEOPLE,
    email_of,
    members_of,
    neighborhood,
    remove,
)

BY = "a-session"
NOBODY = "0f8fad5b-d9cb-469f-a165-70867728950e"
NO_ID = (None, "", "abc", 5, [], "x" * 10_240, NOBODY)


async def rename(neighborhood_id: object, name: str) -> NeighborhoodChange:
    change = await neighborhood_tools.rename(neighborhood_id, name, by=BY)
    assert change is not None
    return change


async def merge(survivor: object, gone: object) -> NeighborhoodChange:
    return await neighborhood_tools.merge(survivor, gone, by=BY)


async def hand_over(neighborhood_id: object, member: str) -> NeighborhoodChange:
    """Args: `member` is somebody's id."""
    return await neighborhood_tools.hand_over(neighborhood_id, await email_of(member), by=BY)


async def undo(change: NeighborhoodChange) -> None:
    async for _ in audit.undo(change.id, actor=BY):
        pass


async def detail(neighborhood_id: str) -> NeighborhoodDetail:
    found = await neighborhood_list.detail(neighborhood_id)
    assert found is not None
    return found


async def pioneer_of(neighborhood_id: str) -> str:
    pioneer = (await detail(neighborhood_id)).pioneer
    return pioneer.name if pioneer else ""


async def told(neighborhood_id: str) -> list[tuple[str, bool]]:
    return [(c.summary, c.undone) for c in await neighborhood_list.history(neighborhood_id)]


async def found(**asked: Any) -> list[str]:
    page = await neighborhood_list.page(NeighborhoodQuery.parse(asked))
    return [row.name for row in page.rows]


async def test_a_renamed_neighborhood_is_found_by_its_new_name_and_undo_gives_the_old_one(database):
    palm = await neighborhood("Palm Court")
    change = await rename(palm, "Élan Grove")
    assert (await detail(palm)).neighborhood.name == "Élan Grove"
    assert await found(q="elan") == ["Élan Grove"]
    await undo(change)
    assert await found(q="palm") == ["Palm Court"]
    (logged,) = await neighborhood_list.history(palm)
    assert logged == replace(change, at=logged.at, undone=True)
    assert (logged.actor, logged.summary) == (BY, "Renamed from Palm Court to Élan Grove")


async def test_a_name_that_the_zip_has_is_refused_and_nothing_changes(database):
    palm = await neighborhood("Palm Court", zip_code="34236")
    await neighborhood("Bay View", zip_code="34236")
    await neighborhood("Osprey", zip_code="34229")
    with pytest.raises(NeighborhoodNameTaken, match="already exists in 34236"):
        await rename(palm, "BAY  view")
    assert (await detail(palm)).neighborhood.name == "Palm Court"
    assert await told(palm) == []
    await rename(palm, "Osprey")


async def test_only_the_case_of_a_name_may_change_and_the_same_name_is_no_change(database):
    palm = await neighborhood("palm court")
    await rename(palm, "Palm Court")
    assert await neighborhood_tools.rename(palm, "Palm Court", by=BY) is None


async def test_an_undo_does_not_throw_a_later_change_away(database):
    palm = await neighborhood("Palm Court")
    first = await rename(palm, "Palm Grove")
    await rename(palm, "Palm Bay")
    with pytest.raises(ChangedSince):
        await undo(first)
    assert (await detail(palm)).neighborhood.name == "Palm Bay"
    assert [undone for _, undone in await told(palm)] == [False, False]


async def test_a_former_name_that_another_neighborhood_has_by_now_stays_theirs(database):
    palm = await neighborhood("Palm Court")
    change = await rename(palm, "Palm Grove")
    await neighborhood("palm court")
    with pytest.raises(NeighborhoodNameTaken):
        await undo(change)
    assert (await detail(palm)).neighborhood.name == "Palm Grove"


async def test_two_who_undo_at_once_undo_once(database):
    change = await rename(await neighborhood("Palm Court"), "Palm Grove")
    undone = await asyncio.gather(*(undo(change) for _ in range(4)), return_exceptions=True)
    assert sum(each is None for each in undone) == 1
    assert sum(isinstance(each, NothingToUndo) for each in undone) == 3


@pytest.mark.parametrize("neighborhood_id", NO_ID)
async def test_a_neighborhood_that_is_not_there_cannot_be_changed(sqlite_database, neighborhood_id):
    there = await neighborhood("Palm Court", 1)
    (member,) = await members_of(there)
    with pytest.raises(NeighborhoodGone, match="Neighborhood not found"):
        await rename(neighborhood_id, "Palm Grove")
    for one, other in ((there, neighborhood_id), (neighborhood_id, there)):
        with pytest.raises(NeighborhoodGone):
            await merge(one, other)
    if neighborhood_id == NOBODY:
        with pytest.raises(NotAMember):
            await hand_over(neighborhood_id, member)
    else:
        with pytest.raises(NeighborhoodGone):
            await hand_over(neighborhood_id, member)


async def test_merging_moves_everybody_and_the_log_says_so(database):
    palm = await neighborhood("Palm Court", 3, pioneer=("Ada", "Lovelace"))
    bay = await neighborhood("Bay View", 4, pioneer=("Grace", "Hopper"))
    everyone = {*await members_of(palm), *await members_of(bay)}
    await merge(bay, palm)
    assert {*await members_of(bay)} == everyone
    assert (await detail(bay)).neighborhood.members == 7
    assert await pioneer_of(bay) == "Grace Hopper"
    assert await found() == ["Bay View"]
    assert await told(bay) == [("Palm Court was merged into Bay View: 3 members moved", False)]


async def test_the_merged_neighborhoods_link_leads_to_the_other_and_can_be_joined(database):
    palm, bay = await neighborhood("Palm Court", 1), await neighborhood("Bay View", 1)
    await merge(bay, palm)
    there = await neighborhoods.find(palm)
    assert there is not None
    assert (there.id, there.name) == (bay, "Bay View")
    person = await waitlist.join(waitlist_entry(), referrer=None, address="192.0.2.1")
    assert (await neighborhoods.join(person, palm)).id == bay
    assert await neighborhood_list.detail(palm) == await neighborhood_list.detail(bay)


async def test_undoing_a_merge_makes_both_neighborhoods_again(database):
    palm = await neighborhood("Palm Court", 3, pioneer=("Ada", "Lovelace"))
    bay = await neighborhood("Bay View", 4)
    before = [await members_of(palm), await members_of(bay), await detail(palm)]
    change = await merge(bay, palm)
    assert await pioneer_of(bay) == "Ada Lovelace"  # it had none of its own
    person = await waitlist.join(waitlist_entry(), referrer=None, address="192.0.2.1")
    await neighborhoods.join(person, palm)
    await undo(change)
    assert [await members_of(palm), (await members_of(bay))[:4], await detail(palm)] == before
    assert person in await members_of(bay)
    assert await pioneer_of(bay) == ""
    assert await found(sort="members") == ["Palm Court", "Bay View"]


async def test_who_has_moved_on_or_left_since_is_not_taken_back(database):
    palm, bay = (
        await neighborhood("Palm Court", 3, pioneer=("Ada", "Bell")),
        await neighborhood("Bay View", 1),
    )
    osprey = await neighborhood("Osprey")
    pioneer, second, third = await members_of(palm)
    change = await merge(bay, palm)
    await neighborhoods.join(second, osprey)
    await remove(PEOPLE, pioneer)
    await undo(change)
    assert await members_of(palm) == [third]
    assert await members_of(osprey) == [second]
    assert (await detail(palm)).pioneer is None


async def test_merges_one_after_the_other_are_undone_in_turn(database):
    palm, bay, osprey = [
        await neighborhood(name, 2) for name in ("Palm Court", "Bay View", "Osprey")
    ]
    first = await merge(bay, palm)
    second = await merge(osprey, bay)
    for link in (palm, bay):
        led = await neighborhoods.find(link)
        assert led is not None
        assert (led.id, led.members) == (osprey, 6)
    with pytest.raises(ChangedSince):
        await undo(first)
    await undo(second)
    led = await neighborhoods.find(palm)
    assert led is not None
    assert led.id == bay
    await undo(first)
    assert [(await detail(g)).neighborhood.members for g in (palm, bay, osprey)] == [2, 2, 2]


async def test_a_merge_is_not_undone_once_its_name_is_somebody_elses(database):
    palm, bay = await neighborhood("Palm Court", 1), await neighborhood("Bay View", 1)
    change = await merge(bay, palm)
    await rename(bay, "Palm Court")
    with pytest.raises(NeighborhoodNameTaken):
        await undo(change)
    assert await found() == ["Palm Court"]
    assert len(await members_of(bay)) == 2


async def test_neighborhoods_of_two_zips_are_not_merged_nor_a_neighborhood_with_itself(database):
    palm = await neighborhood("Palm Court", 1, zip_code="34236")
    bay = await neighborhood("Bay View", 1, zip_code="34202")
    with pytest.raises(OtherZip, match="one ZIP code"):
        await merge(palm, bay)
    with pytest.raises(NeighborhoodGone):
        await merge(palm, palm)
    assert len(await members_of(palm)) == len(await members_of(bay)) == 1


async def test_two_merges_of_the_same_neighborhoods_at_once_merge_once(database):
    palm, bay = await neighborhood("Palm Court", 2), await neighborhood("Bay View", 2)
    outcomes = await asyncio.gather(merge(palm, bay), merge(bay, palm), return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == [
        "NeighborhoodChange",
        "NeighborhoodGone",
    ]
    page = await neighborhood_list.page(NeighborhoodQuery())
    assert [row.members for row in page.rows] == [4]


async def test_an_undo_of_a_deleted_neighborhood_says_that_it_is_gone(database):
    palm = await neighborhood("Palm Court", 1)
    (member,) = await members_of(palm)
    renamed, handed = await rename(palm, "Palm Grove"), await hand_over(palm, member)
    await remove(NEIGHBORHOODS, palm)
    for change in (renamed, handed):
        with pytest.raises(NeighborhoodGone):
            await undo(change)
