"""One lead's details as they stand on the screen."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from fuel_app import routes
from fuel_app.domain.lead_details import Linked, LogEntry
from fuel_app.kit import clock, contact

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
    """What is stored of a lead, in the order of the labels; what is empty is left out."""
    return [
        Field(label, _text(stored[name])) for name, label in _LABELS.items() if stored.get(name)
    ]


@dataclass(frozen=True)
class Link:
    """A name and the address that it leads to; without a name there is none."""

    name: str = ""
    address: str = ""

    @classmethod
    def to_group(cls, group: Linked | None) -> Self:
        return cls(group.name, routes.neighborhood(group.id)) if group else cls()

    @classmethod
    def to_lead(cls, person: Linked | None) -> Self:
        return cls(person.name, routes.lead(person.id)) if person else cls()


@dataclass(frozen=True)
class LogLine:
    when: str
    who: str
    what: str

    @classmethod
    def of(cls, entry: LogEntry) -> Self:
        if entry.field == "delete":
            what = "Restored" if entry.kind == "undo" else "Deleted"
        else:
            field = "Lead source" if entry.field == "lead_source" else "Status"
            what = f"{field}: {entry.before} → {entry.after}"
            what += " (undo)" if entry.kind == "undo" else ""
        return cls(_text(entry.at), f"Session {entry.by_session[-6:]}", what)


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return clock.date_and_time(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, str) and len(value) == contact.PHONE_DIGITS and value.isdecimal():
        return contact.phone_text(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
