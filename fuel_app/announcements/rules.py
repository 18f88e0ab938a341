"""Announcements: newsletters and offers that an admin composes, and how far one has gone out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, NamedTuple, Self

from pydantic import PlainValidator, ValidationInfo

from fuel_app.areas.rules.prices import clean_moment
from fuel_app.kit import clock, contact
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.outbox import FAILED, MAIL, QUEUED, SENT, SKIPPED, SMS
from fuel_app.kit.words import and_list, counted
from fuel_app.messages.rules.kinds import is_quiet
from fuel_app.messages.rules.kinds import title as kind_title
from fuel_app.messages.rules.parts import BRAND, END
from fuel_app.plans.rules.plans import PLANS

NEWSLETTER, OFFER = KINDS = ("newsletter", "offer")  # of messages, too
TEST = "announcement_test"
KIND_NAMES = {kind: kind_title(kind) for kind in KINDS}

DRAFT, SCHEDULED, SENDING, PAUSED, GONE_OUT, CANCELLED = STATES = (
    "draft",
    "scheduled",
    "sending",
    "paused",
    "sent",
    "cancelled",
)
STATE_BADGES = {  # with their colors
    DRAFT: ("Draft", "grey"),
    SCHEDULED: ("Scheduled", "yellow"),
    SENDING: ("Going out", "green"),
    PAUSED: ("Paused", "yellow"),
    GONE_OUT: ("Sent", "green"),
    CANCELLED: ("Cancelled", "grey"),
}


class Transition(NamedTuple):
    """A step of an announcement that has left the hands of who wrote it."""

    before: tuple[str, ...]
    after: str


TRANSITIONS: Mapping[str, Transition] = {
    "pause": Transition((SENDING,), PAUSED),
    "resume": Transition((PAUSED,), SENDING),
    "recall": Transition((SCHEDULED,), DRAFT),
    "cancel": Transition((SENDING, PAUSED), CANCELLED),
}

NO_PLAN = "none"
PLAN_NAMES = {plan.id: plan.name for plan in PLANS} | {NO_PLAN: "Without a plan"}

SUBJECT_MAX, BODY_MAX = 120, 5_000
SEGMENT = 160  # characters of one text message
TEXT_MAX = SEGMENT - len(f"{BRAND}: {END}")
# What typing aids put in, and what it costs a text message half of its room.
_PLAIN = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})  # noqa: RUF001
AHEAD_MOST = timedelta(days=90)

_clean_body = contact.lines("Text", BODY_MAX)


def clean_body(value: object) -> str:
    """Return paragraphs, of any lines, between which lines are empty."""
    body = _clean_body(value)
    if not body:
        raise ValueError("Text is required")
    return body


def _clean_text(value: object, info: ValidationInfo) -> str:
    """Return what an offer says as a text message of one segment; empty if it is none."""
    text = contact.text(value).translate(_PLAIN)
    if text and info.data.get("kind") == NEWSLETTER:
        raise ValueError("Only offers go out as text messages. Empty this, or choose the offer")
    if len(text) > TEXT_MAX:
        raise ValueError(f"Text message must be {TEXT_MAX} characters or fewer")
    if not text.isascii():
        raise ValueError("Use plain letters and signs: others take twice the text messages")
    return text


def clean_area(value: object) -> str:
    """Return an area's id; empty for all. One that is no area's has nobody."""
    return contact.text(value)[:36]


class AnnouncementForm(Form):
    """An announcement as its admin types it."""

    kind: Annotated[str, PlainValidator(contact.one_of("Kind", KINDS))]
    subject: Annotated[str, line("Subject", SUBJECT_MAX)]
    body: Annotated[str, PlainValidator(clean_body)]
    text: Annotated[str, PlainValidator(_clean_text)]
    area_id: Annotated[str, PlainValidator(clean_area)]
    plan_id: Annotated[str, PlainValidator(contact.one_of("Plan", ("", *PLAN_NAMES)))]


class SendForm(Form):
    """When an announcement goes out; None: now."""

    when: Annotated[datetime | None, PlainValidator(clean_moment)]

    def at(self, now: datetime) -> datetime:
        """Return the moment.

        Raises:
            InvalidForm: If that is over, or too far ahead.
        """
        at = self.when or now
        if at < now:
            raise InvalidForm({"when": "This time is over. Leave it empty for 'now'"})
        if at > now + AHEAD_MOST:
            raise InvalidForm({"when": f"Choose a time within {AHEAD_MOST.days} days"})
        return at


# So many of an announcement wait in the outbox at most: what others are waiting for, such as a
# code, comes after them. And so many that a server has put off.
_AHEAD, _RETRIED_MOST = 100, 1_000
REFILL = timedelta(seconds=2)


def room(due: int, retried: int) -> int:
    """Return how many people the outbox takes next; none before half of the last ones are out."""
    return _AHEAD - due if due <= _AHEAD // 2 and retried < _RETRIED_MOST else 0


@dataclass(frozen=True, slots=True)
class Audience:
    """People who get an announcement: all, and those by each channel."""

    people: int = 0
    mails: int = 0
    texts: int = 0

    @property
    def people_text(self) -> str:
        return counted(self.people, "customer") if self.people else ""

    @property
    def channels_text(self) -> str:
        named = (self.mails, "e-mail"), (self.texts, "text message")
        return and_list([counted(number, noun) for number, noun in named if number])


@dataclass(frozen=True, slots=True)
class Draft:
    """An announcement to edit; `revision` is what a change of it has seen."""

    id: str = ""
    kind: str = NEWSLETTER
    subject: str = ""
    body: str = ""
    text: str = ""
    area_id: str = ""
    plan_id: str = ""
    revision: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """An announcement before it goes out: its mail, its text message, and to how many."""

    id: str
    revision: int
    sender: str
    subject: str
    text: str  # of the mail
    sms: str
    audience: Audience


@dataclass(frozen=True, slots=True)
class AnnouncementLine:
    """An announcement as the list shows it."""

    id: str = ""
    subject: str = ""
    about: str = ""  # 'Newsletter · All areas · Family Plan'
    state: str = ""
    badge: str = ""
    color: str = ""
    when: str = ""
    done: int = 0  # of the people, who are still to come included
    goal: int = 0
    counts: str = ""  # '1,204 e-mails and 80 text messages sent · 3 failed'

    @classmethod
    def of(
        cls,
        row: Any,
        area: str,
        *,
        messages: Mapping[tuple[str, str], int],
        left: int,
        unsubscribed: int,
        now: datetime,
    ) -> Self:
        """Return a line.

        Args:
            row: The stored announcement.
            messages: How many there are, by channel and state.
            left: The people who are still to be written to.
        """
        badge, color = STATE_BADGES[row.state]
        parts = KIND_NAMES[row.kind], area, PLAN_NAMES.get(row.plan_id, "All plans")
        by_state = {
            state: sum(number for (_, each), number in messages.items() if each == state)
            for state in (QUEUED, SENT, FAILED, SKIPPED)
        }
        return cls(
            id=row.id,
            subject=row.subject,
            about=" · ".join(parts),
            state=row.state,
            badge=badge,
            color=color,
            when=_when(row, now),
            done=sum(by_state.values()) - by_state[QUEUED],
            goal=sum(by_state.values()) + left,
            counts=_counts(row.state, messages, by_state, left, unsubscribed),
        )


def _when(row: Any, now: datetime) -> str:
    if row.state == DRAFT:
        return f"Changed {clock.date_and_time(row.changed_at)}"
    if row.state == SCHEDULED:
        return f"Goes out {clock.date_and_time(row.send_at)}"
    waits = row.state == SENDING and is_quiet(now)
    began = f"Began {clock.date_and_time(row.send_at)}"
    return f"{began}. It goes on at 8 AM" if waits else began


def _counts(
    state: str,
    messages: Mapping[tuple[str, str], int],
    by_state: Mapping[str, int],
    left: int,
    unsubscribed: int,
) -> str:
    if state in (DRAFT, SCHEDULED):
        return ""
    sent = Audience(mails=messages.get((MAIL, SENT), 0), texts=messages.get((SMS, SENT), 0))
    waiting = by_state[QUEUED] + left
    parts = (
        f"{sent.channels_text or 'Nothing'} sent",
        f"{waiting:,} waiting" if waiting else "",
        f"{by_state[FAILED]:,} failed" if by_state[FAILED] else "",
        f"{by_state[SKIPPED]:,} not sent" if by_state[SKIPPED] else "",
        f"{unsubscribed:,} unsubscribed since" if unsubscribed else "",
    )
    return " · ".join(filter(None, parts))


class AnnouncementGone(Refusal):
    message = "This announcement has been deleted meanwhile."


class AnnouncementChanged(Refusal):
    """A concurrent change, which must not be overwritten unseen."""

    message = (
        "Somebody else has changed this announcement meanwhile. Copy what you have typed, close "
        "this, and open it again."
    )


class NobodyAgreed(Refusal):
    message = "Nobody whom you have chosen has agreed to this."
