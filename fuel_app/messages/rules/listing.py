"""The staff's list of messages: what it asks, and its rows."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from fuel_app.kit import clock, contact
from fuel_app.kit.lists import Question
from fuel_app.kit.outbox import QUEUED, SENT, Message
from fuel_app.kit.search import words_of
from fuel_app.kit.words import counted
from fuel_app.messages.rules.delivery import KEPT_HERE
from fuel_app.messages.rules.kinds import KINDS, title

PAGE_SIZE = 50
SHOWN_OF_PERSON = 100
NOT_SENT = "kept"  # settled where nothing can be sent
STATES_SHOWN = {  # with their colors
    "queued": ("Waiting", "grey"),
    "sent": ("Sent", "green"),
    "skipped": ("Not sent", "grey"),
    "failed": ("Failed", "yellow"),
    NOT_SENT: ("Kept here", "grey"),
}
_DELIVERED = ("Delivered", "green")
_CHANNELS = {"mail": "E-mail", "sms": "Text message", "push": "Notification"}


@dataclass(frozen=True)
class MessageQuery(Question):
    """The filters of the list; a state or kind that does not exist filters nothing."""

    sort: str = "-queued"
    q: str = ""
    state: str = ""
    kind: str = ""

    COLUMNS = ("queued",)
    TYPED = ("q", "state", "kind")

    @property
    def of_recipient(self) -> str:
        """Return the text to search for; a phone number as its digits, which are stored."""
        digits = re.sub("[^0-9]", "", self.q.removeprefix("+1"))
        return digits if digits and re.fullmatch("[0-9 ().+-]+", self.q) else self.q.lower()

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words of a name to search for, in any order."""
        return words_of(self.q)

    @property
    def of_state(self) -> str:
        return self.state if self.state in STATES_SHOWN else ""

    @property
    def of_kind(self) -> str:
        return self.kind if self.kind in KINDS else ""


@dataclass(frozen=True)
class MessageLine:
    """One message as the staff see it."""

    id: str = ""
    what: str = ""
    channel: str = ""
    recipient: str = ""
    queued: str = ""  # in its order the list is
    moved: str = ""  # when it went, or is to go, at another time: 'Sent Nov 25, 2026, 8:00 AM'
    state: str = ""
    color: str = ""
    note: str = ""

    @classmethod
    def of(cls, message: Message, name: str) -> Self:
        """Return a line; a person's name stands in for an address that is not chosen yet."""
        to, note = message.recipient or name, message.error or ""
        is_kept = message.state == SENT and note in KEPT_HERE
        queued = clock.date_and_time(message.created_at)
        goes = clock.date_and_time(message.sent_at or message.send_at)
        shown = NOT_SENT if is_kept else message.state
        is_moved = message.state in (QUEUED, SENT) and goes != queued
        return cls(
            message.id,
            title(message.kind),
            _CHANNELS[message.channel],
            contact.phone_text(to) if to.isdecimal() else to,
            queued,
            f"{'Sent' if message.sent_at else 'Due'} {goes}" if is_moved else "",
            *(_DELIVERED if message.delivered_at else STATES_SHOWN[shown]),
            note,
        )


def waiting_text(channel: str, count: int, since: datetime, error: str) -> str:
    """Word the messages of a channel that are retried, and why one of them is.

    '3 text messages wait since Nov 25, 2026, 8:00 AM: 400 21606 (we retry)'.
    """
    noun = _CHANNELS[channel].lower()
    verb = "waits" if count == 1 else "wait"
    return f"{counted(count, noun)} {verb} since {clock.date_and_time(since)}: {error}"


@dataclass(frozen=True)
class MessageView:
    """One message with its text; `full` if that holds its codes and links."""

    line: MessageLine = MessageLine()
    subject: str = ""
    text: str = ""
    full: bool = False
