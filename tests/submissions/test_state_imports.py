"""Imports as a tab of the staff sees them, without a browser."""

import asyncio
import re

import pytest

from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import NothingToUndo
from fuel_app.kit.jobs import queue
from fuel_app.kit.signals import Changes
from fuel_app.kit.ui.toast import ToastState
from fuel_app.submissions import jobs
from fuel_app.submissions.service import imports
from fuel_app.submissions.state.imports import BLANK, FAILED, NOT_SENT, LeadImportState
from tests.helpers.jobs import run_due
from tests.helpers.screens import staff_tab
from tests.helpers.tabs import run as finish
from tests.helpers.tabs import tab_at
from tests.lead_files import BY, after_its_lease, left_behind, people, run, stored, table

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


class Staff:
    """A signed-in tab with the modal open."""

    def __init__(self, tab) -> None:
        self.tab = tab

    @classmethod
    async def at(cls, *, opened: bool = True) -> "Staff":
        staff = cls(await staff_tab())
        await staff.fire("open" if opened else "load")
        return staff

    async def screen(self) -> LeadImportState:
        return await self.tab.get_state(LeadImportState)

    async def fire(self, event: str, *arguments) -> LeadImportState:
        await finish(getattr(LeadImportState, event).fn(await self.screen(), *arguments))
        return await self.screen()

    async def said(self) -> list[tuple[str, str]]:
        return [(each.text, each.kind) for each in (await self.tab.get_state(ToastState)).toasts]


async def test_the_modal_shows_what_was_imported_when_and_by_whom():
    await run(table(*people(3), *people(2), "Eve,,,,"), name="March.csv")
    shown = await (await Staff.at()).screen()
    (line,) = shown.history
    assert (line.file_name, line.phase) == ("March.csv", "done")
    assert line.counts == "3 imported, 2 duplicates, 1 invalid"
    assert line.who == "by staff, signed in Nov 21, 10:36 AM"
    assert re.fullmatch(r"\w{3} \d+, \d{4}, \d+:\d\d [AP]M", line.when)
    assert line.rejected_address == f"/api/leads/imports/{line.id}/rejected.csv"
    assert (shown.running, shown.result, shown.failed) == (BLANK, BLANK, False)


async def test_the_outcome_of_a_file_is_shown_to_the_tab_that_sent_it():
    staff, other = await Staff.at(), await Staff.at()
    import_id = await imports.start("a.csv", table(*people(1), "Eve,,e@x.io,,"), by=BY)
    shown = await staff.fire("sent", import_id)
    assert (shown.running.phase, shown.result) == ("running", BLANK)
    await run_due()
    shown = await staff.fire("load")
    assert shown.result.counts == "1 imported, 0 duplicates, 1 invalid"
    assert shown.reasons == ["Line 3: Last name is required"]
    assert (await other.fire("load")).result == BLANK
    assert (await staff.fire("close", False)).result == BLANK


@pytest.mark.usefixtures("few_rows_at_a_time")
async def test_an_import_that_runs_is_shown_to_every_tab_that_opens():
    await left_behind(table(*people(7)))
    shown = await (await Staff.at(opened=False)).screen()
    assert (shown.running.phase, shown.running.progress) == ("running", "3 of 7 rows")
    assert shown.running.percent == 42
    assert shown.history == []


@pytest.mark.usefixtures("few_rows_at_a_time")
async def test_a_running_import_is_cancelled():
    staff = await Staff.at()
    await staff.fire("sent", await left_behind(table(*people(7))))
    shown = await staff.fire("cancel")
    assert (shown.running.phase, shown.running.progress) == ("cancelling", "0 of 3 rows")
    await after_its_lease()
    shown = await staff.fire("load")
    assert (shown.result.phase, shown.running) == ("cancelled", BLANK)
    assert await stored() == (0, 0)
    assert (await staff.fire("cancel")).problem == ""


