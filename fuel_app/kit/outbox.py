"""The outbox: every mail, text message and notification is a row, written where it is caused.

A kind of mail may bring a file along, such as a receipt, which its maker draws as it is sent.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    ColumnElement,
    Index,
    Text,
    and_,
    case,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import Field, col

from fuel_app.kit import clock, jobs
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import insert_new
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, one_of


@dataclass(frozen=True, slots=True)
class Pdf:
    name: str
    data: bytes


# By the payload's name: a function of the id there; None for what is no more.
MAKERS: dict[str, Callable[[str], Awaitable[Pdf | None]]] = {}


async def of(payload: Mapping[str, Any]) -> list[Pdf]:
    """Return the files of a message."""
    made = [await make(payload[name]) for name, make in MAKERS.items() if name in payload]
    return [each for each in made if each]


JOB = "message"
MAIL, SMS, PUSH = CHANNELS = ("mail", "sms", "push")
QUEUED, SENT, SKIPPED, FAILED = STATES = ("queued", "sent", "skipped", "failed")
ERROR_MAX = 300
_OF_BATCH = text("batch_id IS NOT NULL")


class Message(TableModel, table=True):
    """One mail, text message or notification. Its id is the Message-ID of the mail at every try."""

    __tablename__ = "messages"
    __table_args__ = (
        CheckConstraint(one_of("channel", CHANNELS), name="channel_known"),
        CheckConstraint(one_of("state", STATES), name="state_known"),
        Index(None, "person_id", "id"),
        Index(None, "state", "id", "error"),
        Index(None, "kind", "id"),
        Index(None, "recipient", "id"),
        Index(None, "batch_id", "state", sqlite_where=_OF_BATCH, postgresql_where=_OF_BATCH),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    kind: str = Field(max_length=40)
    channel: str = Field(max_length=10)
    key: str | None = Field(default=None, max_length=200, unique=True)
    # What many messages share that go out together, by which they are counted.
    batch_id: str | None = Field(default=None, max_length=36)
    person_id: str | None = Field(
        default=None, foreign_key="people.id", ondelete="CASCADE", max_length=36
    )
    # Where it goes: set by the sender for an address that is no person's, else when it is sent.
    recipient: str = Field(default="", max_length=254)
    payload: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    state: str = Field(default=QUEUED, max_length=10)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)
    send_at: datetime = Field(sa_type=UtcTime, nullable=False)
    good_until: datetime | None = Field(default=None, sa_type=UtcTime)
    sent_at: datetime | None = Field(default=None, sa_type=UtcTime, index=True)
    subject: str = Field(default="", max_length=200)
    # As it was sent, codes and links blanked; kept for 30 days.
    body: str | None = Field(default=None, sa_type=Text)
    error: str | None = Field(default=None, max_length=ERROR_MAX)
    # Of a text message: its id at the provider, and when the phone had it.
    provider_id: str | None = Field(default=None, max_length=64)
    delivered_at: datetime | None = Field(default=None, sa_type=UtcTime)


_TABLE = Message.__table__


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A message to queue.

    Args:
        kind: One of `messages/rules/kinds.py`.
        person_id: Whom it is for; `to` names an address that is no person's (yet).
        payload: Ids and plain values that the text needs; never a code, token or password.
        key: Makes it happen once: a second message with the same key is not added.
        batch_id: What it goes out with.
        send_at: Not before; `good_until`: not after.
    """

    kind: str
    channel: str = MAIL
    person_id: str | None = None
    to: str = ""
    payload: Mapping[str, Any] | None = None
    key: str | None = None
    batch_id: str | None = None
    send_at: datetime | None = None
    good_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """The decision not to send a message, with the reason that staff read."""

    reason: str


@dataclass(frozen=True, slots=True)
class Shared:
    """Values of a text that many messages share: they are not stored with each."""

    values: Mapping[str, Any]


