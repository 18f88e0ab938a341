"""The staff's list of messages: what it asks, and its rows."""

from dataclasses import dataclass
from datetime import datetime

from fuel_app.kit.lists import Question
from fuel_app.kit.outbox import STATES
from fuel_app.messages.rules.kinds import KINDS

PAGE_SIZE = 50
SHOWN_OF_PERSON = 100


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
        return self.state if self.state in STATES else ""

    @property
    def of_kind(self) -> str:
        return self.kind if self.kind in KINDS else ""


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
