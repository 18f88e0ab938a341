"""Visitors and staff who change the members of the same neighborhoods at once."""

import asyncio
import random

import pytest
import sqlalchemy as sa

from fuel_app.joining import service as joining
from fuel_app.kit.db.session import reading
from fuel_app.kit.errors import NeighborhoodGone, Refusal
from fuel_app.leads.rules import Change
from fuel_app.submissions import service as lead_changes
from fuel_app.submissions.queries import leads
from fuel_app.waitlist import service as waitlist
from tests.factories import waitlist_entry
from tests.helpers.neighborhoods import BY, PEOPLE, merge, neighborhood, undo


async def joiners(count: int) -> list[str]:
    """Store leads of the waitlist that are in no neighborhood yet."""
    addresses = (f"2001:db8:0:{number:x}::1" for number in range(count))
    return [
        await waitlist.join(waitlist_entry(), referrer=None, address=address)
        for address in addresses
    ]


async def counts() -> dict[str, int]:
    async with reading() as session:
        found = sa.select(PEOPLE.c.neighborhood_id, sa.func.count())
        members = found.where(PEOPLE.c.neighborhood_id.is_not(None))
        rows = await session.execute(members.group_by(PEOPLE.c.neighborhood_id))
        return {row[0]: row[1] for row in rows}


@pytest.mark.long
@pytest.mark.slow
async def test_joins_moves_deletions_and_merges_at_once_do_not_deadlock(database):
    """Fail on any error but a refusal, in four neighborhoods where all of it happens at once."""
    hot = [await neighborhood(f"Palm {number}") for number in range(4)]
    crowd = await joiners(160)
    chance = random.Random(4)

    async def join(person: str) -> None:
        for _ in range(3):
            await joining.join(person, chance.choice(hot))

    async def leave_and_come_back(some: list[str]) -> None:
        gone = await lead_changes.change_selected(
            dict.fromkeys(some, 0), Change("delete"), actor=BY
        )
        await undo(gone.action_id)

    async def merge_and_undo() -> None:
        survivor, gone = chance.sample(hot, 2)
        await undo((await merge(survivor, gone)).id)

    work = [join(person) for person in crowd[20:]]
    work += [leave_and_come_back(chance.sample(crowd, 10)) for _ in range(8)]
    work += [merge_and_undo() for _ in range(8)]
    chance.shuffle(work)
    outcomes: list[BaseException | None] = []
    for start in range(0, len(work), 20):
        outcomes += await asyncio.gather(*work[start : start + 20], return_exceptions=True)
    unexpected = [each for each in outcomes if each and not isinstance(each, Refusal)]
    assert unexpected == []
    assert sum((await counts()).values()) > 50


@pytest.mark.slow
async def test_a_merge_in_a_rush_of_joins_loses_no_member(database):
    survivor, gone = await neighborhood("Palm Court"), await neighborhood("Bay View", 20)
    crowd = await joiners(60)

    async def join(person: str) -> bool:
        try:
            await joining.join(person, gone)
        except NeighborhoodGone:  # asked just before the merge, came just after it
            await joining.join(person, gone)
        return True

    joined = await asyncio.gather(
        *(join(person) for person in crowd[:30]),
        merge(survivor, gone),
        *(join(person) for person in crowd[30:]),
    )
    assert len(joined) == 61
    assert await counts() == {survivor: 80}


async def test_members_come_back_while_their_neighborhood_is_merged_away(database, monkeypatch):
    survivor, gone = await neighborhood("Palm Court"), await neighborhood("Bay View", 3)
    async with reading() as session:
        found = sa.select(PEOPLE.c.id).where(PEOPLE.c.neighborhood_id == gone)
        members = list(await session.scalars(found))
    deleted = await lead_changes.change_selected(
        dict.fromkeys(members, 0), Change("delete"), actor=BY
    )
    merging: list[asyncio.Task[object]] = []
    check = leads._forget_what_is_gone

    async def merged_meanwhile(*args):
        await check(*args)
        merging.append(asyncio.create_task(merge(survivor, gone)))
        await asyncio.wait(merging, timeout=0.5)  # ends at once unless it has to wait

    monkeypatch.setattr(leads, "_forget_what_is_gone", merged_meanwhile)
    await undo(deleted.action_id)
    await asyncio.gather(*merging)
    assert await counts() == {survivor: 3}
