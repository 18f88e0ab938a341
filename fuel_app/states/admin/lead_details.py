"""One lead, opened: everything stored, its group, its referrals, its change log."""

import reflex as rx
import structlog

from fuel_app.accounts.state import live
from fuel_app.accounts.state.session import StaffScreen, staff_only
from fuel_app.domain.lead_details import LeadDetails
from fuel_app.kit.signals import LEADS
from fuel_app.leads import rules as leads
from fuel_app.services import leads as lead_service
from fuel_app.states.admin.dialog import Dialog
from fuel_app.states.admin.lead_address import ID_MAX, LeadAddress
from fuel_app.states.admin.lead_details_lines import Field, Link, LogLine, fields_of
from fuel_app.states.admin.leads import LeadsState

log = structlog.get_logger(__name__)


class LeadDetailsState(Dialog, StaffScreen, rx.State):
    """The opened lead stands in the address too: `lead=`."""

    missing: bool = False
    failed: bool = False
    name: str = ""
    kind: str = ""
    fields: list[Field] = []
    neighborhood: Link = Link()
    referred_by: Link = Link()
    referred: list[Link] = []
    more_referred: int = 0
    log: list[LogLine] = []

    _lead: str = ""  # its id

    @rx.event
    @staff_only
    async def load(self):
        """Open the lead that the address names, unless the tab has left it again: the list's
        `load` comes before and knows."""
        self._lead = LeadAddress.read(self.router.url.query_parameters).lead
        if self._lead and self._lead == (await self.get_state(LeadsState))._heading.to.lead:
            await self._open()
        else:
            self.opened = False
        await self._refresh()

    @rx.event
    @staff_only
    async def open(self, lead_id: str):
        leads = await self.get_state(LeadsState)
        return leads._go(lead=lead_id[:ID_MAX] if isinstance(lead_id, str) else "")

    @rx.event
    @staff_only
    async def close(self, _opened: bool):
        self.opened = False
        return (await self.get_state(LeadsState))._go(lead="")

    @rx.event(background=True)
    @staff_only
    async def follow(self):
        await live.follow(self, self._refresh, LEADS)

    async def _refresh(self) -> None:
        if not self.opened:
            return
        try:
            found = await lead_service.details(self._lead)
            self.failed, self.missing = False, found is None
            if found:
                self._show(found)
        except Exception:
            log.exception("leads.details_failed")
            self.failed = True

    def _show(self, found: LeadDetails) -> None:
        self.name = found.row.company or found.row.name
        self.kind = leads.TYPE_LABELS[found.row.type]  # type: ignore[index]
        self.fields = fields_of(found.stored)
        self.neighborhood = Link.to_group(found.neighborhood)
        self.referred_by = Link.to_lead(found.referred_by)
        self.referred = [Link.to_lead(guest) for guest in found.referred]
        self.more_referred = found.referred_total - len(found.referred)
        self.log = [LogLine.of(entry) for entry in found.log]
