"""A plan's periods in tests: each change in a transaction of its own, on a day that is set."""

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import SYSTEM
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.outcomes.service import consequences
from fuel_app.plans.rules.ledger import PLAN
from fuel_app.plans.rules.plans import BY_ID, Period, Plan, SubscriptionInfo
from fuel_app.plans.service import subscriptions
from fuel_app.plans.tables import LedgerEntry
from tests.helpers import plans
from tests.helpers.plans import actor, chosen

SOLO, FAMILY, BIG = BY_ID.values()
MARCH_1, APRIL_1, MAY_1 = date(2027, 3, 1), date(2027, 4, 1), date(2027, 5, 1)
NEW_YORK = ZoneInfo("America/New_York")


def on(monkeypatch: pytest.MonkeyPatch, day: date, at: time = time(0, 5)) -> None:
    """Set the clock to a day in New York."""
    moment = datetime.combine(day, at, NEW_YORK).astimezone(ZoneInfo("UTC"))
    monkeypatch.setattr(clock, "now", lambda: moment)


@pytest.fixture
def march_1(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it be March 1."""
    on(monkeypatch, MARCH_1)


async def begun(day: date, plan_id: str = "family") -> str:
    """Return the id of a new customer with a plan that starts on a day."""
    person_id = await chosen(plan_id)
    await start(person_id, day, plan_id)
    return person_id


async def start(person_id: str, day: date, plan_id: str = "family") -> SubscriptionInfo:
    async with transaction() as session:
        who = actor(person_id)
        started = await subscriptions.start_plan(session, person_id, plan_id, day, "Start", who)
        await consequences.plans_changed(session, started)
    return await info(person_id)


async def reserve(person_id: str, day: date, booking: str, **more: Any) -> None:
    async with transaction() as session:
        await plans.reserve(session, person_id, day, booking, **more)


async def renew(person_id: str) -> tuple[Plan | None, Period] | None:
    """Return the plan and the period that have begun, if any; no plan if it has ended."""
    async with transaction() as session:
        change = (await subscriptions.renew_all(session, [person_id])).get(person_id)
        await consequences.plans_changed(session, change)
    if not change:
        return None
    after = change.after
    assert after.period_starts
    assert after.period_ends
    plan = after.plan if after.is_active else None
    return plan, Period(after.period_starts, after.period_ends)


async def switch(person_id: str, plan_id: str, day: date) -> SubscriptionInfo:
    async with transaction() as session:
        who = actor(person_id)
        switched = await subscriptions.switch_now(session, person_id, plan_id, day, who)
        await consequences.plans_changed(session, switched)
    return await info(person_id)


async def later(person_id: str, plan_id: str = "") -> SubscriptionInfo:
    """Switch at the period's end, or cancel."""
    async with transaction() as session:
        who = actor(person_id)
        if plan_id:
            change = await subscriptions.switch_later(session, person_id, plan_id, who)
        else:
            change = await subscriptions.cancel_later(session, person_id, who)
        await consequences.plans_changed(session, change)
        return change.after


async def undo(person_id: str) -> SubscriptionInfo:
    async with transaction() as session:
        change = await subscriptions.undo_change(session, person_id, actor(person_id))
        await consequences.plans_changed(session, change)
        return change.after


async def end(person_id: str, by: Any = SYSTEM) -> None:
    async with transaction() as session:
        ended = await subscriptions.end_plan(session, person_id, by)
        await consequences.plans_changed(session, ended)


async def _starts(session: AsyncSession, person_id: str) -> date | None:
    found = await subscriptions.subscription_of(session, person_id)
    return found.period_starts if found else None


async def past_due(person_id: str) -> None:
    async with transaction() as session:
        starts = await _starts(session, person_id)
        unpaid = await subscriptions.set_paid(session, person_id, starts, is_paid=False)
        await consequences.plans_changed(session, unpaid)


async def active_again(person_id: str) -> None:
    async with transaction() as session:
        starts = await _starts(session, person_id)
        paid = await subscriptions.set_paid(session, person_id, starts, is_paid=True)
        await consequences.plans_changed(session, paid)


async def info(person_id: str) -> SubscriptionInfo:
    async with reading() as session:
        found = await subscriptions.subscription_of(session, person_id)
    assert found
    return found


async def balances(person_id: str, bucket: str = PLAN) -> dict[date, int]:
    async with reading() as session:
        period, left = col(LedgerEntry.period), func.sum(col(LedgerEntry.fills))
        theirs = col(LedgerEntry.person_id) == person_id, col(LedgerEntry.bucket) == bucket
        sums = select(period, left).where(*theirs)
        return {row[0]: row[1] for row in await session.execute(sums.group_by(period))}


def days(first: date, count: int) -> list[date]:
    return [first + timedelta(days=n) for n in range(count)]
