"""Members of neighborhoods who count for money: customers with a verified e-mail."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.customers.tables import StoredCustomer
from fuel_app.neighborhoods.rules import TIERS
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.plans.rules.plans import ACTIVE, PAST_DUE
from fuel_app.plans.tables import Subscription
from fuel_app.waitlist.tables import WaitlistSubmission

_neighborhood, _name = col(Neighborhood.id), col(Neighborhood.name)
_told = col(Neighborhood.told_tier)
_customer, _entry = col(StoredCustomer.person_id), col(StoredCustomer.submission_id)
_of, _submission = col(WaitlistSubmission.neighborhood_id), col(WaitlistSubmission.id)
_confirmed = (col(Person.email_verified_at).is_not(None), col(Person.deactivated_at).is_(None))


def _counts() -> Select[Any, Any]:
    """Select the neighborhoods that have such members, and how many."""
    linked = select(_of, func.count().label("confirmed")).join(
        StoredCustomer, _entry == _submission
    )
    return linked.join(Person, col(Person.id) == _customer).where(*_confirmed).group_by(_of)


async def confirmed(
    session: AsyncSession, person_ids: Collection[str]
) -> dict[str, tuple[str, int]]:
    """Return the neighborhoods of customers by name, with their confirmed members."""
    theirs = select(_customer, _of).join(WaitlistSubmission, _submission == _entry)
    own = theirs.where(_customer.in_(person_ids), _of.is_not(None)).cte("own")
    counts = _counts().where(_of.in_(select(own.c.neighborhood_id))).subquery()
    count = func.coalesce(counts.c.confirmed, 0)
    found = select(own.c.person_id, _name, count).join(
        Neighborhood, _neighborhood == own.c.neighborhood_id
    )
    rows = await session.execute(
        found.outerjoin(counts, counts.c.neighborhood_id == own.c.neighborhood_id)
    )
    return {person_id: (name, members) for person_id, name, members in rows}


async def of_neighborhood(session: AsyncSession, neighborhood_id: str) -> int:
    """Return the confirmed members of a neighborhood."""
    row = (await session.execute(_counts().where(_of == neighborhood_id))).first()
    return row.confirmed if row else 0


async def tiers(session: AsyncSession) -> list[tuple[str, str, int, int]]:
    """Return id, name, told tier and confirmed members, where a tier is or was reached."""
    counts = _counts().subquery()
    count = func.coalesce(counts.c.confirmed, 0)
    all_of = select(_neighborhood, _name, _told, count).outerjoin(
        counts, counts.c.neighborhood_id == _neighborhood
    )
    reached = (_told > 0) | (count >= TIERS[1].members_needed)
    rows = await session.execute(all_of.where(reached).order_by(_neighborhood))
    return [(row[0], row[1], row[2], row[3]) for row in rows]


async def set_told(session: AsyncSession, neighborhood_id: str, before: int, after: int) -> bool:
    """Store the tier that members are told of; False if another job has done it."""
    same = update(Neighborhood).where(_neighborhood == neighborhood_id, _told == before)
    return await session.scalar(same.values(told_tier=after).returning(_neighborhood)) is not None


async def subscribers(session: AsyncSession, neighborhood_id: str) -> list[str]:
    """Return the members of a neighborhood who have a plan."""
    theirs = select(_customer).join(WaitlistSubmission, _submission == _entry)
    theirs = theirs.join(Subscription, col(Subscription.person_id) == _customer)
    has_plan = col(Subscription.state).in_((ACTIVE, PAST_DUE))
    found = theirs.where(_of == neighborhood_id, has_plan).order_by(_customer)
    return list(await session.scalars(found))
