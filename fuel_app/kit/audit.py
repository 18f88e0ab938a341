"""The audit log: one entry for each change of each subject, and the Undo that builds on it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import JSON, Column, Index, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import Field, col

from fuel_app.kit.clock import now
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, numbered
from fuel_app.kit.errors import NothingToUndo, TooLateToUndo
from fuel_app.kit.signals import signals

_BATCH = 500  # entries undone in one transaction: a visitor who joins waits for one at most
_TO_PURGE = text("expires_at IS NOT NULL AND before IS NOT NULL")


def _json() -> Any:
    return Field(default=None, sa_column=Column(JSON(none_as_null=True)))


class AuditEntry(TableModel, table=True):
    """One change of one subject. The entries of one action are undone together."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        Index(None, "action_id", "number"),
        Index(None, "subject_id", "number"),
        Index(None, "actor", "at"),
        Index(None, "expires_at", sqlite_where=_TO_PURGE, postgresql_where=_TO_PURGE),
    )

    number: int | None = numbered()
    action_id: str = Field(max_length=36)
    noun: str = Field(max_length=20)
    kind: str = Field(max_length=20)
    subject_id: str = Field(max_length=36)
    actor: str = Field(max_length=100)  # a person's id, or a name such as 'system'
    request_id: str = Field(max_length=100)
    at: datetime = Field(sa_type=UtcTime, nullable=False)
    before: dict[str, Any] | None = _json()
    after: dict[str, Any] | None = _json()
    # From then on it cannot be undone, and `before` and `after` are emptied: personal data.
    expires_at: datetime | None = Field(default=None, sa_type=UtcTime)
    undone_at: datetime | None = Field(default=None, sa_type=UtcTime)
    undone_by: str | None = Field(default=None, max_length=100)


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that an actor does to one or many subjects; undone as a whole."""

    noun: str
    kind: str
    actor: str
    kept_for: timedelta | None = None
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Change:
    """The values of one subject that an action replaced."""

    subject_id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The outcome of an action or of its undo."""

    action_id: str
    changed: int
    left: int = 0  # not touched, since they had changed or gone meanwhile


def current_request() -> str:
    """Return the id of the request that this task answers."""
    return structlog.contextvars.get_contextvars().get("request_id", "")


async def record(session: AsyncSession, action: Action, changes: Sequence[Change]) -> None:
    """Write an action's changes to the log, in the transaction that makes them."""
    if not changes:
        return
    at = now()
    shared = {
        "action_id": action.id,
        "noun": action.noun,
        "kind": action.kind,
        "actor": action.actor,
        "request_id": current_request(),
        "at": at,
        "expires_at": at + action.kept_for if action.kept_for else None,
    }
    rows = [
        {"subject_id": change.subject_id, "before": change.before, "after": change.after} | shared
        for change in changes
    ]
    await session.execute(insert(AuditEntry), rows)


async def history(
    session: AsyncSession, noun: str, *subject_ids: str, limit: int
) -> list[AuditEntry]:
    """Return the last entries of some subjects, newest first."""
    query = select(AuditEntry).where(
        col(AuditEntry.subject_id).in_(subject_ids), col(AuditEntry.noun) == noun
    )
    newest = query.order_by(col(AuditEntry.number).desc()).limit(limit)
    return list(await session.scalars(newest))


async def made_by(
    session: AsyncSession, actor: str, kinds: Collection[str], since: datetime
) -> list[datetime]:
    """Return when an actor made changes of some kinds since a moment."""
    statement = select(col(AuditEntry.at)).where(
        col(AuditEntry.actor) == actor, col(AuditEntry.at) > since, col(AuditEntry.kind).in_(kinds)
    )
    return list(await session.scalars(statement))


async def hand_over(
    session: AsyncSession, noun: str, former: Collection[str], subject_id: str
) -> None:
    """Let the entries of former subjects be those of another one."""
    theirs = update(AuditEntry).where(
        col(AuditEntry.noun) == noun, col(AuditEntry.subject_id).in_(former)
    )
    await session.execute(
        theirs.values(subject_id=subject_id), execution_options={"synchronize_session": False}
    )


