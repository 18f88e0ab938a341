"""Leads: waitlist submissions and quote requests, as staff work them."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Literal, Self

from fuel_app.kit import clock, contact
from fuel_app.kit.errors import NotALeadValue
from fuel_app.kit.lists import Question
from fuel_app.kit.search import WORDS_MOST, searchable
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
OTHER = "other"  # what the lead-source control may have written to the status
STATUS_FILTERS = {"": "All statuses", **{each: each for each in STATUSES}, OTHER: "Other"}
WAITLIST_STATUS = "pending"  # what the list shows for waitlist rows, whatever is stored
DEFAULT_SOURCE = "Inbound"
IMPORT_SOURCE = "Meta Ads"
SOURCES = (DEFAULT_SOURCE, IMPORT_SOURCE, *settings.staff_owners)

SEARCH_MAX = 100
_PHONE_TYPED = re.compile(r"[0-9 ()+.\-]*")
_PHONE_DIGITS_MIN = 3
_FIRST_YEAR = 1900  # whose days every database knows
_ZIP = re.compile(r"(?<=[^0-9-])([0-9]{5})(?:-[0-9]{4})?(?![0-9-])")  # not where a line begins


def shown_status(lead_type: str, status: str) -> str:
    """Return the status that the list and the export show."""
    return WAITLIST_STATUS if lead_type == "waitlist" else status


def fold(text: str) -> str:
    """Return the text without case and accents, to compare and sort by."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in plain if c.isascii() or not unicodedata.combining(c))


def search_text(name: str, company: str, email: str, phone: str, zip_code: str = "") -> str:
    """Return the text that the search looks in; a line each, so that no match spans two fields.

    Names stand there as typed and without punctuation; a phone number that is stored as typed has
    a line of digits, too.
    """
    shown = fold("\n".join((name, company, email, phone))).split("\n")
    more = (searchable(name), searchable(company), _digits(phone), zip_code)
    return "\n".join(dict.fromkeys((*shown, *more)))


@dataclass(frozen=True, slots=True)
class Search:
    """The texts to look for: each word in one of its spellings or, of a phone, all its digits."""

    words: tuple[tuple[str, ...], ...] = ()
    digits: str = ""

    @classmethod
    def of(cls, typed: object) -> Self:
        """Read what was typed; without any word there is nothing to look for.

        Everything a person can type is a text to find, never an operator. Only the first 100
        characters and 8 words count. A word with an @ is an e-mail's; others are looked for
        without their punctuation, too.
        """
        line = contact.text(typed)[:SEARCH_MAX]
        said = [word for word in line.split() if searchable(word) or not word.isascii()]
        words = tuple(map(_spellings, dict.fromkeys(said or line.split())))[:WORDS_MOST]
        digits = _digits(line)
        if len(digits) < _PHONE_DIGITS_MIN or not _PHONE_TYPED.fullmatch(line):
            return cls(words)
        return cls(words, digits[1:] if len(digits) == 11 and digits[0] == "1" else digits)


def _spellings(word: str) -> tuple[str, ...]:
    spellings = (fold(word), "" if "@" in word else searchable(word))
    return tuple(dict.fromkeys(filter(None, spellings)))


def _digits(text: str) -> str:
    return re.sub(r"[^0-9]", "", text)


def _day(typed: str) -> str:
    """Return a day as an address holds it, '2026-03-08'; empty if it is none."""
    try:
        day = date.fromisoformat(typed)
    except ValueError:
        return ""
    return day.isoformat() if day.year >= _FIRST_YEAR else ""


def zip_in(location: str) -> str:
    """Return the last ZIP code in a location as typed, or none: a house number may look like it."""
    return next(reversed(_ZIP.findall(location)), "")


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
    zip_code: str
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
    status: str = ""  # as stored, or 'other'
    source: str = ""
    zip: str = ""  # the first digits of one
    since: str = ""  # the first day, '2026-03-08' in New York
    until: str = ""  # the last one
    lead: str = ""  # the id of the opened one

    COLUMNS = SORTS
    TYPED = ("q", "type", "status", "source", "zip", "since", "until")

    @classmethod
    def parse(cls, asked: Mapping[str, Any]) -> Self:
        query = super().parse(asked)
        known = {
            "type": query.type if query.type in FILTER_LABELS else "",
            "status": query.status if query.status in STATUS_FILTERS else "",
            "source": query.source if query.source in SOURCES else "",
            "zip": _digits(query.zip)[: contact.ZIP_DIGITS],
            "since": _day(query.since),
            "until": _day(query.until),
        }
        return replace(query, **known)

    @property
    def period(self) -> tuple[datetime | None, datetime | None]:
        """Return when the first day begins and when the last one has ended; None for no end."""
        first, last = (date.fromisoformat(day) if day else None for day in (self.since, self.until))
        ends = last + timedelta(days=1) if last and last < date.max else None
        return first and clock.morning(first), ends and clock.morning(ends)

    @property
    def search(self) -> Search:
        return Search.of(self.q)


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
