"""Schedules of accounts: sign-ups that were never verified."""

from datetime import datetime, timedelta

from fuel_app.accounts.queries import sign_ups
from fuel_app.accounts.rules import SIGN_UP_KEPT
from fuel_app.kit import jobs
from fuel_app.kit.db.session import transaction

CHUNK = 1000


@jobs.scheduled("accounts.delete_sign_ups", jobs.every(timedelta(hours=1)))
async def delete_sign_ups(now: datetime) -> int:
    """Delete sign-ups older than a day, in short transactions. Return how many."""
    deleted, some = 0, CHUNK
    while some == CHUNK:
        async with transaction() as session:
            some = await sign_ups.remove_some(session, now - SIGN_UP_KEPT, CHUNK)
        deleted += some
    return deleted
