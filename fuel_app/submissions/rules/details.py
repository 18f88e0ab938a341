"""All that is known of one lead."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fuel_app.leads.rules import LeadRow

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


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of a lead's change log."""

    at: datetime
    actor: str
    kind: str  # 'delete', or the field that was set
    before: str | None
    after: str | None
    undo: bool = False


@dataclass(frozen=True, slots=True)
class LeadDetails:
    row: LeadRow
    stored: dict[str, object]  # every other column of the lead's own table, by its name
    neighborhood: Linked | None
    referred_by: Linked | None
    referred: tuple[Linked, ...]  # the first of them
    referred_total: int
    log: tuple[LogEntry, ...]  # newest first
