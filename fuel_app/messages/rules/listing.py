"""The staff's list of messages: what it asks, and its rows."""

from dataclasses import dataclass
from datetime import datetime

from fuel_app.kit.lists import Question
from fuel_app.kit.outbox import SENT, STATES
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
    def of_state(self) -> str:
        return self.state if self.state in SHOWN_STATES else ""

    @property
    def of_kind(self) -> str:
        return self.kind if self.kind in IN_USE else ""


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One message as the list shows it."""

    id: str
    kind: str
    channel: str
    recipient: str  # an address, or a person's name until it is sent
    state: str
    created_at: datetime
    send_at: datetime
    sent_at: datetime | None
    subject: str
    note: str

    @property
    def shown_state(self) -> str:
        return KEPT if self.state == SENT and self.note in KEPT_HERE else self.state


@dataclass(frozen=True, slots=True)
class MessagePage:
    """One page of the list."""

    rows: tuple[MessageRow, ...]
    total: int
    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class MessageDetail:
    """One message with its text; `full` if that holds its codes and links."""

    row: MessageRow
    text: str
    full: bool
