"""Queries on staff sessions."""

from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import RENEWED_AFTER, Session
from fuel_app.accounts.tables import StaffSession

_id = col(StaffSession.id)
_expires = col(StaffSession.expires_at)
_seen = col(StaffSession.last_seen_at)


async def add(session: AsyncSession, token_hash: str, *, now: datetime, expires: datetime) -> str:
    """Start a session and return its id; expired ones are deleted."""
    await session.execute(delete(StaffSession).where(_expires < now))
    row = StaffSession(token_hash=token_hash, created_at=now, last_seen_at=now, expires_at=expires)
    session.add(row)
    await session.flush()
    return row.id


async def hand_over(
    session: AsyncSession, session_id: str, token_hash: str, *, now: datetime, expires: datetime
) -> bool:
    """Give a session its browser's token. Return False if it has ended meanwhile."""
    theirs = update(StaffSession).where(_id == session_id, _expires > now).returning(_id)
    given = theirs.values(token_hash=token_hash, last_seen_at=now, expires_at=expires)
    return await session.scalar(given) is not None


async def find(session: AsyncSession, *, now: datetime, **key: str) -> Session | None:
    """Return the open session with this `id` or this `token_hash`."""
    found = select(_id, _seen, _expires).filter_by(**key).where(_expires > now)
    row = (await session.execute(found)).first()
    return Session(*row) if row else None


async def renew(
    session: AsyncSession, session_id: str, *, now: datetime, expires: datetime
) -> None:
    """Extend a session, once for tabs that ask at the same moment."""
    due = update(StaffSession).where(_id == session_id, _seen <= now - RENEWED_AFTER)
    await session.execute(due.values(last_seen_at=now, expires_at=expires))


async def end(session: AsyncSession, session_id: str) -> bool:
    """End a session. Return False if there was none."""
    gone = delete(StaffSession).where(_id == session_id).returning(_id)
    return await session.scalar(gone) is not None


async def end_all(session: AsyncSession) -> int:
    """End every session. Return how many there were."""
    return len((await session.scalars(delete(StaffSession).returning(_id))).all())