Composer = Callable[[AsyncSession, Message], Awaitable[Mapping[str, Any] | Skip | Shared]]
COMPOSERS: dict[str, Composer] = {}  # by the kind of message


def composer(kind: str) -> Callable[[Composer], Composer]:
    """Register what composes messages of a kind as they are sent.

    It is called at each try, in a transaction of its own before the message is handed over, and
    returns values for the payload, `Shared` or `Skip`; the same transaction stores them. After it
    a worker may die: a message with such values has perhaps been sent. It raises `jobs.Later` where
    the message was postponed meanwhile.
    """

    def register(compose: Composer) -> Composer:
        COMPOSERS[kind] = compose
        return compose

    return register


async def add(session: AsyncSession, kind: str, **more: Any) -> None:
    """Queue a message in the caller's transaction; `more` as in `Draft`."""
    await add_all(session, [Draft(kind=kind, **more)])


async def add_all(session: AsyncSession, drafts: Sequence[Draft]) -> None:
    """Queue messages in the caller's transaction."""
    if not drafts:
        return
    at = clock.now()
    ids = sorted(new_id() for _ in drafts)  # in the order of the drafts
    rows = [_row(*new, at) for new in zip(ids, drafts, strict=True)]
    added = insert_new(session, _TABLE).returning(_TABLE.c.id)
    added_ids = set(await session.scalars(added, rows))
    await jobs.enqueue_all(
        session,
        [
            jobs.NewJob(JOB, {"id": row["id"]}, f"{JOB}:{row['id']}", row["send_at"])
            for row in rows
            if row["id"] in added_ids
        ],
    )


def _row(message_id: str, draft: Draft, at: datetime) -> dict[str, Any]:
    return {
        "id": message_id,
        "kind": draft.kind,
        "channel": draft.channel,
        "key": draft.key,
        "batch_id": draft.batch_id,
        "person_id": draft.person_id,
        "recipient": draft.to,
        "payload": dict(draft.payload or {}),
        "state": QUEUED,
        "created_at": at,
        "send_at": draft.send_at or at,
        "good_until": draft.good_until,
        "subject": "",
    }


async def withdraw(session: AsyncSession, person_id: str) -> None:
    """Skip all that waits to be sent to a person."""
    waiting = update(Message).where(
        col(Message.person_id) == person_id, col(Message.state) == QUEUED
    )
    await session.execute(waiting.values(state=SKIPPED, error="The account was closed."))


async def skip(session: AsyncSession, keys: Collection[str], reason: str) -> None:
    """Skip the messages with these keys that wait to be sent."""
    waiting = update(Message).where(col(Message.key).in_(keys), col(Message.state) == QUEUED)
    await session.execute(
        waiting.values(state=SKIPPED, error=reason),
        execution_options={"synchronize_session": False},
    )


async def find_waiting(session: AsyncSession, key: str) -> Message | None:
    """Return and lock the message with this key that waits to be sent."""
    waiting = select(Message).where(col(Message.key) == key, col(Message.state) == QUEUED)
    return await session.scalar(waiting.with_for_update())


async def lock(session: AsyncSession, message_id: str) -> Message:
    """Lock a message that is being sent, and return it as it is now."""
    return await session.get_one(Message, message_id, with_for_update=True, populate_existing=True)


async def free_key(session: AsyncSession, message_id: str) -> None:
    """Give up the key of a message that waits: the next one with it is another message."""
    this = update(Message).where(col(Message.id) == message_id)
    await session.execute(this.values(key=None), execution_options={"synchronize_session": False})


async def take_key(session: AsyncSession, message_id: str, key: str) -> None:
    """Give a message a key, which another one gives up."""
    others = update(Message).where(col(Message.key) == key)
    this = update(Message).where(col(Message.id) == message_id)
    for values in (others.values(key=None), this.values(key=key)):
        await session.execute(values, execution_options={"synchronize_session": False})


