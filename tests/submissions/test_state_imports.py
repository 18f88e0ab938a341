"""Imports in a tab without a browser."""

import asyncio
import re

import pytest

from fuel_app.accounts.state.session import actor_of
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED, NothingToUndo
from fuel_app.kit.jobs import queue
from fuel_app.kit.ui.toast import ToastState
from fuel_app.submissions import jobs
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.imports import Preview, UploadGone
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

    async def sends(self, data: bytes, name: str = "leads.csv") -> LeadImportState:
        """Send a file and have it checked, as the browser does."""
        actor = await actor_of(await self.screen())
        upload_id = await submissions.keep_file(name, data, actor=actor)
        await self.fire("sent", upload_id)
        return await self.fire("check")

    async def imports(self, data: bytes, name: str = "leads.csv") -> str:
        """Send a file and import it as it is. Return the import's id."""
        await self.sends(data, name)
        return (await self.fire("begin")).running.id

    async def awaits(self, import_id: str) -> LeadImportState:
        """Be the tab that has started an import."""
        shown = await self.screen()
        shown._sent = shown._awaited = import_id
        return await self.fire("load")

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
    await staff.imports(table(*people(1), "Eve,,e@x.io,,"), "a.csv")
    shown = await staff.screen()
    assert (shown.running.phase, shown.result) == ("running", BLANK)
    await run_due()
    shown = await staff.fire("load")
    assert shown.result.counts == "1 imported, 0 duplicates, 1 invalid"
    assert shown.reasons == ["Last name is required: 1 row"]
    assert shown.examples == ["Line 3: Last name is required"]
    assert (await other.fire("load")).result == BLANK
    assert (await staff.fire("close", False)).result == BLANK


@pytest.mark.usefixtures("few_rows_at_a_time")
async def test_running_import_is_shown_in_every_tab_and_cancelled():
    staff = await Staff.at()
    await staff.awaits(await left_behind(table(*people(7))))
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
    import_id = await staff.imports(table(*people(5)))
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


HEADLESS = table(
    "a@import.example,Ada,Lovelace,Spring", header="Mail,First Name,Last Name,Campaign"
)


async def test_file_is_mapped_and_checked_before_anything_is_imported():
    staff = await Staff.at()
    shown = await staff.sends(HEADLESS, "Ads.csv")
    assert (shown.file_name, shown.columns) == (
        "Ads.csv",
        ["Mail", "First Name", "Last Name", "Campaign"],
    )
    assert shown.mapping_problem == "Missing required fields: email"
    assert shown.rest == ["Mail", "Campaign"]
    assert (shown.preview.done, shown.preview.whole) == (0, 1)
    await staff.fire("begin")
    assert (shown.problem, shown.running) == ("Missing required fields: email", BLANK)
    for field, place in (("made_up", "0"), ("email", "9"), ("email", None), ("email", "0")):
        await staff.fire("choose_column", field, place)
    await staff.fire("keep_rest", True)
    await staff.fire("check")
    assert (shown.mapping_problem, shown.rest, shown.preview.good) == ("", ["Campaign"], 1)
    assert shown.preview.first[0].notes == "Campaign: Spring"
    assert await stored() == (0, 0)
    shown = await staff.fire("begin")
    assert (shown.upload, shown.problem, shown.running.phase) == ("", "", "running")
    await staff.fire("begin")  # a second press
    await run_due()
    shown = await staff.fire("load")
    assert shown.result.counts == "1 imported, 0 duplicates, 0 invalid"
    assert await stored() == (1, 1)


async def test_file_can_be_put_away_and_is_gone():
    staff = await Staff.at()
    shown = await staff.sends(table(*people(2), *people(1), "Eve,,e@x.io,,"))
    assert (shown.preview.good, shown.preview.known, shown.preview.refused) == (2, 1, 1)
    assert len(shown.refusals) == 2
    upload = shown.upload
    shown = await staff.fire("drop")
    assert (shown.upload, shown.preview.whole, shown.problem) == ("", 0, "")
    for event in ("begin", "drop", "check"):
        await staff.fire(event)
    await staff.fire("choose_column", "email", "0")
    assert (shown.upload, shown.running) == ("", BLANK)
    shown = await staff.fire("sent", upload)
    assert shown.problem == str(UploadGone())


async def test_file_that_goes_while_it_is_looked_at_says_so(monkeypatch):
    staff = await Staff.at()
    shown = await staff.sends(table(*people(1)))
    await submissions.drop_file(shown.upload, actor=await actor_of(shown))
    shown = await staff.fire("begin")
    assert shown.problem == str(UploadGone())
    shown = await staff.fire("check")
    assert (shown.problem, shown.upload) == (str(UploadGone()), "")

    async def broken(*_: object, **__: object) -> None:
        raise OSError
        yield

    await staff.sends(table(*people(1)))
    monkeypatch.setattr(submissions, "preview_file", broken)
    shown = await staff.fire("check")
    assert (shown.problem, shown.upload) == (FAILED, "")


@pytest.mark.parametrize("fails", [False, True])
async def test_check_of_a_former_mapping_shows_nothing(monkeypatch, fails):
    staff = await Staff.at()
    shown = await staff.sends(table(*people(1)))

    async def meanwhile(*_: object, **__: object):
        shown._checking += 1
        if fails:
            raise OSError
        yield Preview(whole=1, done=1, refused=1)

    monkeypatch.setattr(submissions, "preview_file", meanwhile)
    shown = await staff.fire("check")
    assert (shown.preview.good, shown.preview.refused, shown.upload != "") == (1, 0, True)


async def test_checks_of_a_file_run_one_after_the_other_and_former_ones_read_nothing(monkeypatch):
    staff = await Staff.at()
    shown = await staff.sends(table(*people(1)))
    first, upload, steps = shown._checking, shown.upload, []

    async def noted(*_: object, **__: object):
        steps.append("begun")
        shown._checking = first + 2
        await asyncio.sleep(0.01)
        steps.append("ended")
        yield Preview(whole=1, done=1, good=2)

    monkeypatch.setattr(submissions, "preview_file", noted)
    checks = range(first, first + 3)
    await asyncio.gather(*(shown._check(upload, shown._mapping(), n, BY) for n in checks))
    assert steps == ["begun", "ended"] * 2  # the first and the last
    assert shown.preview.good == 2
