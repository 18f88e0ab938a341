"""The sales desk in the dialog of a quote."""

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.screens import UndoState
from fuel_app.submissions.state.dialogs import LeadDetailsState, NextStepState, QuoteNoteState
from fuel_app.submissions.state.leads import LostState
from tests.helpers.lead_tabs import Staff, listed, status_of
from tests.helpers.leads import fleet, joined
from tests.helpers.people import a_person
from tests.helpers.tabs import run

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


@pytest.fixture
async def quote() -> str:
    return await fleet(company_name="Gulf Trucks")


async def opened(quote: str) -> Staff:
    staff = await Staff.at("/submissions")
    await staff.use(LeadDetailsState, "open", quote)
    return staff


async def undo(staff: Staff) -> str:
    """Undo what is offered. Return what it was."""
    offered = await staff.tab.get_state(UndoState)
    text = offered.text
    await run(UndoState.undo.fn(offered, offered.action_id))
    return text


async def test_quote_is_assigned_and_planned_and_its_step_is_done(quote):
    person = await a_person(Role.DISPATCHER)
    staff = await opened(quote)
    dialog = await staff.tab.get_state(LeadDetailsState)
    assert (await staff.screen()).office == {person.id: "Ada Lovelace"}
    await staff.use(LeadDetailsState, "assign", person.id)
    assert dialog.details.desk.owner == "Ada Lovelace"
    step = {"next_step": "Call back", "next_step_on": "2026-03-09"}
    await staff.use(NextStepState, "submit", step)
    assert dialog.details.desk.next_step == "Call back"
    shown = (await staff.screen()).rows[0]
    assert (shown.owner, shown.next_step) == (
        "Ada Lovelace",
        "Call back, overdue since Mar 9, 2026",
    )
    assert shown.next_is_due
    assert await undo(staff) == "Gulf Trucks: next step planned."
    await staff.use(LeadDetailsState, "load")
    assert dialog.details.desk.next_step == ""
    await staff.use(NextStepState, "submit", step)
    await staff.use(LeadDetailsState, "end_step")
    assert dialog.details.desk.next_step == ""
    assert (await staff.screen()).rows[0].next_step == ""
    await staff.use(LeadDetailsState, "assign", "")
    assert dialog.details.desk.owner == ""
    assert await undo(staff) == "Ada Lovelace: nobody owns it."


async def test_call_is_logged_and_undone(quote):
    staff = await opened(quote)
    dialog = await staff.tab.get_state(LeadDetailsState)
    assert dialog.details.desk.promise
    form = await staff.tab.get_state(QuoteNoteState)
    await staff.use(QuoteNoteState, "submit", {"what": "note", "text": ""})
    assert form.errors["text"] == "Text is required"
    await staff.use(QuoteNoteState, "submit", {"what": "call reached", "text": ""})
    assert [note.what for note in dialog.details.desk.notes] == ["Call: reached"]
    assert (dialog.details.desk.promise, form.edition) == ("", 1)
    assert await undo(staff) == "Gulf Trucks: call logged."
    await staff.use(LeadDetailsState, "load")
    assert dialog.details.desk.notes == ()


async def test_form_says_that_another_has_changed_the_quote_and_shows_it_anew(quote):
    staff, other = await opened(quote), await opened(quote)
    step = {"next_step": "Call back", "next_step_on": "2026-03-09"}
    await other.use(LeadDetailsState, "set_status", "Contacted")
    await staff.use(NextStepState, "submit", step)
    form = await staff.tab.get_state(NextStepState)
    assert "Somebody else has changed this lead" in form.error
    await staff.use(NextStepState, "submit", step)
    assert (await listed(quote)).next_step == "Call back"
    offered = await staff.tab.get_state(UndoState)
    before = offered.action_id
    await staff.use(NextStepState, "submit", step)  # the same again is no change
    assert offered.action_id == before


@pytest.mark.parametrize("where", ["list", "dialog"])
async def test_reason_is_asked_before_a_quote_is_lost(quote, where):
    staff = await opened(quote)
    asking = await staff.tab.get_state(LostState)

    async def lose() -> None:
        if where == "list":
            revision = (await listed(quote)).revision
            await staff.run("set_status", quote, revision, "Closed Lost")
        else:
            await staff.use(LeadDetailsState, "set_status", "Closed Lost")

    await lose()
    assert (asking.opened, asking.name) == (True, "Gulf Trucks")
    await staff.use(LostState, "close", False)
    assert await status_of(quote) == "Not Contacted"
    await lose()
    await staff.use(LostState, "submit", {"lost_reason": "price", "lost_note": "3 cents"})
    row = await listed(quote)
    assert (row.status, row.lost_reason, row.lost_note) == ("Closed Lost", "price", "3 cents")
    assert not asking.opened
    await staff.use(LeadDetailsState, "load")
    await staff.use(LeadDetailsState, "explain_lost")
    assert (asking.opened, asking.reason, asking.note) == (True, "price", "3 cents")


async def test_waitlist_entry_is_lost_without_a_question():
    entry = await joined()
    staff = await opened(entry)
    await staff.use(LeadDetailsState, "explain_lost")
    assert not (await staff.tab.get_state(LostState)).opened
    await staff.run("set_status", entry, 0, "Closed Lost")
    assert await status_of(entry) == "Closed Lost"


async def test_many_quotes_are_lost_without_a_question(quote):
    staff = await Staff.at("/submissions")
    await staff.run("choose", quote)
    await staff.run("change_chosen", "status", "Closed Lost")
    assert await status_of(quote) == "Closed Lost"
