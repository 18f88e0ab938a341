"""'Confirm Delete', for one lead or for the chosen ones."""

import reflex as rx

from fuel_app.accounts.state.session import StaffScreen, staff_only
from fuel_app.leads.rules import DELETE
from fuel_app.submissions.state.dialog import Dialog
from fuel_app.submissions.state.leads import LeadsState
from fuel_app.submissions.state.lines import BLANK, LeadLine


class LeadDeletionState(Dialog, StaffScreen, rx.State):
    """The word before deleting."""

    lead: LeadLine = BLANK  # none: the chosen ones

    @rx.event
    @staff_only
    async def ask(self, lead_id: str):
        """Open it for one row, or with an empty id for the chosen ones."""
        leads = await self.get_state(LeadsState)
        lead = next((row for row in leads.rows if row.id == lead_id), BLANK)
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
