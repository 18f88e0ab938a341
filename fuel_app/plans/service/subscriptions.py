"""Subscriptions to plans, in the caller's transaction."""

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.service import deletion
from fuel_app.kit import audit
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.clock import day_of, now
from fuel_app.plans import queries
from fuel_app.plans.rules.subscriptions import (
    ACTIVE,
    CANCELLED,
    NoPlan,
    OtherWording,
    Period,
    SubscriptionInfo,
    start_wording,
)
from fuel_app.plans.service import ledger
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


async def start(session: AsyncSession, person_id: str, seen: str, actor: Actor) -> SubscriptionInfo:
    """Start a plan today, with a month's fills. One that is started stays as it is.

    Args:
        session: Of the transaction.
        person_id: The subscriber.
        seen: The words on the button that was pressed.
        actor: The person who pressed it.

    Raises:
        NoPlan: If none was chosen.
        OtherWording: If the plan or its price has changed since.
    """
    row = await queries.find(session, person_id, lock=True)
    if row is None:
        raise NoPlan
    before = queries.info_of(row)
    if not before.may_start:
        return before
    if seen != start_wording(before.plan):
        raise OtherWording
    at = now()
    period = Period.of(day_of(at), day_of(at))
    row.state, row.started_at, row.wording, row.anchor = ACTIVE, at, seen, period.starts
    row.period_starts, row.period_ends = period.starts, period.ends
    row.cancel_at_period_end, row.pending_plan_id = False, None
    await session.flush()
    await ledger.give(session, row.person_id, ledger.PLAN, period.starts, actor)
    await _record(session, "plan_started", row, before, actor)
    return queries.info_of(row)


@deletion.at_closing
async def cancel(session: AsyncSession, person_id: str, actor: Actor) -> None:
    """End a started plan at once."""
    row = await queries.find(session, person_id, lock=True)
    if row is None or row.started_at is None or row.state == CANCELLED:
        return
    before = queries.info_of(row)
    row.state = CANCELLED
    await session.flush()
    await _record(session, "plan_cancelled", row, before, actor)


async def _record(
    session: AsyncSession, kind: str, row: Subscription, before: SubscriptionInfo, actor: Actor
) -> None:
    after = {"what": row.wording or before.plan.name, "state": row.state}
    change = Change(row.person_id, {"state": before.state}, after)
    await audit.record(session, Action("person", kind, str(actor)), [change])