async def test_an_import_is_undone_after_a_question():
    done = await run(table(*people(3)))
    staff = await Staff.at()
    assert (await staff.fire("undo")).history[0].phase == "done"  # nobody has asked
    for made_up in ("", "x", BY, 7, None):
        assert (await staff.fire("ask_to_undo", made_up)).asked == ""
    assert (await staff.fire("ask_to_undo", done.id)).asked == done.id
    assert (await staff.fire("ask_to_undo", "")).asked == ""
    await staff.fire("ask_to_undo", done.id)
    shown = await staff.fire("undo")
    assert (shown.asked, shown.problem) == ("", "")
    await run_due()
    shown = await staff.fire("load")
    assert (shown.history[0].phase, shown.history[0].counts[:10]) == ("undone", "3 imported")
    assert await stored() == (0, 0)


async def test_what_cannot_be_undone_any_more_is_said():
    done = await run(table(*people(3)))
    staff = await Staff.at()
    await staff.fire("ask_to_undo", done.id)
    await imports.undo(done.id)
    await run_due()
    assert (await staff.fire("undo")).problem == str(NothingToUndo())
    assert (await staff.fire("open")).problem == ""


async def test_a_failure_is_said_and_the_modal_stays(monkeypatch):
    done = await run(table(*people(3)))
    staff = await Staff.at()
    await staff.fire("ask_to_undo", done.id)

    async def broken(*_):
        raise OSError

    monkeypatch.setattr(imports, "undo", broken)
    shown = await staff.fire("undo")
    assert (shown.problem, shown.opened) == (FAILED, True)
    monkeypatch.setattr(imports, "history", broken)
    shown = await staff.fire("load")
    assert (shown.failed, len(shown.history)) == (True, 1)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("import", ("leads.csv: 5 imported, 0 duplicates, 0 invalid", "done")),
        ("cancel", ("leads.csv: cancelled", "done")),
        ("fail", ("leads.csv: failed", "problem")),
        ("undo", ("leads.csv: 5 imported, 0 duplicates, 0 invalid (undone)", "done")),
    ],
)
async def test_the_tab_that_sent_a_file_is_told_its_end_once_where_the_modal_is_not_open(
    work, said
):
    staff, other = await Staff.at(opened=False), await Staff.at(opened=False)
    import_id = await imports.start("leads.csv", table(*people(5)), by=BY)
    await staff.fire("sent", import_id)
    assert (await other.fire("load")).running.id == import_id
    if work == "cancel":
        await staff.fire("cancel")
    if work == "fail":
        (job,) = await queue.claim(clock.now(), 1)
        async with transaction() as session:
            await jobs._remove_instead(session, job)
    await run_due()
    if work == "undo":
        await staff.fire("open")
        await staff.fire("ask_to_undo", import_id)
        await staff.fire("undo")
        await staff.fire("close", False)
        await run_due()
    for _ in range(2):
        await staff.fire("load")
        await other.fire("load")
    assert await staff.said() == [said]
    assert await other.said() == []


async def test_a_file_that_was_not_sent_is_said_once():
    staff = await Staff.at()
    await staff.fire("sent", "")
    assert await staff.said() == []  # the modal says it
    await staff.fire("close", False)
    await staff.fire("sent", "")
    assert await staff.said() == [(NOT_SENT, "problem")]


async def test_progress_follows_by_itself(monkeypatch):
    waiting, following = asyncio.Event(), Changes.next

    async def noted(self, seconds=None):
        waiting.set()
        return await following(self, seconds)

    monkeypatch.setattr(Changes, "next", noted)
    monkeypatch.setattr("fuel_app.accounts.state.live._PAUSE_S", 0)
    shown = await (await Staff.at()).screen()
    task = asyncio.create_task(finish(LeadImportState.follow.fn(shown)))
    await waiting.wait()
    await run(table(*people(3)))
    while not shown.history:
        waiting.clear()
        await waiting.wait()
    assert shown.history[0].phase == "done"
    task.cancel()
    await asyncio.wait([task])  # left behind, it could be at the database when that closes


async def test_strangers_neither_see_nor_do_anything():
    done = await run(table(*people(3)))
    tab = tab_at("/submissions")
    shown = await tab.get_state(LeadImportState)
    shown.asked = done.id
    for event, arguments in (
        ("load", ()),
        ("open", ()),
        ("sent", (done.id,)),
        ("ask_to_undo", (done.id,)),
        ("undo", ()),
        ("cancel", ()),
    ):
        await finish(getattr(LeadImportState, event).fn(shown, *arguments))
    assert (shown.history, shown.opened) == ([], False)
    assert await stored() == (3, 3)
