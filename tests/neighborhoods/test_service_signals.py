"""Whoever looks at neighborhoods is told what changes them, and of nothing that does not."""

from contextlib import asynccontextmanager

from fuel_app.joining import service as neighborhoods
from fuel_app.kit import audit
from fuel_app.kit import signals as live
from fuel_app.kit.signals import MEMBERS
from fuel_app.leads.rules import DELETE, Change
from fuel_app.neighborhoods import service as neighborhood_tools
from fuel_app.submissions.service import changes as lead_changes
from fuel_app.waitlist import service as waitlist
from tests.factories import waitlist_entry
from tests.helpers.neighborhoods import email_of, members_of, neighborhood

HERE = "203.0.113.7"
BY = "a-session"


async def submission() -> str:
    return await waitlist.join(waitlist_entry(), referrer=None, address=HERE)


async def undo(action_id: str) -> None:
    async for _ in audit.undo(action_id, actor=BY):
        pass


@asynccontextmanager
async def told(of_a_change: bool = True):
    async with live.listening(MEMBERS) as changes:
        yield
        assert await changes.next(0.01) == (frozenset({MEMBERS}) if of_a_change else frozenset())


async def test_visitors_who_found_and_join_neighborhoods_are_told_of(sqlite_database):
    async with told():
        founded = await neighborhoods.create(await submission(), "Palm Court", "34236")
    async with told(of_a_change=False):
        newcomer = await submission()
    async with told():
        await neighborhoods.join(newcomer, founded.id)


async def test_every_change_by_staff_and_its_undo_is_told_of(sqlite_database):
    here = await neighborhood("Palm Court", 2, pioneer=("Ada", "Bell"), zip_code="34236")
    there = await neighborhood("Bay View", 1, zip_code="34236")
    async with told():
        renamed = await neighborhood_tools.rename(here, "Palm Grove", by=BY)
    assert renamed is not None
    async with told(of_a_change=False):
        await neighborhood_tools.rename(here, "Palm Grove", by=BY)
    async with told():
        await neighborhood_tools.hand_over(here, await email_of((await members_of(here))[1]), by=BY)
    async with told():
        merged = await neighborhood_tools.merge(here, there, by=BY)
    async with told():
        await undo(merged.id)


async def test_a_member_who_is_deleted_and_brought_back_is_told_of(sqlite_database):
    founded = await neighborhoods.create(await submission(), "Palm Court", "34236")
    (member,) = await members_of(founded.id)
    async with told(of_a_change=False):
        changed = await lead_changes.change(member, 0, Change.status("Contacted"), by=BY)
    async with told(of_a_change=False):
        await undo(changed.action_id)
    async with told():
        deleted = await lead_changes.change_selected({member: 2}, DELETE, by=BY)
    async with told():
        await undo(deleted.action_id)
