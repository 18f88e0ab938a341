"""One lead, opened: everything stored, its group, its referrals, its change log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.domain import clock, contact, leads
from fuel_app.domain.lead_details import LeadDetails, Linked, LogEntry
from fuel_app.domain.topics import LEADS
from fuel_app.services import leads as lead_service
from fuel_app.states import live
from fuel_app.states.admin.dialog import Dialog
from fuel_app.states.admin.session import StaffScreen, staff_only

log = structlog.get_logger(__name__)

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


@dataclass(frozen=True)
class Link:
    """A name and the address that it leads to; without a name there is none."""

    name: str = ""
    address: str = ""


@dataclass(frozen=True)
class LogLine:
    when: str
    who: str
    what: str


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

    @rx.event
    @staff_only
    async def load(self):
        """Open the lead that the address names, if it names one."""
        if self.router.url.query_parameters.get("lead"):
            await self._open()
        else:
            self.opened = False
        await self._refresh()

    @rx.event
    @staff_only
    async def open(self, lead_id: str):
        return rx.redirect(self._address(lead=lead_id if isinstance(lead_id, str) else ""))

    @rx.event
    @staff_only
    async def close(self, _opened: bool):
        self.opened = False
        return rx.redirect(self._address(lead=""))

    @rx.event(background=True)
    @staff_only
    async def follow(self):
        await live.follow(self, self._refresh, LEADS)

    def _address(self, lead: str) -> str:
        asked = {**self.router.url.query_parameters, "lead": lead[:64]}
        return routes.asking(routes.SUBMISSIONS, asked)

    async def _refresh(self) -> None:
        if not self.opened:
            return
        try:
            found = await lead_service.details(self.router.url.query_parameters.get("lead"))
            self.failed, self.missing = False, found is None
            if found:
                self._show(found)
        except Exception:
            log.exception("leads.details_failed")
            self.failed = True

    def _show(self, found: LeadDetails) -> None:
        self.name = found.row.company or found.row.name
        self.kind = leads.TYPE_LABELS[found.row.type]  # type: ignore[index]
        self.fields = _fields(found.stored)
        self.neighborhood = _group(found.neighborhood)
        self.referred_by = _lead(found.referred_by) if found.referred_by else Link()
        self.referred = [_lead(guest) for guest in found.referred]
        self.more_referred = found.referred_total - len(found.referred)
        self.log = [_log_line(entry) for entry in found.log]


def _fields(stored: Mapping[str, object]) -> list[Field]:
    return [
        Field(label, _text(stored[name])) for name, label in _LABELS.items() if stored.get(name)
    ]


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return clock.date_and_time(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, str) and len(value) == contact.PHONE_DIGITS and value.isdecimal():
        return contact.phone_text(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _group(group: Linked | None) -> Link:
    return Link(group.name, routes.neighborhood(group.id)) if group else Link()


def _lead(person: Linked) -> Link:
    return Link(person.name, routes.lead(person.id))


def _log_line(entry: LogEntry) -> LogLine:
    if entry.field == "delete":
        what = "Restored" if entry.kind == "undo" else "Deleted"
    else:
        field = "Lead source" if entry.field == "lead_source" else "Status"
        what = f"{field}: {entry.before} → {entry.after}"
        what += " (undo)" if entry.kind == "undo" else ""
    return LogLine(_text(entry.at), f"Session {entry.by_session[-6:]}", what)
