"""Subscriptions to plans, in the caller's transaction."""

from collections.abc import Collection
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit.db.rows import find_row
from fuel_app.kit.db.session import reading
from fuel_app.plans import queries
from fuel_app.plans.rules.subscriptions import NoPlan, SubscriptionInfo
from fuel_app.plans.tables import Subscription


async def choose(session: AsyncSession, person_id: str, plan_id: str) -> None:
    """Store the plan that a new customer has chosen."""
    await queries.add(session, person_id, plan_id)


async def of(
    session: AsyncSession, person_id: str, *, shared: bool = False
) -> SubscriptionInfo | None:
    """Return a person's subscription, started or not; `shared` keeps it until the commit."""
    return (await of_all(session, [person_id], shared=shared)).get(person_id)


async def of_all(
    session: AsyncSession, ids: Collection[str], *, shared: bool = False
) -> dict[str, SubscriptionInfo]:
    """Return the same of several people, by person."""
    return await queries.infos(session, ids, shared=shared)


async def locked(session: AsyncSession, person_id: str) -> SubscriptionInfo:
    """Return a person's subscription, locked until the commit.

    Raises:
        NoPlan: If none was chosen.
    """
    row = await find_row(session, Subscription, person_id, lock=True)
    if row is None:
        raise NoPlan
    return queries.info_of(row)


async def locked_all(session: AsyncSession, ids: Collection[str]) -> dict[str, SubscriptionInfo]:
    """Return people's subscriptions by person, locked until the commit."""
    return {row.person_id: queries.info_of(row) for row in await queries.locked(session, ids)}


async def due(day: date) -> list[str]:
    """Return the people whose active plan's period has ended by a day, or whose plan is unpaid."""
    async with reading() as session:
        return await queries.due(session, day)


async def renewing(session: AsyncSession, first: date, last: date) -> list[SubscriptionInfo]:
    """Return the active plans that renew from `first` to `last`."""
    return await queries.renewing(session, first, last)
