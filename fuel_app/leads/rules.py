"""Leads: waitlist submissions and quote requests, as staff work them."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, Self

from fuel_app.kit import clock, contact
from fuel_app.kit.clock import NEW_YORK
from fuel_app.kit.errors import NotALeadValue
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.lists import Question
from fuel_app.kit.search import WORDS_MOST, searchable
from fuel_app.settings import settings

LeadType = Literal["fleet", "business", "waitlist"]
TYPES: tuple[LeadType, ...] = ("fleet", "business", "waitlist")
QUOTES: tuple[LeadType, ...] = ("fleet", "business")
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
ANSWERED = STATUSES[1:]  # a quote with another one, and no call or mail, is without an answer
OTHER = "other"  # what the lead-source control may have written to the status
STATUS_FILTERS = {"": "All statuses", **{each: each for each in STATUSES}, OTHER: "Other"}
WAITLIST_STATUS = "pending"  # what the list shows for waitlist rows, whatever is stored
DEFAULT_SOURCE = "Inbound"
IMPORT_SOURCE = "Meta Ads"
SOURCES = (DEFAULT_SOURCE, IMPORT_SOURCE, *settings.staff_owners)

NEXT_STEP_MAX = 200
LOST_NOTE_MAX = 500
NOTE_MAX = 2000
LOST_REASONS = {
    "": "Not said",
    "price": "Price",
    "supplier": "Chose another supplier",
    "area": "Outside our area",
    "timing": "Not now",
    "fit": "Not what they need",
    "silent": "No answer from them",
    "spam": "Duplicate or spam",
    "other": "Another reason",
}
CALL, MAIL, NOTE = "call", "mail", "note"
NOTE_KINDS = {CALL: "Call", MAIL: "Mail", NOTE: "Note"}
OUTCOMES = {  # of a call
    "reached": "Reached",
    "message": "Left a message",
    "no_answer": "No answer",
    "wrong": "Wrong number",
}
NOBODY = "none"  # the filter of quotes without an owner
WAITING, OVERDUE = "waiting", "overdue"
ANSWER_FILTERS = {"": "Any", WAITING: "Without an answer", OVERDUE: "Overdue"}
DUE = "due"
NEXT_FILTERS = {"": "Any", DUE: "Due today or before", "planned": "Planned", NOBODY: "None"}

OPENS, CLOSES = time(8), time(17)  # the office, in New York; Monday to Friday
_SATURDAY = 5

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


def is_business_day(day: date) -> bool:
    return day.weekday() < _SATURDAY


def _business_day(day: date, step: int) -> date:
    """Return the next business day after a day, or with a step of -1 the last one before it."""
    day += timedelta(days=step)
    while not is_business_day(day):
        day += timedelta(days=step)
    return day


def _at(day: date, hour: time) -> datetime:
    return datetime.combine(day, hour, NEW_YORK).astimezone(UTC)


def answer_due(asked_at: datetime) -> datetime:
    """Return until when a quote is promised an answer: within one business day.

    What comes while the office is closed counts from its next opening: it is due that evening.
    """
    asked = asked_at.astimezone(NEW_YORK)
    day, hour = asked.date(), asked.time()
    if not is_business_day(day) or hour >= CLOSES:
        return _at(_business_day(day, 1), CLOSES)
    return _at(day, CLOSES) if hour < OPENS else _at(_business_day(day, 1), hour)


def overdue_before(now: datetime) -> datetime:
    """Return the moment before which a quote came whose answer is due by now.

    It is `answer_due` turned round, so that the database finds these by when they came.
    """
    local = now.astimezone(NEW_YORK)
    day, hour = local.date(), local.time()
    if is_business_day(day) and OPENS <= hour < CLOSES:
        return _at(_business_day(day, -1), hour) + timedelta.resolution
    has_closed = is_business_day(day) and hour >= CLOSES
    return _at(day if has_closed else _business_day(day, -1), OPENS)


def promise_text(asked_at: datetime, now: datetime) -> str:
    """Return how a quote without an answer stands: 'Answer due in 3 h', 'Overdue by 2 h'."""
    left = answer_due(asked_at) - now
    if left > timedelta():
        return f"Answer due in {_span(left)}"
    return f"Overdue by {_span(-left)}"


def _span(span: timedelta) -> str:
    hours = span // timedelta(hours=1)
    if hours >= 2 * 24:
        return f"{hours // 24} days"
    return f"{hours} h" if hours else f"{max(1, span // timedelta(minutes=1))} min"


def step_text(due: date, today: date) -> str:
    """Return when a next step is due: 'due today', 'since Mar 5, 2026', 'on Mar 9, 2026'."""
    if due == today:
        return "due today"
    return f"{'overdue since' if due < today else 'on'} {clock.short_date(due)}"


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
    owner_id: str | None = None
    next_step: str = ""
    next_step_on: date | None = None
    lost_reason: str = ""
    lost_note: str = ""
    unanswered: bool = False  # a quote to which nobody has answered

    @property
    def is_quote(self) -> bool:
        return self.type in QUOTES


SORTS = ("type", "status", "date", "name", "source", "due")
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
    owner: str = ""  # the id of one, or 'none'; this one and the next two are about quotes alone
    answer: str = ""
    next: str = ""
    lead: str = ""  # the id of the opened one

    COLUMNS = SORTS
    TYPED = (
        "q", "type", "status", "source", "zip", "since", "until", "owner", "answer", "next",
    )  # fmt: skip

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
            "owner": query.owner if query.owner == NOBODY else well_formed_id(query.owner) or "",
            "answer": query.answer if query.answer in ANSWER_FILTERS else "",
            "next": query.next if query.next in NEXT_FILTERS else "",
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
    """A change to a lead: set one of its fields, with what goes with it, or delete it."""

    kind: Literal["status", "lead_source", "delete", "owner_id", "next_step"]
    values: Mapping[str, Any] = field(default_factory=dict)
    is_for_quotes: bool = False

    @property
    def value(self) -> Any:
        return self.values.get(self.kind, "")

    def alters(self, lead: LeadRow) -> bool:
        """Return whether a lead is not like this yet; a reason that was said is not forgotten."""
        names = self.values if self.is_for_quotes else (self.kind,)
        return any(getattr(lead, name) != self.values[name] for name in names)

    @classmethod
    def status(cls, value: object) -> Self:
        """Return the change to a status; a lead that is lost by it is so for no said reason.

        Raises:
            NotALeadValue: If it is none of the statuses.
        """
        return cls("status", {"status": _listed(value, STATUSES), **NOT_SAID})

    @classmethod
    def lost(cls, reason: object, note: object) -> Self:
        """Return the change of a quote to 'Closed Lost', for a reason.

        Raises:
            NotALeadValue: If it is none of the reasons.
            ValueError: If the note is too long.
        """
        said = {
            "lost_reason": _listed(reason, tuple(LOST_REASONS)),
            "lost_note": contact.lines("Note", LOST_NOTE_MAX)(note),
        }
        return cls("status", {"status": LOST, **said}, is_for_quotes=True)

    @classmethod
    def source(cls, value: object) -> Self:
        """Return the change of the lead-source control, which a setting decides.

        The product that this one follows writes a chosen source to the status.

        Raises:
            NotALeadValue: If it is none of the sources.
        """
        kind = settings.lead_source_writes
        return cls(kind, {kind: _listed(value, SOURCES)})

    @classmethod
    def owner(cls, person_id: str) -> Self:
        """Return the change of a quote's owner; '' for nobody."""
        return cls("owner_id", {"owner_id": person_id or None}, is_for_quotes=True)

    @classmethod
    def planned(cls, what: str, on: date | None) -> Self:
        """Return the change of a quote's next step; '' and no day where there is none."""
        return cls("next_step", {"next_step": what, "next_step_on": on}, is_for_quotes=True)


NOT_SAID = {"lost_reason": "", "lost_note": ""}
DELETE = Change("delete")


def _listed(value: object, values: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in values:
        raise NotALeadValue
    return value
