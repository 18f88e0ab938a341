"""Signals to open screens: each change of a neighborhood, and nothing else."""

from contextlib import asynccontextmanager

from fuel_app.joining import service as joining
from fuel_app.kit import signals as live
from fuel_app.kit.signals import MEMBERS
from fuel_app.leads.rules import DELETE, Change
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.submissions import service as lead_changes
from fuel_app.waitlist import service as waitlist
from tests.factories import waitlist_entry
from tests.helpers.neighborhoods import BY, hand_over, members_of, merge, neighborhood, rename, undo


async def submission() -> str:
    return await waitlist.join(waitlist_entry(), referrer=None, address="203.0.113.7")


@asynccontextmanager
async def signaled(of_a_change: bool = True):
    async with live.listening(MEMBERS) as changes:
        yield
        assert await changes.next(0.01) == (frozenset({MEMBERS}) if of_a_change else frozenset())


async def test_founding_and_joining_are_signaled(sqlite_database):
    async with signaled():
        founded = await joining.create(await submission(), "Palm Court", "34236")
    async with signaled(of_a_change=False):
        newcomer = await submission()
    async with signaled():
        await joining.join(newcomer, founded.id)


async def test_each_change_by_staff_and_its_undo_is_signaled(sqlite_database):
    here = await neighborhood("Palm Court", 2, pioneer=("Ada", "Bell"), zip_code="34236")
    there = await neighborhood("Bay View", 1, zip_code="34236")
    async with signaled():
        await rename(here, "Palm Grove")
    async with signaled(of_a_change=False):
        await neighborhoods.rename(here, "Palm Grove", actor=BY)
    async with signaled():
        await hand_over(here, (await members_of(here))[1])
    async with signaled():
        merged = await merge(here, there)
    async with signaled():
        await undo(merged.id)


async def test_a_members_deletion_and_its_undo_are_signaled(sqlite_database):
    founded = await joining.create(await submission(), "Palm Court", "34236")
    (member,) = await members_of(founded.id)
    async with signaled(of_a_change=False):
        changed = await lead_changes.change_lead(member, 0, Change.status("Contacted"), actor=BY)
    async with signaled(of_a_change=False):
        await undo(changed.action_id)
    async with signaled():
        deleted = await lead_changes.change_selected({member: 2}, DELETE, actor=BY)
    async with signaled():
        await undo(deleted.action_id)
