"""'Confirm Delete', for one lead or for the selected ones."""

import reflex as rx

from fuel_app.accounts.state.session import StaffScreen, staff_only
from fuel_app.leads.rules import DELETE
from fuel_app.submissions.state.dialog import Dialog
from fuel_app.submissions.state.leads import LeadsState
from fuel_app.submissions.state.listing import LeadLine


class LeadDeletionState(Dialog, StaffScreen, rx.State):
    """The question before deleting."""

    lead: LeadLine = LeadLine()  # none: the selected ones

    @rx.event
    @staff_only
    async def ask(self, lead_id: str):
        """Open it for one row, or with an empty id for the selected ones."""
        leads = await self.get_state(LeadsState)
        lead = next((row for row in leads.rows if row.id == lead_id), LeadLine())
        if lead.id or (not lead_id and leads.chosen):
            self.lead = lead
            await self._open()

    @rx.event
    @staff_only
    async def close(self, _opened: bool):
        self.opened = False

    @rx.event
    @staff_only
    async def confirm(self):
        """Delete what it names."""
        if not self.opened:
            return None
        self.opened = False
        if not self.lead.id:
            return LeadsState.change_chosen(DELETE.kind, "")
        leads = await self.get_state(LeadsState)
        await leads._change(self.lead.id, self.lead.revision, lambda: DELETE)
        return None
