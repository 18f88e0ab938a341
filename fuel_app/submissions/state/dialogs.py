"""The dialogs of the list of leads: one lead's details, and 'Confirm Delete'."""

from collections.abc import Callable
from typing import Any, ClassVar

import reflex as rx

from fuel_app.accounts.state import screens
from fuel_app.accounts.state.dialogs import FormDialog, StaffDialog, StaffForm
from fuel_app.accounts.state.screens import UndoState
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.kit.audit import Done
from fuel_app.kit.errors import attempt
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import LEADS
from fuel_app.kit.ui.forms import NoFields
from fuel_app.kit.words import counted
from fuel_app.leads.rules import DELETE, LOST, NOTE_KINDS, Change
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.desk import NextStep, QuoteNote
from fuel_app.submissions.rules.details import LeadDetails, customers_note
from fuel_app.submissions.state.leads import FAILED, LeadLine, LeadsState, LostState

NAMED = 5  # of the selected rows, before they are deleted
OTHERS = "Other leads are selected now. Nothing was deleted."


class Dialog(StaffDialog, mixin=True):
    """A dialog of which one at a time is open: a link leads to a lead while another is open, or a
    second press comes before the first has opened anything."""

    async def _open_alone(self) -> None:
        """Open it in the place of the one that is open."""
        for dialog in rx.State.get_substates():
            if issubclass(dialog, Dialog):
                (await self.get_state(dialog)).opened = False
        self.opened = True


class LeadDetailsState(Dialog, rx.State):
    """The opened lead stands in the address too: `lead=`."""

    lead: str = ""  # the id of the one that is shown
    missing: bool = False
    failed: bool = False
    details: LeadDetails = LeadDetails()

    @staff_only
    async def load(self):
        """Open the lead that the address names; the list's `load` has read it."""
        await self._show_lead()

    @staff_only
    async def open(self, lead_id: str):
        (await self.get_state(LeadsState))._turn(lead=lead_id)
        await self._show_lead()

    @staff_only
    async def close(self, _opened: bool):
        self.opened = False
        (await self.get_state(LeadsState))._turn(lead="")

    @staff_only(background=True)
    async def follow(self):
        await screens.follow(self, self._refresh, LEADS)

    @staff_only
    async def set_status(self, status: str):
        """Set the status of a quote; of one that is lost it asks why first."""
        if status == LOST:
            await self._ask_lost()
        else:
            await self._change(lambda: Change.status(status))

    @staff_only
    async def explain_lost(self):
        """Say anew why a quote is lost."""
        await self._ask_lost()

    @staff_only
    async def assign(self, owner_id: str):
        """Give a quote to one of the office, or with an empty id to nobody."""
        owner = Change.owner(well_formed_id(owner_id) or "")
        await self._change(lambda: owner)

    @staff_only
    async def end_step(self):
        """Forget the next step of a quote: it is done."""
        await self._change(lambda: Change.planned("", None))

    async def _ask_lost(self) -> None:
        if self.details.is_quote:
            desk = self.details.desk
            asking = await self.get_state(LostState)
            about = (self.lead, desk.revision, self.details.name)
            asking._ask(*about, desk.lost_reason, desk.lost_note)

    async def _change(self, make: Callable[[], Change]) -> None:
        leads = await self.get_state(LeadsState)
        await leads._change(self.lead, self.details.desk.revision, make)
        await self._refresh()

    async def _show_done(self, text: str, done: Done) -> None:
        """Show the quote as it is by now, and offer Undo."""
        if done.changed:
            undo = await self.get_state(UndoState)
            undo._offer(f"{self.details.name}: {text}.", done.action_id)
        await (await self.get_state(LeadsState))._refresh()
        await self._refresh()

    async def _show_lead(self) -> None:
        if (await self.get_state(LeadsState)).question.lead:
            await self._open_alone()
        else:
            self.opened = False
        await self._refresh()

    async def _refresh(self) -> None:
        if not self.opened:
            return
        self.lead = (await self.get_state(LeadsState)).question.lead
        reading = submissions.find_details(self.lead, actor=await actor_of(self))
        details, problem = await attempt(reading, "leads.details_failed")
        self.failed = problem != ""
        if not problem:
            self.details, self.missing = details or LeadDetails(), details is None


