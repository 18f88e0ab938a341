"""Schedules of accounts: deleting sign-ups, sessions and challenges whose time is over."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, sessions, sign_ups
from fuel_app.accounts.rules import SIGN_UP_KEPT
from fuel_app.kit import jobs
from fuel_app.kit.db.session import transaction

CHUNK = 1000

RemoveSome = Callable[[AsyncSession, datetime, int], Awaitable[int]]


@jobs.scheduled("accounts.delete_sign_ups", jobs.every(timedelta(hours=1)))
async def delete_sign_ups(now: datetime) -> int:
    """Delete sign-ups older than a day. Return how many."""
    return await _in_chunks(sign_ups.remove_some, now - SIGN_UP_KEPT)


@jobs.scheduled("accounts.delete_expired", jobs.every(timedelta(hours=1)))
async def delete_expired(now: datetime) -> int:
    """Delete expired sessions and challenges. Return how many."""
    return await _in_chunks(sessions.remove_expired, now) + await _in_chunks(
        challenges.remove_expired, now
    )


async def _in_chunks(remove_some: RemoveSome, before: datetime) -> int:
    """Delete in short transactions."""
    deleted, some = 0, CHUNK
    while some == CHUNK:
        async with transaction() as session:
            some = await remove_some(session, before, CHUNK)
        deleted += some
    return deleted
