"""All that is known of one lead."""

from dataclasses import dataclass
from datetime import datetime

from fuel_app.leads.rules import LeadRow

REFERRED_SHOWN = 20
LOG_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Linked:
    """Something that a lead points at, by its name; a screen shows nothing for a blank one."""

    id: str = ""
    name: str = ""


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
