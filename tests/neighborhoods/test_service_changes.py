"""Staff rename a neighborhood, merge two, hand the pioneer's role over; and undo each."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from fuel_app.joining import service as joining
from fuel_app.kit import signals
from fuel_app.kit.errors import (
    ChangedSince,
    NeighborhoodGone,
    NeighborhoodNameTaken,
    NotAMember,
    NothingToUndo,
    OtherZip,
)
from fuel_app.kit.signals import MEMBERS
from fuel_app.leads.rules import DELETE, Change
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import NeighborhoodChange, NeighborhoodQuery
from fuel_app.submissions import service as submissions
from fuel_app.waitlist import service as waitlist
from tests.factories import waitlist_entry
from tests.helpers.bookings import STAFF
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
    return [
        (c.summary, c.undone) for c in await neighborhoods.history(neighborhood_id, actor=STAFF)
    ]


async def listed(**asked: Any) -> list[str]:
    page = await neighborhoods.page(NeighborhoodQuery.parse(asked), actor=STAFF)
    return [row.name for row in page.rows]


async def by_link(neighborhood_id: str) -> tuple[str, int]:
    """Return the id and the members of the neighborhood that a join link leads to."""
    there = await joining.find(neighborhood_id)
    assert there is not None
    return there.id, there.members


async def newcomer() -> str:
    return await waitlist.join(waitlist_entry(), referrer=None, address="192.0.2.1")


async def test_a_renamed_neighborhood_is_found_by_its_new_name_until_undo(database):
    palm = await neighborhood("palm court")
    assert await neighborhoods.rename(palm, "palm court", actor=BY) is None
    await rename(palm, "Palm Court")  # another case is another name
    change = await rename(palm, "Élan Grove")
    assert (await detail(palm)).neighborhood.name == "Élan Grove"
    assert await listed(q="elan") == ["Élan Grove"]
    await undo(change.id)
    assert await listed(q="palm") == ["Palm Court"]
    entry, _ = await neighborhoods.history(palm, actor=STAFF)
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


@pytest.mark.parametrize("later", ["renamed again", "name taken", "deleted"])
async def test_undo_keeps_what_came_later(database, later):
    palm = await neighborhood("Palm Court", 1)
    (member,) = await members_of(palm)
    change = await rename(palm, "Palm Grove")
    if later == "renamed again":
        await rename(palm, "Palm Bay")
        with pytest.raises(ChangedSince):
            await undo(change.id)
        assert await listed() == ["Palm Bay"]
        assert [undone for _, undone in await logged(palm)] == [False, False]
    elif later == "name taken":
        await neighborhood("palm court")
        with pytest.raises(NeighborhoodNameTaken):
            await undo(change.id)
        assert (await detail(palm)).neighborhood.name == "Palm Grove"
    else:
        handed = await hand_over(palm, member)
        await remove(NEIGHBORHOODS, palm)
        for each in (change, handed):
            with pytest.raises(NeighborhoodGone):
                await undo(each.id)


async def test_concurrent_undos_undo_once(database):
    change = await rename(await neighborhood("Palm Court"), "Palm Grove")
    undone = await asyncio.gather(*(undo(change.id) for _ in range(4)), return_exceptions=True)
    assert sum(each is None for each in undone) == 1
    assert sum(isinstance(each, NothingToUndo) for each in undone) == 3


@pytest.mark.parametrize("unknown", NO_ID)
async def test_an_unknown_neighborhood_cannot_be_changed(sqlite_database, unknown):
    palm = await neighborhood("Palm Court", 1)
    (member,) = await members_of(palm)
    for change in (
        rename(unknown, "Palm Grove"),
        merge(palm, unknown),
        merge(unknown, palm),
        hand_over(unknown, member),
    ):
        with pytest.raises(NeighborhoodGone, match="Neighborhood not found"):
            await change


async def test_a_merge_moves_all_members_and_redirects_the_link(database):
    palm = await neighborhood("Palm Court", 3, pioneer=("Ada", "Lovelace"))
    bay = await neighborhood("Bay View", 4, pioneer=("Grace", "Hopper"))
    everyone = {*await members_of(palm), *await members_of(bay)}
    await merge(bay, palm)
    assert {*await members_of(bay)} == everyone
    assert await by_link(palm) == (bay, 7)
    assert await detail(palm) == await detail(bay)
    assert await pioneer_of(bay) == "Grace Hopper"
    assert await listed() == ["Bay View"]
    assert await logged(bay) == [("Palm Court was merged into Bay View: 3 members moved", False)]
    assert (await joining.join(await newcomer(), palm)).id == bay


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
    assert await listed(sort="members") == ["Palm Court", "Bay View"]


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
    await rename(bay, "Palm Court")
    with pytest.raises(NeighborhoodNameTaken):
        await undo(first.id)
    await rename(bay, "Bay View")
    await undo(first.id)
    for each in (palm, bay, osprey):
        assert await by_link(each) == (each, 2)


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
    page = await neighborhoods.page(NeighborhoodQuery(), actor=STAFF)
    assert [row.members for row in page.rows] == [4]


async def test_the_pioneers_role_goes_to_another_member_and_back(database):
    palm = await neighborhood("Palm Court", 3, pioneer=("Grace", "Hopper"))
    pioneer, second, third = (await detail(palm)).members
    change = await hand_over(palm, second.id)
    assert change.summary == "Pioneer's role handed from Grace Hopper to Ada Lovelace"
    assert (await detail(palm)).pioneer == second
    later = await hand_over(palm, third.id)
    with pytest.raises(ChangedSince):
        await undo(change.id)
    await undo(later.id)
    await undo(change.id)
    assert (await detail(palm)).pioneer == pioneer


async def test_a_neighborhood_without_a_pioneer_gets_one_whom_the_table_finds(database):
    palm, bay = await neighborhood("Palm Court", 1), await neighborhood("Bay View", 1)
    (member,) = await members_of(palm)
    change = await hand_over(palm, member)
    assert await listed(pioneer="lovelace") == ["Palm Court"]
    await undo(change.id)
    assert await listed(pioneer="lovelace") == []
    for other in ("nobody", (await members_of(bay))[0]):
        with pytest.raises(NotAMember):
            await hand_over(palm, other)


async def test_undo_does_not_give_the_role_to_a_deleted_pioneer(database):
    palm = await neighborhood("Palm Court", 2, pioneer=("Grace", "Hopper"))
    pioneer, second = await members_of(palm)
    change = await hand_over(palm, second)
    await remove(PEOPLE, pioneer)
    await undo(change.id)
    assert await pioneer_of(palm) == ""
    assert await listed(pioneer="hopper") == []
    summary = "Pioneer's role handed from a former member to Ada Lovelace"
    assert await logged(palm) == [(summary, True)]  # the log keeps no name of a deleted person


@asynccontextmanager
async def signaled(of_a_change: bool = True):
    async with signals.listening(MEMBERS) as changes:
        yield
        assert await changes.next(0.01) == (frozenset({MEMBERS}) if of_a_change else frozenset())


async def test_each_change_of_members_is_signaled_and_nothing_else(sqlite_database):
    async with signaled(of_a_change=False):
        pioneer, person = await newcomer(), await newcomer()
    async with signaled():
        palm = (await joining.create(pioneer, "Palm Court", "34236")).id
    async with signaled():
        await joining.join(person, palm)
    bay = await neighborhood("Bay View", 1, zip_code="34236")
    async with signaled():
        await rename(palm, "Palm Grove")
    async with signaled(of_a_change=False):
        await neighborhoods.rename(palm, "Palm Grove", actor=BY)
    async with signaled():
        await hand_over(palm, (await members_of(palm))[1])
    async with signaled():
        merged = await merge(palm, bay)
    async with signaled():
        await undo(merged.id)
    async with signaled(of_a_change=False):
        await submissions.change_lead(person, 0, Change.status("Contacted"), actor=BY)
    async with signaled():
        deleted = await submissions.change_selected({person: 1}, DELETE, actor=BY)
    async with signaled():
        await undo(deleted.action_id)
