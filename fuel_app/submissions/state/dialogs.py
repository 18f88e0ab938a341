"""The dialogs of the list of leads: one lead's details, and 'Confirm Delete'."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

import reflex as rx
import structlog

from fuel_app.accounts.state import screens
from fuel_app.accounts.state.session import StaffScreen, staff_only
from fuel_app.kit import clock, contact
from fuel_app.kit.signals import LEADS
from fuel_app.leads import rules as leads
from fuel_app.leads.rules import DELETE
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.details import (
    LeadDetails,
    Linked,
    LinkedCustomer,
    LogEntry,
    customers_note,
)
from fuel_app.submissions.state.leads import FAILED, LeadLine, LeadsState, Selection

log = structlog.get_logger(__name__)

OTHERS = "Other leads are selected now. Nothing was deleted."
_LABELS = {
    "first_name": "First name",
    "last_name": "Last name",
    "company_name": "Company",
    "contact_name": "Contact",
    "email": "Email",
    "phone_number": "Phone",
    "phone": "Phone",
    "zip_code": "ZIP code",
    "vehicle_count": "Vehicles",
    "fuel_types": "Fuel types",
    "fill_frequency": "Fill frequency",
    "estimated_fuel_amount": "Gallons per fill",
    "employee_count": "Employees",
    "industry": "Industry",
    "service_location": "Service location",
    "notes": "Notes",
    "status": "Stored status",
    "lead_source": "Lead source",
    "created_at": "Submitted",
    "id": "ID",
}


@dataclass(frozen=True)
class Field:
    label: str
    value: str


def fields_of(stored: Mapping[str, object]) -> list[Field]:
    """Return the stored values of a lead in the order of the labels, without empty ones."""
    return [
        Field(label, _text(stored[name])) for name, label in _LABELS.items() if stored.get(name)
    ]


@dataclass(frozen=True)
class LogLine:
    when: str
    who: str
    what: str

    @classmethod
    def of(cls, entry: LogEntry) -> Self:
        if entry.kind == "delete":
            what = "Restored" if entry.undo else "Deleted"
        else:
            field = "Lead source" if entry.kind == "lead_source" else "Status"
            what = f"{field}: {entry.before} → {entry.after}" + " (undo)" * entry.undo
        return cls(_text(entry.at), f"by {entry.actor}", what)


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return clock.date_and_time(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, str) and len(value) == contact.PHONE_DIGITS and value.isdecimal():
        return contact.phone_text(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


class Dialog(rx.State, mixin=True):
    """A dialog of which one at a time is open: a link leads to a lead while another is open, or a
    second press comes before the first has opened anything."""

    opened: bool = False

    async def _open(self) -> None:
        """Open it in the place of the one that is open."""
        for dialog in rx.State.get_substates():
            if issubclass(dialog, Dialog):
                (await self.get_state(dialog)).opened = False
        self.opened = True


class LeadDetailsState(Dialog, StaffScreen, rx.State):
    """The opened lead stands in the address too: `lead=`."""

    lead: str = ""  # the id of the one that is shown
    missing: bool = False
    failed: bool = False
    name: str = ""
    kind: str = ""
    fields: list[Field] = []
    neighborhood: Linked = Linked()
    referred_by: Linked = Linked()
    referred: list[Linked] = []
    more_referred: int = 0
    log: list[LogLine] = []

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
            await self._open()
        else:
            self.opened = False
        await self._refresh()

    async def _refresh(self) -> None:
        if not self.opened:
            return
        self.lead = (await self.get_state(LeadsState)).question.lead
        try:
            found = await submissions.find_details(self.lead)
            self.failed, self.missing = False, found is None
            if found:
                self._show(found)
        except Exception:
            log.exception("leads.details_failed")
            self.failed = True

    def _show(self, found: LeadDetails) -> None:
        self.name = found.row.company or found.row.name
        self.kind = leads.TYPE_LABELS[found.row.type]
        self.fields = fields_of(found.stored)
        self.neighborhood = found.neighborhood or Linked()
        self.referred_by = found.referred_by or Linked()
        self.referred = list(found.referred)
        self.more_referred = found.referred_total - len(found.referred)
        self.log = [LogLine.of(entry) for entry in found.log]


class LeadDeletionState(Dialog, StaffScreen, rx.State):
    """The question before deleting."""

    lead: LeadLine = LeadLine()  # none: the selected ones
    customers: str = ""  # among them, and what they keep
    count: str = ""  # of those, in words
    names: list[str] = []  # the first of them
    left_out: str = ""

    _about: Selection = Selection()

    @staff_only
    async def ask(self, lead_id: str):
        """Open it for one row, or with an empty id for the selected ones."""
        leads = await self.get_state(LeadsState)
        lead = next((row for row in leads.rows if row.id == lead_id), LeadLine())
        if lead.id or (not lead_id and leads.chosen):
            try:
                self.customers = customers_note(await self._customers(leads, lead.id))
            except Exception:
                log.exception("leads.customers_failed")
                await leads._show_problem(FAILED)
                return
            self.lead, self._about = lead, leads._selection()
            self.count, self.names = self._about.count_text, self._about.named
            self.left_out = self._about.left_out
            await self._open()

    async def _customers(self, leads: LeadsState, lead_id: str) -> Sequence[LinkedCustomer]:
        if leads.all_matching and not lead_id:
            return await submissions.customers_matching(leads.question.asking())
        return await submissions.customers_among([lead_id] if lead_id else list(leads.chosen))

    @staff_only
    async def close(self, _opened: bool):
        self.opened = False

    @staff_only
    async def confirm(self):
        """Delete what it names."""
        if not self.opened:
            return None
        self.opened = False
        leads = await self.get_state(LeadsState)
        if not self.lead.id:
            if leads._selection() == self._about:
                return LeadsState.change_chosen(DELETE.kind, "")
            await leads._show_problem(OTHERS)
            return None
        await leads._change(self.lead.id, self.lead.revision, lambda: DELETE)
        return None
