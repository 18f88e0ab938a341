"""The pioneer's role goes from one member to another, and back."""

import pytest

from fuel_app.kit.errors import ChangedSince, NotAMember
from fuel_app.neighborhoods import service as neighborhood_tools
from tests.helpers.neighborhoods import PEOPLE, members_of, neighborhood, remove
from tests.neighborhoods.test_service_neighborhood_tools import (
    detail,
    found,
    hand_over,
    pioneer_of,
    told,
    undo,
)


async def test_the_pioneers_role_goes_to_another_member_and_back(database):
    palm = await neighborhood("Palm Court", 3, pioneer=("Ada", "Lovelace"))
    _, second, _ = await members_of(palm)
    change = await hand_over(palm, second)
    assert change.summary == "Pioneer's role handed from Ada Lovelace to Ada Lovelace"
    assert (await detail(palm)).pioneer == (await detail(palm)).members[1]
    await undo(change)
    assert (await detail(palm)).pioneer == (await detail(palm)).members[0]


async def test_a_neighborhood_without_a_pioneer_gets_one_whom_the_table_finds(database):
    palm = await neighborhood("Palm Court", 1)
    (member,) = await members_of(palm)
    change = await hand_over(palm, member)
    assert await found(pioneer="lovelace") == ["Palm Court"]
    await undo(change)
    assert await found(pioneer="lovelace") == []


async def test_a_pioneer_who_has_left_is_not_given_the_role_back(database):
    palm = await neighborhood("Palm Court", 2, pioneer=("Grace", "Hopper"))
    pioneer, second = await members_of(palm)
    change = await hand_over(palm, second)
    await remove(PEOPLE, pioneer)
    await undo(change)
    assert await pioneer_of(palm) == ""
    assert await found(pioneer="hopper") == []
    summary = "Pioneer's role handed from a former member to Ada Lovelace"
    assert await told(palm) == [(summary, True)]  # the log keeps no name of a deleted person


async def test_a_role_that_was_handed_on_is_not_taken_back(database):
    palm = await neighborhood("Palm Court", 3)
    first, second, _ = await members_of(palm)
    change = await hand_over(palm, first)
    await hand_over(palm, second)
    with pytest.raises(ChangedSince):
        await undo(change)


async def test_only_a_member_can_be_the_pioneer(sqlite_database):
    palm, bay = await neighborhood("Palm Court", 1), await neighborhood("Bay View", 1)
    with pytest.raises(NotAMember):
        await neighborhood_tools.hand_over(palm, "nobody@example.com", by="a-session")
    with pytest.raises(NotAMember):
        await hand_over(palm, (await members_of(bay))[0])
