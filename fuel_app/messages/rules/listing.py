"""The staff's list of messages: what it asks, and its rows."""

import re
from dataclasses import dataclass

from fuel_app.kit.lists import Question
from fuel_app.kit.outbox import SENT, STATES, Message
from fuel_app.messages.rules.delivery import KEPT_HERE
from fuel_app.messages.rules.kinds import IN_USE

PAGE_SIZE = 50
SHOWN_OF_PERSON = 100
KEPT = "kept"  # settled where nothing can be sent
SHOWN_STATES = (*STATES, KEPT)


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
    def of_state(self) -> str:
        return self.state if self.state in SHOWN_STATES else ""

    @property
    def of_kind(self) -> str:
        return self.kind if self.kind in IN_USE else ""


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One message as the list shows it."""

    message: Message
    recipient: str  # an address, or a person's name until it is sent

    @property
    def shown_state(self) -> str:
        state = self.message.state
        return KEPT if state == SENT and self.message.error in KEPT_HERE else state


@dataclass(frozen=True, slots=True)
class MessageDetail:
    """One message with its text; `full` if that holds its codes and links."""

    row: MessageRow
    text: str
    full: bool
