"""Subscriptions to plans."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.plans import queries
from fuel_app.plans.rules.plans import Plan, plan_of


async def choose(session: AsyncSession, person_id: str, plan_id: str) -> None:
    """Store the plan that a new customer has chosen, in the caller's transaction."""
    await queries.add(session, person_id, plan_id)


async def plan(session: AsyncSession, person_id: str) -> Plan | None:
    """Return a person's plan, started or not."""
    found = await queries.find(session, person_id)
    return plan_of(found.plan_id) if found else None
