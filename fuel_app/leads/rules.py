"""Leads: waitlist submissions and quote requests, as staff work them."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Self

from fuel_app.kit import contact
from fuel_app.kit.errors import NotALeadValue
from fuel_app.kit.lists import Question
from fuel_app.settings import settings

LeadType = Literal["fleet", "business", "waitlist"]
TYPES: tuple[LeadType, ...] = ("fleet", "business", "waitlist")
TYPE_LABELS = {"fleet": "Fleet", "business": "Business", "waitlist": "Waitlist"}
FILTER_LABELS = {
    "": "All Types",
    "fleet": "Fleet Quotes",
    "business": "Business Quotes",
    "waitlist": "Waitlist Submissions",
}

COMPANY_MAX = 200  # characters
PHONE_MAX = 40
WON, LOST = "Closed Won", "Closed Lost"
STATUSES = ("Not Contacted", "Contacted", WON, LOST)
WAITLIST_STATUS = "pending"  # what the list shows for waitlist rows, whatever is stored
DEFAULT_SOURCE = "Inbound"
IMPORT_SOURCE = "Meta Ads"
SOURCES = (DEFAULT_SOURCE, IMPORT_SOURCE, *settings.staff_owners)

SEARCH_MAX = 100
_PHONE_TYPED = re.compile(r"[0-9 ()+.\-]*")
_PHONE_DIGITS_MIN = 3


def shown_status(lead_type: str, status: str) -> str:
    """Return the status that the list and the export show."""
    return WAITLIST_STATUS if lead_type == "waitlist" else status


def fold(text: str) -> str:
    """Return the text without case and accents, to compare and sort by."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in plain if c.isascii() or not unicodedata.combining(c))


def search_text(name: str, company: str, email: str, phone: str) -> str:
    """Return the text that the search looks in; a line each, so that no match spans two fields.

    A phone number that is stored as typed is found by its digits, too.
    """
    lines = dict.fromkeys((name, company, email, phone, _digits(phone)))
    return fold("\n".join(lines))


def search_terms(typed: object) -> tuple[str, ...]:
    """Return the texts to look for: what was typed and, if it may be a phone number, its digits.

    Everything a person can type is a text to find, never an operator. Only the first
    100 characters count. Empty if there is nothing to look for.
    """
    line = contact.text(typed)[:SEARCH_MAX]
    terms = [fold(line).strip()]
    digits = _digits(line)
    if len(digits) >= _PHONE_DIGITS_MIN and _PHONE_TYPED.fullmatch(line):
        terms.append(digits[1:] if len(digits) == 11 and digits[0] == "1" else digits)
    return tuple(dict.fromkeys(filter(None, terms)))


def _digits(text: str) -> str:
    return re.sub(r"[^0-9]", "", text)


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


SORTS = ("type", "status", "date", "name", "source")
PAGE_SIZE = 50
# A search with more matches than this is common: only its first COMMON_REACH are shown, and they
# are not counted further.
FEW_MATCHES = 10_000
COMMON_REACH = 1_000  # how far into a common search's matches a page may lie


@dataclass(frozen=True)
class LeadQuery(Question):
    """The question that the address of the list asks."""

    sort: str = "-date"
    q: str = ""
    type: str = ""
    lead: str = ""  # the id of the opened one

    COLUMNS = SORTS
    TYPED = ("q",)

    @classmethod
    def parse(cls, asked: Mapping[str, Any]) -> Self:
        is_known = asked.get("type") in list(FILTER_LABELS)
        return super().parse(asked if is_known else {**asked, "type": ""})

    @property
    def terms(self) -> tuple[str, ...]:
        """Return the texts to look for; a lead with any of them matches."""
        return search_terms(self.q)


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a lead: set one of its fields, or delete it."""

    kind: Literal["status", "lead_source", "delete"]
    value: str = ""

    @classmethod
    def status(cls, value: object) -> Self:
        """
        Raises:
            NotALeadValue: If it is none of the statuses.
        """
        return cls("status", _listed(value, STATUSES))

    @classmethod
    def source(cls, value: object) -> Self:
        """Return the change of the lead-source control, which a setting decides.

        The product that this one follows writes a chosen source to the status.

        Raises:
            NotALeadValue: If it is none of the sources.
        """
        return cls(settings.lead_source_writes, _listed(value, SOURCES))


DELETE = Change("delete")


def _listed(value: object, values: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in values:
        raise NotALeadValue
    return value
