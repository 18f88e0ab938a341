"""Schedules of accounts: deleting sign-ups, sessions and challenges whose time is over."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, select
from sqlmodel import col

from fuel_app.accounts.rules import SIGN_UP_KEPT
from fuel_app.accounts.tables import Challenge, SignUp, StoredSession
from fuel_app.kit import jobs
from fuel_app.kit.db.session import transaction

CHUNK = 1000
_CHALLENGES_KEPT = timedelta(days=1)  # after they have expired


@jobs.scheduled("accounts.delete_sign_ups", jobs.every(timedelta(hours=1)))
async def delete_sign_ups(now: datetime) -> int:
    """Delete sign-ups older than a day. Return how many."""
    return await _delete(SignUp, col(SignUp.created_at) < now - SIGN_UP_KEPT)


@jobs.scheduled("accounts.delete_expired", jobs.every(timedelta(hours=1)))
async def delete_expired(now: datetime) -> int:
    """Delete expired sessions and challenges. Return how many."""
    over = col(Challenge.expires_at) < now - _CHALLENGES_KEPT
    sessions = await _delete(StoredSession, col(StoredSession.expires_at) < now)
    return sessions + await _delete(Challenge, over)


async def _delete(
    table: type[SignUp | StoredSession | Challenge], which: ColumnElement[bool]
) -> int:
    """Delete in short transactions. Return how many."""
    some = select(col(table.id)).where(which).limit(CHUNK)
    expired = delete(table).where(col(table.id).in_(some)).returning(col(table.id))
    deleted, count = 0, CHUNK
    while count == CHUNK:
        async with transaction() as session:
            count = len((await session.scalars(expired)).all())
        deleted += count
    return deleted
