"""Staff rename a neighborhood, merge two, hand the pioneer's role over; and undo each."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from fuel_app.joining import service as joining
from fuel_app.kit.errors import (
    ChangedSince,
    NeighborhoodGone,
    NeighborhoodNameTaken,
    NotAMember,
    NothingToUndo,
    OtherZip,
)
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import NeighborhoodChange, NeighborhoodQuery
from fuel_app.waitlist import service as waitlist
from tests.factories import waitlist_entry
from tests.helpers.neighborhoods import (
    BY,
    NEIGHBORHOODS,
    NO_ID,
    PEOPLE,
    detail,
    hand_over,
    members_of,
    merge,
    neighborhood,
    remove,
    rename,
    undo,
)


async def pioneer_of(neighborhood_id: str) -> str:
    pioneer = (await detail(neighborhood_id)).pioneer
    return pioneer.name if pioneer else ""


async def logged(neighborhood_id: str) -> list[tuple[str, bool]]:
    return [(c.summary, c.undone) for c in await neighborhoods.history(neighborhood_id)]


async def found(**asked: Any) -> list[str]:
    page = await neighborhoods.page(NeighborhoodQuery.parse(asked))
    return [row.name for row in page.rows]


async def by_link(neighborhood_id: str) -> tuple[str, int]:
    """Return the id and the members of the neighborhood that a join link leads to."""
    there = await joining.find(neighborhood_id)
    assert there is not None
    return there.id, there.members


async def newcomer() -> str:
    return await waitlist.join(waitlist_entry(), referrer=None, address="192.0.2.1")


async def test_a_renamed_neighborhood_is_found_by_its_new_name_until_undo(database):
    palm = await neighborhood("Palm Court")
    change = await rename(palm, "Élan Grove")
    assert (await detail(palm)).neighborhood.name == "Élan Grove"
    assert await found(q="elan") == ["Élan Grove"]
    await undo(change.id)
    assert await found(q="palm") == ["Palm Court"]
    (entry,) = await neighborhoods.history(palm)
    assert entry == replace(change, at=entry.at, undone=True)
    assert (entry.actor, entry.summary) == (str(BY), "Renamed from Palm Court to Élan Grove")


async def test_a_name_that_the_zip_has_is_refused_and_nothing_changes(database):
    palm = await neighborhood("Palm Court", zip_code="34236")
    await neighborhood("Bay View", zip_code="34236")
    await neighborhood("Osprey", zip_code="34229")
    with pytest.raises(NeighborhoodNameTaken, match="already exists in 34236"):
        await rename(palm, "BAY  view")
    assert (await detail(palm)).neighborhood.name == "Palm Court"
    assert await logged(palm) == []
    await rename(palm, "Osprey")


async def test_a_new_case_is_a_change_and_the_same_name_is_none(database):
    palm = await neighborhood("palm court")
    await rename(palm, "Palm Court")
    assert await neighborhoods.rename(palm, "Palm Court", actor=BY) is None


async def test_undo_keeps_a_later_change(database):
    palm = await neighborhood("Palm Court")
    first = await rename(palm, "Palm Grove")
    await rename(palm, "Palm Bay")
    with pytest.raises(ChangedSince):
        await undo(first.id)
    assert (await detail(palm)).neighborhood.name == "Palm Bay"
    assert [undone for _, undone in await logged(palm)] == [False, False]


async def test_undo_does_not_take_a_former_name_from_its_new_owner(database):
    palm = await neighborhood("Palm Court")
    change = await rename(palm, "Palm Grove")
    await neighborhood("palm court")
    with pytest.raises(NeighborhoodNameTaken):
        await undo(change.id)
    assert (await detail(palm)).neighborhood.name == "Palm Grove"


async def test_concurrent_undos_undo_once(database):
    change = await rename(await neighborhood("Palm Court"), "Palm Grove")
    undone = await asyncio.gather(*(undo(change.id) for _ in range(4)), return_exceptions=True)
    assert sum(each is None for each in undone) == 1
    assert sum(isinstance(each, NothingToUndo) for each in undone) == 3


@pytest.mark.parametrize("unknown", NO_ID)
async def test_an_unknown_neighborhood_cannot_be_changed(sqlite_database, unknown):
    palm = await neighborhood("Palm Court", 1)
    (member,) = await members_of(palm)
    with pytest.raises(NeighborhoodGone, match="Neighborhood not found"):
        await rename(unknown, "Palm Grove")
    for survivor, gone in ((palm, unknown), (unknown, palm)):
        with pytest.raises(NeighborhoodGone):
            await merge(survivor, gone)
    with pytest.raises(NeighborhoodGone):
        await hand_over(unknown, member)


async def test_a_merge_moves_all_members_and_is_logged(database):
    palm = await neighborhood("Palm Court", 3, pioneer=("Ada", "Lovelace"))
    bay = await neighborhood("Bay View", 4, pioneer=("Grace", "Hopper"))
    everyone = {*await members_of(palm), *await members_of(bay)}
    await merge(bay, palm)
    assert {*await members_of(bay)} == everyone
    assert (await detail(bay)).neighborhood.members == 7
    assert await pioneer_of(bay) == "Grace Hopper"
    assert await found() == ["Bay View"]
    assert await logged(bay) == [("Palm Court was merged into Bay View: 3 members moved", False)]


async def test_the_link_of_a_merged_neighborhood_leads_to_the_surviving_one(database):
    palm, bay = await neighborhood("Palm Court", 1), await neighborhood("Bay View", 1)
    await merge(bay, palm)
    assert await by_link(palm) == (bay, 2)
    assert (await joining.join(await newcomer(), palm)).id == bay
    assert await detail(palm) == await detail(bay)


async def test_undoing_a_merge_makes_both_neighborhoods_again(database):
    palm = await neighborhood("Palm Court", 3, pioneer=("Ada", "Lovelace"))
    bay = await neighborhood("Bay View", 4)
    before = [await members_of(palm), await members_of(bay), await detail(palm)]
    change = await merge(bay, palm)
    assert await pioneer_of(bay) == "Ada Lovelace"  # it had none of its own
    person = await newcomer()
    await joining.join(person, palm)
    await undo(change.id)
    assert [await members_of(palm), (await members_of(bay))[:4], await detail(palm)] == before
    assert person in await members_of(bay)
    assert await pioneer_of(bay) == ""
    assert await found(sort="members") == ["Palm Court", "Bay View"]


async def test_undoing_a_merge_leaves_out_members_who_moved_on_or_left(database):
    palm = await neighborhood("Palm Court", 3, pioneer=("Ada", "Bell"))
    bay, osprey = await neighborhood("Bay View", 1), await neighborhood("Osprey")
    pioneer, second, third = await members_of(palm)
    change = await merge(bay, palm)
    await joining.join(second, osprey)
    await remove(PEOPLE, pioneer)
    await undo(change.id)
    assert await members_of(palm) == [third]
    assert await members_of(osprey) == [second]
    assert (await detail(palm)).pioneer is None


async def test_successive_merges_are_undone_in_reverse_order(database):
    palm = await neighborhood("Palm Court", 2)
    bay, osprey = await neighborhood("Bay View", 2), await neighborhood("Osprey", 2)
    first = await merge(bay, palm)
    second = await merge(osprey, bay)
    assert await by_link(palm) == await by_link(bay) == (osprey, 6)
    with pytest.raises(ChangedSince):
        await undo(first.id)
    await undo(second.id)
    assert await by_link(palm) == (bay, 4)
    await undo(first.id)
    assert [await by_link(each) for each in (palm, bay, osprey)] == [
        (palm, 2), (bay, 2), (osprey, 2),
    ]  # fmt: skip


async def test_a_merge_is_not_undone_once_its_name_is_taken(database):
    palm, bay = await neighborhood("Palm Court", 1), await neighborhood("Bay View", 1)
    change = await merge(bay, palm)
    await rename(bay, "Palm Court")
    with pytest.raises(NeighborhoodNameTaken):
        await undo(change.id)
    assert await found() == ["Palm Court"]
    assert len(await members_of(bay)) == 2


async def test_a_merge_needs_two_neighborhoods_of_one_zip(database):
    palm = await neighborhood("Palm Court", 1, zip_code="34236")
    bay = await neighborhood("Bay View", 1, zip_code="34202")
    with pytest.raises(OtherZip, match="one ZIP code"):
        await merge(palm, bay)
    with pytest.raises(NeighborhoodGone):
        await merge(palm, palm)
    assert len(await members_of(palm)) == len(await members_of(bay)) == 1


async def test_concurrent_merges_of_two_neighborhoods_merge_once(database):
    palm, bay = await neighborhood("Palm Court", 2), await neighborhood("Bay View", 2)
    outcomes = await asyncio.gather(merge(palm, bay), merge(bay, palm), return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {NeighborhoodChange, NeighborhoodGone}
    page = await neighborhoods.page(NeighborhoodQuery())
    assert [row.members for row in page.rows] == [4]


async def test_undo_in_a_deleted_neighborhood_is_refused(database):
    palm = await neighborhood("Palm Court", 1)
    (member,) = await members_of(palm)
    changes = [await rename(palm, "Palm Grove"), await hand_over(palm, member)]
    await remove(NEIGHBORHOODS, palm)
    for change in changes:
        with pytest.raises(NeighborhoodGone):
            await undo(change.id)


async def test_the_pioneers_role_goes_to_another_member_and_back(database):
    palm = await neighborhood("Palm Court", 3, pioneer=("Grace", "Hopper"))
    pioneer, second, _ = (await detail(palm)).members
    change = await hand_over(palm, second.id)
    assert change.summary == "Pioneer's role handed from Grace Hopper to Ada Lovelace"
    assert (await detail(palm)).pioneer == second
    await undo(change.id)
    assert (await detail(palm)).pioneer == pioneer


async def test_a_neighborhood_without_a_pioneer_gets_one_whom_the_table_finds(database):
    palm = await neighborhood("Palm Court", 1)
    (member,) = await members_of(palm)
    change = await hand_over(palm, member)
    assert await found(pioneer="lovelace") == ["Palm Court"]
    await undo(change.id)
    assert await found(pioneer="lovelace") == []


async def test_undo_does_not_give_the_role_to_a_deleted_pioneer(database):
    palm = await neighborhood("Palm Court", 2, pioneer=("Grace", "Hopper"))
    pioneer, second = await members_of(palm)
    change = await hand_over(palm, second)
    await remove(PEOPLE, pioneer)
    await undo(change.id)
    assert await pioneer_of(palm) == ""
    assert await found(pioneer="hopper") == []
    summary = "Pioneer's role handed from a former member to Ada Lovelace"
    assert await logged(palm) == [(summary, True)]  # the log keeps no name of a deleted person


async def test_undo_does_not_take_a_role_that_was_handed_on(database):
    palm = await neighborhood("Palm Court", 3)
    first, second, _ = await members_of(palm)
    change = await hand_over(palm, first)
    await hand_over(palm, second)
    with pytest.raises(ChangedSince):
        await undo(change.id)


async def test_only_a_member_becomes_the_pioneer(sqlite_database):
    palm, bay = await neighborhood("Palm Court", 1), await neighborhood("Bay View", 1)
    for other in ("nobody", (await members_of(bay))[0]):
        with pytest.raises(NotAMember):
            await hand_over(palm, other)