async def failed(session: AsyncSession, keys: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the values of those messages with these keys that were given up or refused."""
    given_up = col(Message.key).in_(keys), col(Message.state) == FAILED
    rows = await session.execute(select(col(Message.key), col(Message.payload)).where(*given_up))
    return {str(key): payload for key, payload in rows}


async def payloads(session: AsyncSession, keys: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the values of the messages with these keys, whatever has become of them."""
    found = select(col(Message.key), col(Message.payload)).where(col(Message.key).in_(keys))
    return {str(key): payload for key, payload in await session.execute(found)}


async def skip_batch(session: AsyncSession, batch_id: str, reason: str) -> None:
    """Skip the messages of a batch that wait to be sent."""
    waiting = update(Message).where(col(Message.batch_id) == batch_id, col(Message.state) == QUEUED)
    await session.execute(
        waiting.values(state=SKIPPED, error=reason),
        execution_options={"synchronize_session": False},
    )


async def waiting_of_batch(session: AsyncSession, batch_id: str, now: datetime) -> tuple[int, int]:
    """Count the messages of a batch that are due and not tried yet, and those that are retried."""
    is_retried = col(Message.error).is_not(None)
    is_due = ~is_retried & (col(Message.send_at) <= now)
    counts = select(func.count().filter(is_due), func.count().filter(is_retried)).where(
        col(Message.batch_id) == batch_id, col(Message.state) == QUEUED
    )
    due, retried = (await session.execute(counts)).one()
    return due, retried


async def waiting(session: AsyncSession, keys: Collection[str]) -> dict[str, Message]:
    """Return those messages with these keys that wait to be sent."""
    if not keys:
        return {}
    found = select(Message).where(col(Message.key).in_(keys), col(Message.state) == QUEUED)
    rows = await session.scalars(found, execution_options={"populate_existing": True})
    return {row.key or "": row for row in rows}


async def postpone(
    session: AsyncSession, message_id: str, until: datetime, payload: Mapping[str, Any]
) -> None:
    """Have a message wait for longer, with other values; its composer looks at `due_at`."""
    this = update(Message).where(col(Message.id) == message_id, col(Message.state) == QUEUED)
    await session.execute(
        this.values(send_at=until, payload=dict(payload)),
        execution_options={"synchronize_session": False},
    )


async def due_at(session: AsyncSession, message_id: str) -> datetime | None:
    """Return from when a message may be sent."""
    return await session.scalar(select(col(Message.send_at)).where(col(Message.id) == message_id))


async def free_settled_keys(session: AsyncSession, keys: Collection[str]) -> None:
    """Give up those keys whose messages do not wait any more, such as one that failed."""
    settled = update(Message).where(col(Message.key).in_(keys), col(Message.state) != QUEUED)
    await session.execute(
        settled.values(key=None), execution_options={"synchronize_session": False}
    )


def about(person_id: str, address: str) -> ColumnElement[bool]:
    """Return which messages are a person's, or went to their address."""
    return or_(
        col(Message.person_id) == person_id,
        and_(col(Message.recipient) == address, col(Message.recipient) != ""),
    )


async def erase(session: AsyncSession, which: ColumnElement[bool]) -> None:
    """Remove the personal data of messages; that they were sent stays. Those that wait are not."""
    state = case((col(Message.state) == QUEUED, SKIPPED), else_=col(Message.state))
    # What a server has said may name the address; our own notes and reasons stay.
    servers = col(Message.state).in_((QUEUED, FAILED))
    error = case((servers, None), else_=col(Message.error))
    blank = {"person_id": None, "recipient": "", "payload": {}, "subject": "", "body": None}
    blank |= {"key": None, "provider_id": None}
    await session.execute(
        update(Message).where(which).values(**blank, state=state, error=error),
        execution_options={"synchronize_session": False},
    )


async def sent_to(session: AsyncSession, person_id: str) -> list[Message]:
    """Return a person's messages, the oldest first."""
    query = select(Message).where(col(Message.person_id) == person_id)
    return list(await session.scalars(query.order_by(col(Message.id))))
