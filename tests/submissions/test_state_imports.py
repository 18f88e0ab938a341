"""Imports in a tab without a browser."""

import re

import pytest

from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED, NothingToUndo
from fuel_app.kit.jobs import queue
from fuel_app.kit.ui.toast import ToastState
from fuel_app.submissions import jobs
from fuel_app.submissions import service as submissions
from fuel_app.submissions.state.imports import BLANK, NOT_SENT, LeadImportState
from tests.helpers.bookings import STAFF
from tests.helpers.jobs import run_due
from tests.helpers.screens import staff_tab
from tests.helpers.tabs import run as finish
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


async def test_history_shows_counts_time_and_staff_session():
    await run(table(*people(3), *people(2), "Eve,,,,"), name="March.csv")
    shown = await (await Staff.at()).screen()
    (line,) = shown.history
    assert (line.file_name, line.phase) == ("March.csv", "done")
    assert line.counts == "3 imported, 2 duplicates, 1 invalid"
    assert line.who == "by shared password"
    assert re.fullmatch(r"\w{3} \d+, \d{4}, \d+:\d\d [AP]M", line.when)
    assert line.rejected == 3
    assert (shown.running, shown.result, shown.failed) == (BLANK, BLANK, False)


async def test_outcome_is_shown_in_the_tab_that_uploaded():
    staff, other = await Staff.at(), await Staff.at()
    import_id = await submissions.start_import(
        "a.csv", table(*people(1), "Eve,,e@x.io,,"), actor=BY
    )
    shown = await staff.fire("sent", import_id)
    assert (shown.running.phase, shown.result) == ("running", BLANK)
    await run_due()
    shown = await staff.fire("load")
    assert shown.result.counts == "1 imported, 0 duplicates, 1 invalid"
    assert shown.reasons == ["Line 3: Last name is required"]
    assert (await other.fire("load")).result == BLANK
    assert (await staff.fire("close", False)).result == BLANK


@pytest.mark.usefixtures("few_rows_at_a_time")
async def test_running_import_is_shown_in_every_tab_and_cancelled():
    staff = await Staff.at()
    await staff.fire("sent", await left_behind(table(*people(7))))
    other = await (await Staff.at(opened=False)).screen()
    assert (other.running.phase, other.running.progress) == ("running", "3 of 7 rows")
    assert (other.running.percent, other.history) == (42, [])
    shown = await staff.fire("cancel")
    assert (shown.running.phase, shown.running.progress) == ("cancelling", "0 of 3 rows")
    await after_its_lease()
    shown = await staff.fire("load")
    assert (shown.result.phase, shown.running) == ("cancelled", BLANK)
    assert await stored() == (0, 0)
    assert (await staff.fire("cancel")).problem == ""


async def test_import_is_undone_after_a_confirmation():
    done = await run(table(*people(3)))
    staff = await Staff.at()
    assert (await staff.fire("undo")).history[0].phase == "done"  # without a question
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


async def test_failures_are_shown_in_the_modal(monkeypatch):
    done, undone = await run(table(*people(3))), await run(table(*people(2, start=4)))
    staff = await Staff.at()
    await staff.fire("ask_to_undo", undone.id)
    await submissions.undo_import(undone.id, actor=STAFF)
    await run_due()
    assert (await staff.fire("undo")).problem == str(NothingToUndo())
    assert (await staff.fire("open")).problem == ""
    await staff.fire("ask_to_undo", done.id)

    async def broken(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(submissions, "undo_import", broken)
    shown = await staff.fire("undo")
    assert (shown.problem, shown.opened) == (FAILED, True)
    monkeypatch.setattr(submissions, "list_imports", broken)
    shown = await staff.fire("load")
    assert (shown.failed, len(shown.history)) == (True, 2)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("import", ("leads.csv: 5 imported, 0 duplicates, 0 invalid", "done")),
        ("cancel", ("leads.csv: cancelled", "done")),
        ("fail", ("leads.csv: failed", "problem")),
        ("undo", ("leads.csv: 5 imported, 0 duplicates, 0 invalid (undone)", "done")),
    ],
)
@pytest.mark.slow
async def test_closed_modal_shows_the_end_of_an_import_as_one_toast_in_its_tab(work, said):
    staff, other = await Staff.at(opened=False), await Staff.at(opened=False)
    import_id = await submissions.start_import("leads.csv", table(*people(5)), actor=BY)
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


async def test_failed_upload_is_reported_once():
    staff = await Staff.at()
    await staff.fire("sent", "")
    assert await staff.said() == []  # the modal shows it
    await staff.fire("close", False)
    await staff.fire("sent", "")
    assert await staff.said() == [(NOT_SENT, "problem")]
