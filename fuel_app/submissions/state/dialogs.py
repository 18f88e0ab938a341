"""The dialogs of the list of leads: one lead's details, and 'Confirm Delete'."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app.accounts.state import screens
from fuel_app.accounts.state.dialogs import FormDialog, StaffDialog
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.kit.errors import attempt
from fuel_app.kit.signals import LEADS
from fuel_app.kit.ui.forms import NoFields
from fuel_app.kit.words import counted
from fuel_app.leads.rules import DELETE
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.details import LeadDetails, customers_note
from fuel_app.submissions.state.leads import FAILED, LeadLine, LeadsState

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
