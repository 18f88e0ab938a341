"""The sales desk: what staff do about a quote, from its owner to why it was lost."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Self

from pydantic import PlainValidator, ValidationInfo

from fuel_app.kit import clock, contact
from fuel_app.kit.forms import Form, line
from fuel_app.leads.rules import (
    CALL,
    LOST,
    LOST_NOTE_MAX,
    LOST_REASONS,
    MAIL,
    NEXT_STEP_MAX,
    NOTE,
    NOTE_MAX,
    OUTCOMES,
    LeadRow,
    answer_due,
    promise_text,
    step_text,
)

_FIRST_YEAR, _LAST_YEAR = 2000, 2100


def _day(value: object) -> date:
    try:
        day = date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        day = date.min
    if not _FIRST_YEAR <= day.year <= _LAST_YEAR:
        raise ValueError("Enter a date")
    return day


class NextStep(Form):
    """The form of a quote's next step."""

    next_step: Annotated[str, line("Next step", NEXT_STEP_MAX)]
    next_step_on: Annotated[date, PlainValidator(_day)]


class Lost(Form):
    """The form of why a quote is lost."""

    lost_reason: Annotated[str, PlainValidator(contact.one_of("Reason", tuple(LOST_REASONS)))]
    lost_note: Annotated[str, PlainValidator(contact.lines("Note", LOST_NOTE_MAX))]


LOGGED = {
    **{f"{CALL} {outcome}": f"Call: {text.lower()}" for outcome, text in OUTCOMES.items()},
    MAIL: "Mail",
    NOTE: "Note",
}


def _text(value: object, form: ValidationInfo) -> str:
    text = contact.lines("Text", NOTE_MAX)(value)
    if not text and not form.data.get("what", "").startswith(CALL):
        raise ValueError("Text is required")
    return text


class QuoteNote(Form):
    """The form of a note, or of a call or mail; the outcome of a call says enough."""

    what: Annotated[str, PlainValidator(contact.one_of("What to log", tuple(LOGGED)))]
    text: Annotated[str, PlainValidator(_text)]

    @property
    def kind(self) -> str:
        return self.what.partition(" ")[0]

    @property
    def outcome(self) -> str:
        return self.what.partition(" ")[2]


def note_title(kind: str, outcome: str) -> str:
    """Return a note as it was logged: 'Call: left a message'."""
    return LOGGED[f"{kind} {outcome}".strip()]


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A note as it is shown: 'Call: left a message'."""

    id: str
    what: str
    text: str
    about: str  # who, and when


@dataclass(frozen=True, slots=True)
class Desk:
    """What staff do about one quote, as its dialog shows it."""

    promise: str = ""  # 'Answer due in 3 h'; empty once it is answered
    is_overdue: bool = False
    status: str = ""
    revision: int = 0
    owner_id: str = ""
    owner: str = ""
    next_step: str = ""
    next_step_on: str = ""  # such as '2026-03-09'
    next_due: str = ""  # 'due today'
    next_is_due: bool = False
    lost: str = ""  # the reason of one that is lost
    lost_reason: str = ""
    lost_note: str = ""
    email: str = ""
    phone: str = ""
    dialed: str = ""
    notes: tuple[NoteLine, ...] = ()

    @classmethod
    def of(cls, lead: LeadRow, owner: str, notes: tuple[NoteLine, ...], now: datetime) -> Self:
        due, today, is_lost = lead.next_step_on, clock.day_of(now), lead.status == LOST
        return cls(
            promise=promise_text(lead.created_at, now) if lead.unanswered else "",
            is_overdue=lead.unanswered and answer_due(lead.created_at) <= now,
            status=lead.status,
            revision=lead.revision,
            owner_id=lead.owner_id or "",
            owner=owner,
            next_step=lead.next_step,
            next_step_on=due.isoformat() if due else "",
            next_due=step_text(due, today) if due else "",
            next_is_due=due is not None and due <= today,
            lost=LOST_REASONS[lead.lost_reason] if is_lost else "",
            lost_reason=lead.lost_reason,
            lost_note=lead.lost_note if is_lost else "",
            email=lead.email,
            phone=contact.phone_shown(lead.phone),
            dialed=contact.dialed(lead.phone),
            notes=notes,
        )


def waiting_text(lead: LeadRow, owner: str, now: datetime, *, is_step: bool) -> str:
    """Return what waits of a quote, for whom and whom to ask."""
    due = lead.next_step_on
    if is_step and due:
        what = f"{lead.next_step}, {step_text(due, clock.day_of(now))}"
    else:
        what = promise_text(lead.created_at, now)
    return f"{what}. {lead.name}, {contact.phone_shown(lead.phone)}. Owner: {owner or 'nobody'}"
