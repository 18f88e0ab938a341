"""Queries on subscriptions."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.plans.tables import Subscription


async def add(session: AsyncSession, person_id: str, plan_id: str) -> None:
    """Store the plan that a new customer has chosen; it is not started."""
    session.add(Subscription(person_id=person_id, plan_id=plan_id))
    await session.flush()


async def find(session: AsyncSession, person_id: str) -> Subscription | None:
    """Return a person's subscription."""
    return await session.get(Subscription, person_id)