async def expire(
    session: AsyncSession, noun: str, subject_ids: Collection[str], at: datetime | None
) -> None:
    """Let the log forget at a moment what has changed of some deleted subjects, which it may quote;
    None where they are back. What is forgotten by then stays so."""
    about = col(AuditEntry.subject_id).in_(subject_ids), col(AuditEntry.noun) == noun
    changes = col(AuditEntry.kind) != "delete", col(AuditEntry.before).is_not(None)
    await session.execute(
        update(AuditEntry).where(*about, *changes).values(expires_at=at),
        execution_options={"synchronize_session": False},
    )


async def purge_expired(session: AsyncSession, at: datetime) -> int:
    """Empty the values of some entries that have expired. Return how many."""
    number: Any = col(AuditEntry.number)
    expired = select(number).where(
        col(AuditEntry.expires_at) <= at, col(AuditEntry.before).is_not(None)
    )
    some = update(AuditEntry).where(number.in_(expired.limit(_BATCH)))
    done: Any = await session.execute(
        some.values(before=None, after=None), execution_options={"synchronize_session": False}
    )
    return done.rowcount


Revert = Callable[[AsyncSession, Sequence[AuditEntry]], Awaitable[Collection[str]]]
_REVERTS: dict[tuple[str, str], tuple[Revert, tuple[str, ...]]] = {}


def undoes(noun: str, *kinds: str, topics: tuple[str, ...]) -> Callable[[Revert], Revert]:
    """Register the function that undoes entries of these kinds.

    It gets a transaction with some entries of one action, and returns the ids of the subjects whose
    former values are back. It leaves out, or refuses, what has changed again since.

    Args:
        topics: The signals to publish when it has run.
    """

    def register(revert: Revert) -> Revert:
        for kind in kinds:
            _REVERTS[noun, kind] = revert, topics
        return revert

    return register


async def undo(action_id: str, *, actor: str) -> AsyncGenerator[Done, None]:
    """Undo an action, some entries in each transaction; yield the progress.

    Raises:
        NothingToUndo: If it is undone already, or there is no such action.
        TooLateToUndo: If what it takes is not kept any more.
        Refusal: What the noun refuses; nothing of those entries is undone then.
    """
    last = undone = left = 0
    started = now()
    while True:
        async with transaction() as session:
            entries = await _undoable(session, action_id, after=last)
            if not entries:
                break
            kept = [e for e in entries if e.expires_at is None or e.expires_at > started]
            if not kept:
                raise TooLateToUndo
            revert, topics = _REVERTS[kept[0].noun, kept[0].kind]
            back = await revert(session, kept)
            await _mark_undone(session, [e for e in kept if e.subject_id in back], actor)
        last = entries[-1].number or 0
        undone, left = undone + len(back), left + len(entries) - len(back)
        await signals().publish(*topics)
        yield Done(action_id, undone, left)
    if not last:
        raise NothingToUndo


async def _undoable(session: AsyncSession, action_id: str, *, after: int) -> list[AuditEntry]:
    """Lock the next entries that are not undone yet, so that each is undone once."""
    number: Any = col(AuditEntry.number)
    query = select(AuditEntry).where(
        col(AuditEntry.action_id) == action_id, number > after, col(AuditEntry.undone_at).is_(None)
    )
    return list(await session.scalars(query.order_by(number).limit(_BATCH).with_for_update()))


async def _mark_undone(session: AsyncSession, entries: Sequence[AuditEntry], actor: str) -> None:
    numbers = [entry.number for entry in entries]
    these = update(AuditEntry).where(col(AuditEntry.number).in_(numbers))
    await session.execute(
        these.values(undone_at=now(), undone_by=actor),
        execution_options={"synchronize_session": False},
    )
