"""All that is known of one lead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, Self

from fuel_app.kit import clock, contact
from fuel_app.leads.rules import LOST_REASONS, NOTE_KINDS
from fuel_app.submissions.rules.desk import Desk

REFERRED_SHOWN = 20
LOG_SHOWN = 50
NAMED = 10  # customers in the question before a delete


@dataclass(frozen=True, slots=True)
class Linked:
    """Something that a lead points at, by its name; a screen shows nothing for a blank one."""

    id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class LinkedCustomer:
    """A customer among leads, by the name of the lead."""

    name: str
    is_member: bool  # of a neighborhood


def customers_note(customers: Sequence[LinkedCustomer]) -> str:
    """Return what the customers among leads keep when these are deleted; empty without any."""
    if not customers:
        return ""
    first, *others = customers
    if not others:
        keeps = "neighborhood discount" if first.is_member else "account"
        return f"{first.name} is a customer and keeps the {keeps}."
    names = ", ".join(each.name for each in customers[:NAMED])
    more = f" and {len(customers) - NAMED:,} more" if len(customers) > NAMED else ""
    return (
        f"{len(customers):,} of them are customers and keep their accounts and neighborhood "
        f"discounts: {names}{more}."
    )


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
    "estimated_fuel_amount": "Fuel per fill",
    "employee_count": "Employees",
    "industry": "Industry",
    "service_location": "Service location",
    "notes": "Notes",
    "status": "Stored status",
    "lead_source": "Lead source",
    "created_at": "Submitted",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A stored value; an e-mail address and a phone number are links."""

    label: str
    value: str
    kind: Literal["", "email", "phone"] = ""
    dialed: str = ""

    @classmethod
    def of(cls, name: str, stored: object) -> Self:
        value = _text(stored)
        if name in {"phone", "phone_number"}:
            return cls(_LABELS[name], value, "phone", contact.dialed(value))
        if name == "estimated_fuel_amount":
            value += " gallons"
        return cls(_LABELS[name], value, "email" if name == "email" else "")


def fields_of(stored: Mapping[str, object]) -> tuple[Field, ...]:
    """Return the stored values of a lead in the order of the labels, without empty ones."""
    return tuple(Field.of(name, stored[name]) for name in _LABELS if stored.get(name))


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return clock.date_and_time(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, str) and len(value) == contact.PHONE_DIGITS and value.isdecimal():
        return contact.phone_text(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


_CHANGED = {
    "status": "Status",
    "lead_source": "Lead source",
    "owner_id": "Owner",
    "next_step": "Next step",
}


def value_text(kind: str, values: Mapping[str, Any] | None, names: Mapping[str, str]) -> str:
    """Return what the log keeps of a lead, before or after a change, in words."""
    kept = values or {}
    if kind == "owner_id":
        owner_id = kept.get(kind)
        return names[owner_id] if owner_id else "nobody"
    if kind == "note":
        return NOTE_KINDS[kept["kind"]] if kept else ""
    if kind == "next_step":
        due = kept.get("next_step_on")
        on = f" ({clock.short_date(date.fromisoformat(due))})" if due else ""
        return f"{kept.get(kind) or 'none'}{on}"
    reason = kept.get("lost_reason")
    said = f" ({LOST_REASONS[reason]})" if reason else ""
    return f"{kept.get(kind, '')}{said}"


@dataclass(frozen=True, slots=True)
class LogLine:
    """One change of a lead, or its undo, in words."""

    when: str
    who: str
    what: str

    @classmethod
    def of(
        cls, at: datetime, actor: str, kind: str, before: str, after: str, *, undo: bool = False
    ) -> Self:
        """Return the line of a delete, a note, or a field that was set."""
        if kind == "delete":
            what = "Restored" if undo else "Deleted"
        elif kind == "note":
            what = f"{before or after} logged" + " (undo)" * undo
        else:
            what = f"{_CHANGED[kind]}: {before} → {after}" + " (undo)" * undo
        return cls(clock.date_and_time(at), f"by {actor}", what)


@dataclass(frozen=True, slots=True)
class LeadDetails:
    """All that the staff see of one lead."""

    name: str = ""
    kind: str = ""
    fields: tuple[Field, ...] = ()
    is_quote: bool = False
    desk: Desk = field(default_factory=Desk)  # of a quote
    is_waiting: bool = False  # on the waitlist: with neighbors, and those whom it referred
    neighborhood: Linked = Linked()
    referred_by: Linked = Linked()
    referred: tuple[Linked, ...] = ()  # the first of them
    more_referred: int = 0
    log: tuple[LogLine, ...] = ()  # newest first
