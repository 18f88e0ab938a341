"""Queries on the outbox."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.outbox import ERROR_MAX, QUEUED, SENT, SKIPPED, Message

_id, _state, _kind = col(Message.id), col(Message.state), col(Message.kind)
_recipient, _person = col(Message.recipient), col(Message.person_id)
_sent, _body = col(Message.sent_at), col(Message.body)


async def find(session: AsyncSession, message_id: str, *, lock: bool = False) -> Message | None:
    """Return a message; `lock` keeps others from changing it in this transaction."""
    return await session.get(Message, message_id, with_for_update=lock or None)


async def change(session: AsyncSession, message_id: str, **values: Any) -> None:
    """Set values of a message that is queued; one that has its outcome stays as it is.

    One that was skipped while its provider had it was sent all the same: it gets that state, and no
    personal data, which may be erased.
    """
    if "error" in values:
        values["error"] = values["error"][:ERROR_MAX] or None
    this = update(Message).where(_id == message_id)
    changed = await session.execute(this.where(_state == QUEUED).values(**values))
    if values.get("state") == SENT and not changed.rowcount:  # type: ignore[attr-defined]
        known = {name: values[name] for name in ("state", "sent_at", "error")}
        await session.execute(this.where(_state == SKIPPED).values(**known))


async def earlier(
    session: AsyncSession, row: Message, recipient: str, kinds: Collection[str], since: datetime
) -> list[datetime]:
    """Return when the recipient got messages of these kinds since a moment, the first one first.

    Those that are being sent count too, unless they come after this one.
    """
    theirs = _recipient == recipient
    if row.person_id:  # until it is sent, theirs has no address
        theirs = or_(theirs, _person == row.person_id)
    before = or_((_state == SENT) & (_sent > since), (_state == QUEUED) & (_id < row.id))
    at = func.coalesce(_sent, col(Message.created_at))
    found = select(at).where(theirs, _kind.in_(kinds), before, _id != row.id)
    return sorted((await session.scalars(found)).all())


async def empty_bodies(session: AsyncSession, before: datetime, limit: int) -> int:
    """Empty the texts of some messages queued before a moment. Return how many."""
    old = select(_id).where(_body.is_not(None), col(Message.created_at) < before).limit(limit)
    emptied = update(Message).where(_id.in_(old)).values(body=None)
    done: Any = await session.execute(emptied, execution_options={"synchronize_session": False})
    return done.rowcount


async def has_key(session: AsyncSession, key: str) -> bool:
    return await session.scalar(select(_id).where(col(Message.key) == key)) is not None