class QuoteForm(StaffForm, mixin=True):
    """A form in the dialog of a quote."""

    async def _renew(self) -> None:
        await (await self.get_state(LeadDetailsState))._refresh()


class NextStepState(QuoteForm, rx.State):
    """The next step of a quote, and its day."""

    FORM: ClassVar = "next-step"
    FIELDS: ClassVar = NextStep
    EVENT: ClassVar = "leads.next_step_failed"

    errors: dict[str, str] = NextStep.blank()

    async def _send(self, sent: object) -> None:
        form, dialog = NextStep.parse(sent), await self.get_state(LeadDetailsState)
        planned = Change.planned(form.next_step, form.next_step_on)
        seen = dialog.details.desk.revision
        done = await submissions.change_lead(dialog.lead, seen, planned, actor=await actor_of(self))
        self.edition += 1
        await dialog._show_done("next step planned", done)


class QuoteNoteState(QuoteForm, rx.State):
    """A note about a quote, or a call or mail that is logged."""

    FORM: ClassVar = "quote-note"
    FIELDS: ClassVar = QuoteNote
    EVENT: ClassVar = "leads.note_failed"

    errors: dict[str, str] = QuoteNote.blank()

    async def _send(self, sent: object) -> None:
        form, dialog = QuoteNote.parse(sent), await self.get_state(LeadDetailsState)
        done = await submissions.add_note(dialog.lead, form, actor=await actor_of(self))
        self.edition += 1
        await dialog._show_done(f"{NOTE_KINDS[form.kind].lower()} logged", done)


class LeadDeletionState(Dialog, FormDialog, rx.State):
    """The question before deleting."""

    FORM: ClassVar = "lead-deletion"
    FIELDS: ClassVar = NoFields
    EVENT: ClassVar = "leads.delete_failed"

    lead: LeadLine = LeadLine()  # none: the selected ones
    customers: str = ""  # among them, and what they keep
    count: str = ""  # of those, in words
    names: list[str] = []  # the first of them
    left_out: str = ""

    _about: tuple[Any, ...] = ()

    @staff_only
    async def ask(self, lead_id: str):
        """Open it for one row, or with an empty id for the selected ones."""
        leads = await self.get_state(LeadsState)
        lead = next((row for row in leads.rows if row.id == lead_id), LeadLine())
        if not lead.id and (lead_id or not leads.chosen):
            return
        every = leads.all_matching and not lead.id
        ids = None if every else [lead.id] if lead.id else list(leads.chosen)
        query = leads.question.asking() if every else None
        asking = submissions.customers_among(ids, query, actor=await actor_of(self))
        found, problem = await attempt(asking, "leads.customers_failed", FAILED)
        if found is None:
            await leads._show_problem(problem)
            return
        self._start_over()
        self.customers = customers_note(found)
        self.lead, self._about = lead, leads._selection()
        names = [leads._names.get(each, "") for each in leads.chosen]
        self.names, more = names[:NAMED], len(names) - NAMED
        if leads.all_matching:
            self.count = f"All leads that match ({leads._total})"
            self.left_out = "and all others that match"
        else:
            self.count = counted(len(names), "lead")
            self.left_out = f"and {more:,} more" if more > 0 else ""
        await self._open_alone()

    async def _send(self, sent: object) -> Any:
        """Delete what it names."""
        self.opened = False
        leads = await self.get_state(LeadsState)
        if not self.lead.id:
            if leads._selection() == self._about:
                return LeadsState.change_chosen(DELETE.kind, "")
            await leads._show_problem(OTHERS)
            return None
        await leads._change(self.lead.id, self.lead.revision, lambda: DELETE)
        return None
