"""Queries on sessions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import RENEWED_AFTER, Role, Session
from fuel_app.accounts.tables import Person, PersonRole, StoredSession
from fuel_app.kit.db.session import publish
from fuel_app.kit.signals import SESSIONS

_id, _person = col(StoredSession.id), col(StoredSession.person_id)
_token = col(StoredSession.token_hash)
_expires, _seen = col(StoredSession.expires_at), col(StoredSession.last_seen_at)
_roles = (
    select(func.aggregate_strings(col(PersonRole.role), ","))
    .where(col(PersonRole.person_id) == _person)
    .scalar_subquery()
)
_is_deactivated = exists().where(col(Person.id) == _person, col(Person.deactivated_at).is_not(None))


async def add(session: AsyncSession, row: StoredSession) -> str:
    """Start a session and return its id."""
    session.add(row)
    await session.flush()
    return row.id


async def hand_over(
    session: AsyncSession, ticket_hash: str, token_hash: str, *, now: datetime, expires: datetime
) -> bool:
    """Give a session its browser's token in place of its ticket. Return False if that is used."""
    waits = update(StoredSession).where(_token == ticket_hash, _expires > now).returning(_id)
    handed_over = waits.values(token_hash=token_hash, last_seen_at=now, expires_at=expires)
    return await session.scalar(handed_over) is not None


async def find(session: AsyncSession, *, now: datetime, **key: str) -> Session | None:
    """Return the open session with this `id` or this `token_hash`. One lookup by a unique index."""
    opened = select(
        _id,
        _seen,
        _expires,
        _person,
        col(StoredSession.sign_up_id),
        col(StoredSession.second_factor),
        col(StoredSession.proved_at),
        _roles,
    ).filter_by(**key)
    row = (await session.execute(opened.where(_expires > now, ~_is_deactivated))).first()
    if row is None:
        return None
    person_id, sign_up_id, roles = row[3] or "", row[4] or "", row[7]
    if not person_id and not sign_up_id:
        held = frozenset({Role.ADMIN, Role.DISPATCHER})
    else:
        held = frozenset(Role(role) for role in (roles or "").split(",") if role)
    return Session(row[0], row[1], row[2], person_id, sign_up_id, held, row[5], row[6])


async def renew(
    session: AsyncSession, session_id: str, *, now: datetime, expires: datetime
) -> None:
    """Extend a session, once for tabs that ask at the same moment."""
    due = update(StoredSession).where(_id == session_id, _seen <= now - RENEWED_AFTER)
    await session.execute(due.values(last_seen_at=now, expires_at=expires))


async def note_reauthentication(
    session: AsyncSession, session_id: str, now: datetime, **more: Any
) -> None:
    """Note that a password or factor was given; `more` are other columns to set."""
    this = update(StoredSession).where(_id == session_id)
    await session.execute(this.values(proved_at=now, **more))


async def end(session: AsyncSession, session_id: str) -> str | None:
    """End a session and return its device. Return None if there was none."""
    return next(iter(await _end(session, _id == session_id)), None)


async def end_all_shared(session: AsyncSession) -> int:
    """End every session of the shared password. Return how many there were."""
    no_one = _person.is_(None) & col(StoredSession.sign_up_id).is_(None)
    return len(await _end(session, no_one))


async def end_of_person(session: AsyncSession, person_id: str, *, except_id: str = "") -> int:
    """End a person's sessions, all or all but one. Return how many."""
    return len(await _end(session, (_person == person_id) & (_id != except_id)))


async def end_without_factor(session: AsyncSession, person_id: str) -> None:
    """End a person's sessions that were opened without a second factor."""
    await _end(session, (_person == person_id) & ~col(StoredSession.second_factor))


async def end_one_of_person(session: AsyncSession, person_id: str, session_id: str) -> str | None:
    """End a session and return its device. Return None if this person has none such."""
    return next(iter(await _end(session, (_person == person_id) & (_id == session_id))), None)


async def _end(session: AsyncSession, which: ColumnElement[bool]) -> Sequence[str]:
    """End sessions and tell every process, whose tabs look again. Return their devices."""
    publish(session, SESSIONS)
    ended = delete(StoredSession).where(which).returning(col(StoredSession.device))
    return (await session.scalars(ended)).all()


async def of_person(session: AsyncSession, person_id: str, now: datetime) -> list[StoredSession]:
    """Return a person's open sessions, the last used first."""
    open_ones = select(StoredSession).where(_person == person_id, _expires > now)
    return list(await session.scalars(open_ones.order_by(_seen.desc())))
