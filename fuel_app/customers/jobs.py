"""Schedules of customers: closed accounts to empty, and tiers of neighborhoods to tell."""

from datetime import datetime, time

from fuel_app.accounts.service import deletion
from fuel_app.customers.queries import accounts, garage
from fuel_app.customers.service import tiers
from fuel_app.kit import holders, jobs
from fuel_app.kit.db.session import transaction
from fuel_app.messages.service import personal
from fuel_app.plans.service import data as plans

CHUNK = 20


@jobs.scheduled("customers.empty_deleted", jobs.daily(time(4, 0)))
async def empty_deleted(now: datetime) -> int:
    """Empty the accounts whose days are over, in short transactions. Return how many."""
    emptied, some = 0, CHUNK
    while some == CHUNK:
        async with transaction() as session:
            due = await deletion.due(session, now, CHUNK)
            for person in due:
                await accounts.empty(session, person.id)
                await garage.empty(session, person.id)
                await plans.empty(session, person.id)
                for each in holders.HOLDERS:
                    await each.erase(session, person.id)
                await personal.empty(session, person.id, person.email or "")
                await deletion.empty(session, person, now)
        some = len(due)
        emptied += some
    return emptied


@jobs.scheduled("customers.tell_tiers", jobs.daily(time(4, 30)))
async def tell_tiers(_now: datetime) -> int:
    """Tell subscribers of the tiers that their neighborhoods have reached or lost."""
    return await tiers.tell_changes()
