"""Customers with plans, and what their ledgers hold."""

from datetime import date

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.outcomes.service import consequences
from fuel_app.plans import queries
from fuel_app.plans.rules.ledger import PLAN, Reservation, grant_of
from fuel_app.plans.rules.plans import BY_ID
from fuel_app.plans.service import ledger, subscriptions
from fuel_app.plans.tables import LedgerEntry
from tests.helpers.people import a_person


def actor(person_id: str) -> Actor:
    return Actor(frozenset({Role.CUSTOMER}), person_id)


def today() -> date:
    return clock.day_of(clock.now())


async def chosen(plan_id: str = "family", **more: str) -> str:
    """Return the id of a new customer who has not started the plan."""
    person = await a_person(**more)
    async with transaction() as session:
        await subscriptions.choose_plan(session, person.id, plan_id)
    return person.id


async def start(person_id: str, plan_id: str = "family") -> None:
    async with transaction() as session:
        words = f"Start {BY_ID[plan_id].name.removesuffix(' Plan')}"
        started = await subscriptions.start_plan(
            session, person_id, plan_id, today(), words, actor(person_id)
        )
        await consequences.plans_changed(session, started)


async def started(plan_id: str = "family") -> str:
    """Return the id of a new customer with a plan that starts today."""
    person_id = await chosen(plan_id)
    await start(person_id, plan_id)
    return person_id


async def entries(person_id: str) -> list[tuple[str, int]]:
    """Return kind and fills of each entry, as they were added."""
    async with reading() as session:
        theirs = select(LedgerEntry).where(col(LedgerEntry.person_id) == person_id)
        found = await session.scalars(theirs.order_by(col(LedgerEntry.at)))
        return [(each.kind, each.fills) for each in found]


async def fills_left() -> dict[tuple[date, str], int]:
    """Return what is left of each period and bucket, of all people together."""
    async with reading() as session:
        period, bucket = col(LedgerEntry.period), col(LedgerEntry.bucket)
        sums = select(period, bucket, func.sum(col(LedgerEntry.fills))).group_by(period, bucket)
        return {(row[0], row[1]): row[2] for row in await session.execute(sums)}


async def all_fills_left() -> list[int]:
    """Return what is left of each person's period and bucket, the oldest period first."""
    async with reading() as session:
        keys = col(LedgerEntry.period), col(LedgerEntry.person_id), col(LedgerEntry.bucket)
        sums = select(func.sum(col(LedgerEntry.fills))).group_by(*keys).order_by(*keys)
        return list(await session.scalars(sums))


async def balance(person_id: str, period: date, bucket: str = PLAN) -> int | None:
    async with reading() as session:
        found = await queries.balances(session, [(person_id, period, bucket)])
        return found[person_id, period, bucket][2] if found else None


async def reserve(
    session: AsyncSession,
    person_id: str,
    day: date,
    booking: str,
    *,
    bucket: str = PLAN,
    revision: int = 1,
) -> date:
    """Take a fill for a booking, as booking does. Return the first day of its period."""
    grant = grant_of(
        await subscriptions.subscription_of(session, person_id, lock=True), bucket, day
    )
    wanted = Reservation(grant, booking, booking, revision, str(actor(person_id)))
    await ledger.reserve_fill(session, wanted)
    assert grant
    return grant.period
