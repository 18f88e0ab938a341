"""Leads: everyone who joined the waitlist or asked for a quote, as the staff work them."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from fuel_app.domain import contact
from fuel_app.settings import settings

LeadType = Literal["fleet", "business", "waitlist"]
TYPES: tuple[LeadType, ...] = ("fleet", "business", "waitlist")
TYPE_LABELS: dict[LeadType, str] = {
    "fleet": "Fleet",
    "business": "Business",
    "waitlist": "Waitlist",
}
FILTER_LABELS: dict[str, str] = {
    "": "All Types",
    "fleet": "Fleet Quotes",
    "business": "Business Quotes",
    "waitlist": "Waitlist Submissions",
}

STATUSES = ("Not Contacted", "Contacted", "Closed Won", "Closed Lost")
WAITLIST_STATUS = "pending"  # what the list shows for waitlist rows, whatever is stored
DEFAULT_SOURCE = "Inbound"
IMPORT_SOURCE = "Meta Ads"
SOURCES = (DEFAULT_SOURCE, IMPORT_SOURCE, *settings.staff_owners)

ACTIONS = ("status", "lead_source", "delete", "undo")
ACTION_STATES = ("running", "done", "failed")
IMPORT_STATES = ("running", "done", "cancelled", "failed", "undone")

SEARCH_MAX = 100
_PHONE_TYPED = re.compile(r"[0-9 ()+.\-]*")


def shown_status(lead_type: str, status: str) -> str:
    """The status as the list and the export show it."""
    return WAITLIST_STATUS if lead_type == "waitlist" else status


def fold(text: str) -> str:
    """A text by which to compare: without case and accents."""
    plain = text if text.isascii() else unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain.casefold() if c.isascii() or not unicodedata.combining(c))


def search_text(name: str, company: str, email: str, phone: str) -> str:
    """All that the search looks in; a line each, so that no match spans two fields."""
    return fold("\n".join((name, company, email, phone)))


def search_term(typed: object) -> str:
    """What to look for; a phone number may be typed in any of its forms.

    Everything a person can type is a text to find, never an operator. Only the first
    100 characters count.
    """
    line = contact.text(typed)[:SEARCH_MAX]
    digits = re.sub(r"[^0-9]", "", line)
    if len(digits) >= 3 and _PHONE_TYPED.fullmatch(line):
        return digits
    return fold(line).strip()


@dataclass(frozen=True, slots=True)
class LeadRow:
    """One line of the staff's list."""

    number: int
    id: str
    type: str
    status: str  # as stored
    shown_status: str
    lead_source: str
    created_at: datetime
    name: str
    company: str
    email: str
    phone: str
    revision: int
