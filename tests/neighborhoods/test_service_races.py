"""Visitors and staff who change the members of the same neighborhoods at once."""

import asyncio
import random

import pytest
import sqlalchemy as sa

from fuel_app.joining import service as neighborhoods
from fuel_app.kit import audit
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import metadata
from fuel_app.kit.errors import NeighborhoodGone, Refusal
from fuel_app.leads.rules import Change
from fuel_app.neighborhoods import service as neighborhood_tools
from fuel_app.submissions.service import changes as lead_changes
from fuel_app.waitlist import service as waitlist
from tests.factories import row, waitlist_entry

NEIGHBORHOODS = metadata.tables["neighborhoods"]
PEOPLE = metadata.tables["waitlist_submissions"]


async def empty_neighborhoods(count: int) -> list[str]:
    rows = [row("neighborhoods") for _ in range(count)]
    async with transaction() as session:
        await session.execute(NEIGHBORHOODS.insert(), rows)
    return [each["id"] for each in rows]


async def people(count: int, neighborhood_id: str | None = None) -> list[str]:
    rows = [row("waitlist_submissions", neighborhood_id=neighborhood_id) for _ in range(count)]
    async with transaction() as session:
        await session.execute(PEOPLE.insert(), rows)
    return [each["id"] for each in rows]


async def counts() -> dict[str, int]:
    async with reading() as session:
        found = sa.select(PEOPLE.c.neighborhood_id, sa.func.count())
        members = found.where(PEOPLE.c.neighborhood_id.is_not(None))
        rows = await session.execute(members.group_by(PEOPLE.c.neighborhood_id))
        return {row[0]: row[1] for row in rows}


@pytest.mark.slow
async def test_joins_moves_deletions_and_merges_at_once_do_not_deadlock(database):
    """Over four hot neighborhoods: people who change from one to another, leads deleted and brought
    back, merges and their undo. Nobody gets an error but the words of a rule."""
    hot = await empty_neighborhoods(4)
    crowd = [
        await waitlist.join(waitlist_entry(), referrer=None, address=f"2001:db8:0:{number:x}::1")
        for number in range(160)
    ]
    chance = random.Random(4)

    async def join(person: str) -> None:
        for _ in range(3):
            await neighborhoods.join(person, chance.choice(hot))

    async def leave_and_come_back(some: list[str]) -> None:
        gone = await lead_changes.change_selected(
            dict.fromkeys(some, 0), Change("delete"), by="somebody"
        )
        async for _ in audit.undo(gone.action_id, actor="somebody"):
            pass

    async def merge_and_undo() -> None:
        survivor, gone = chance.sample(hot, 2)
        merged = await neighborhood_tools.merge(survivor, gone, by="somebody")
        async for _ in audit.undo(merged.id, actor="somebody"):
            pass

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
async def test_a_merge_in_a_rush_of_joins_loses_nobody(database):
    survivor, gone = await empty_neighborhoods(2)
    crowd = await people(60)
    await people(20, gone)

    async def join(person: str) -> bool:
        try:
            await neighborhoods.join(person, gone)
        except NeighborhoodGone:  # asked just before the merge, came just after it
            await neighborhoods.join(person, gone)
        return True

    joined = await asyncio.gather(
        *(join(person) for person in crowd[:30]),
        neighborhood_tools.merge(survivor, gone, by="somebody"),
        *(join(person) for person in crowd[30:]),
    )
    assert len(joined) == 61
    assert await counts() == {survivor: 80}
