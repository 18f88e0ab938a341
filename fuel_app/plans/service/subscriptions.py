"""Subscriptions to plans, in the caller's transaction: start, renewal, switches, the end.

Each change is returned: `outcomes` lets the ledger and the bookings follow it.

Also one person's subscription for the download and as the account is erased.
"""

from collections.abc import Collection, Sequence
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor
from fuel_app.kit import audit, clock, outbox
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.clock import day_of, long_date
from fuel_app.kit.db.session import find_row, reading
from fuel_app.kit.errors import NothingToUndo
from fuel_app.messages import service as messages
from fuel_app.plans import queries
from fuel_app.plans.rules.plans import (
    ACTIVE,
    BY_ID,
    CANCELLED,
    PAST_DUE,
    NoPlan,
    Period,
    PlanChange,
    PlanNotActive,
    SubscriptionInfo,
)
from fuel_app.plans.tables import Subscription


async def choose_plan(session: AsyncSession, person_id: str, plan_id: str) -> None:
    """Store the plan that a new customer has chosen; it is not started."""
    session.add(Subscription(person_id=person_id, plan_id=plan_id))
    await session.flush()


async def subscription_of(
    session: AsyncSession, person_id: str, *, lock: bool = False
) -> SubscriptionInfo | None:
    """Return a person's subscription, started or not; `lock` keeps it until the commit."""
    return (await subscriptions_of(session, [person_id], lock=lock)).get(person_id)


async def subscriptions_of(
    session: AsyncSession, ids: Collection[str], *, lock: bool = False
) -> dict[str, SubscriptionInfo]:
    """Return the same of several people, by person."""
    rows = await queries.subscriptions(session, ids, lock=lock)
    return {row.person_id: queries.info_of(row) for row in rows}


def info_of(row: Subscription) -> SubscriptionInfo:
    """Return a stored subscription as the rules know it."""
    return queries.info_of(row)


async def lock_one(session: AsyncSession, person_id: str) -> SubscriptionInfo:
    """Return a person's subscription, locked until the commit.

    Raises:
        NoPlan: If none was chosen.
    """
    return queries.info_of(await _lock_row(session, person_id))


async def due_renewals(day: date) -> list[str]:
    """Return the people whose active plan's period has ended by a day, or whose plan is unpaid."""
    async with reading() as session:
        return await queries.due(session, day)


async def renewing(first: date, last: date) -> list[SubscriptionInfo]:
    """Return the active plans that renew from `first` to `last`."""
    async with reading() as session:
        return await queries.renewing(session, first, last)


async def start_plan(
    session: AsyncSession, person_id: str, plan_id: str, day: date, wording: str, actor: Actor
) -> PlanChange | None:
    """Start a plan. One that is started stays as it is.

    It may be another plan than was chosen at sign-up. Billing days are counted from the day; the
    wording is that of the button that was pressed.

    Raises:
        NoPlan: If there is no subscription, or no such plan.
    """
    row = await _lock_row(session, person_id)
    before = queries.info_of(row)
    if not before.may_start:
        return None
    _begin_period(row, plan_id, day)
    row.state, row.started_at, row.wording = ACTIVE, clock.now(), wording
    return await _change_row(session, row, before, "plan_started", actor, wording)


async def renew_all(session: AsyncSession, people: Collection[str]) -> dict[str, PlanChange]:
    """Begin the next period of active plans, or end those that were cancelled: by person.

    Plans whose period has not ended are left out. After missed days each call begins one period.
    """
    today = day_of(clock.now())
    renewed: list[PlanChange] = []
    ended: list[PlanChange] = []
    for row in await queries.subscriptions(session, people, lock=True):
        before = queries.info_of(row)
        if not before.is_active or not before.period_ends or before.period_ends > today:
            continue
        if before.following:
            [_, (period, plan)] = before.periods
            row.plan_id, row.pending_plan_id = plan.id, None
            row.period_starts, row.period_ends = period.starts, period.ends
            renewed.append(PlanChange(before, queries.info_of(row)))
        else:
            row.state = CANCELLED
            ended.append(PlanChange(before, queries.info_of(row)))
            what, since = f"{before.plan.name} ended", before.period_ends
            await _announce(session, before, what, since, ends=True)
    await _store(session, renewed, "plan_renewed", SYSTEM)
    await _store(session, ended, "plan_ended", SYSTEM)
    return {change.after.person_id: change for change in (*renewed, *ended)}


async def switch_now(
    session: AsyncSession, person_id: str, plan_id: str, day: date, actor: Actor
) -> PlanChange | None:
    """Switch to a plan at once: a new period begins, whose day is the billing day from now on.

    A second press changes nothing.

    Raises:
        NoPlan: If there is no subscription, or no such plan.
        PlanNotActive
    """
    row = await _lock_active(session, person_id)
    before = queries.info_of(row)
    if before.plan.id == plan_id:
        return None
    _begin_period(row, plan_id, day)
    return await _change_row(session, row, before, "plan_switched", actor)


async def switch_later(
    session: AsyncSession, person_id: str, plan_id: str, actor: Actor
) -> PlanChange:
    """Let another plan follow at the period's end. Raises the same as `switch_now`."""
    row = await _lock_active(session, person_id)
    if plan_id not in BY_ID:
        raise NoPlan
    return await _set_next(session, row, plan_id, actor)


async def cancel_later(
    session: AsyncSession, person_id: str, actor: Actor, *, why: str = ""
) -> PlanChange:
    """Let the plan end with its period. Raises the same as `switch_now`.

    Args:
        why: The end of the sentence that tells the customer, where they have not asked for it.
    """
    row = await _lock_active(session, person_id)
    return await _set_next(session, row, None, actor, why=why)


async def undo_change(session: AsyncSession, person_id: str, actor: Actor) -> PlanChange:
    """Undo `switch_later` or `cancel_later`.

    Raises:
        NothingToUndo: If neither waits.
        NoPlan, PlanNotActive: As `switch_now`.
    """
    row = await _lock_active(session, person_id)
    if queries.info_of(row).following == BY_ID[row.plan_id]:
        raise NothingToUndo
    return await _set_next(session, row, row.plan_id, actor)


async def _set_next(
    session: AsyncSession, row: Subscription, plan_id: str | None, actor: Actor, *, why: str = ""
) -> PlanChange:
    """Set the plan of the next period; with None this period is the last one."""
    before = queries.info_of(row)
    row.cancel_at_period_end = plan_id is None
    row.pending_plan_id = plan_id if plan_id != row.plan_id else None
    after = queries.info_of(row)
    since = after.period_ends
    if after == before or since is None:
        return PlanChange(before, after)
    if after.following is None:
        kind, what = "plan_ends", f"{after.plan.name} cancelled{why}"
    elif after.pending:
        kind, what = "plan_switches", f"Switch to the {after.pending.name}"
    else:
        kind, what = "plan_kept", f"{after.plan.name} kept"
    change = await _change_row(session, row, before, kind, actor)
    await _announce(session, after, what, since, ends=not after.following)
    return change


async def set_paid(
    session: AsyncSession, person_id: str, starts: date | None, *, is_paid: bool
) -> PlanChange | None:
    """Note whether the period from a day on is paid: nothing is reserved while it is not.

    The payment of a former period changes nothing.
    """
    former, state = (PAST_DUE, ACTIVE) if is_paid else (ACTIVE, PAST_DUE)
    row = await find_row(session, Subscription, person_id, lock=True)
    if row is None or row.state != former or row.period_starts != starts:
        return None
    before = queries.info_of(row)
    row.state = state
    return await _change_row(session, row, before, f"plan_{state}", SYSTEM)


async def end_plan(session: AsyncSession, person_id: str, actor: Actor) -> PlanChange | None:
    """End a started plan at once."""
    row = await find_row(session, Subscription, person_id, lock=True)
    before = queries.info_of(row) if row else None
    if row is None or before is None or before.may_start:
        return None
    row.state = CANCELLED
    change = await _change_row(session, row, before, "plan_ended", actor)
    if str(actor) != person_id:  # who closes the account is told of that
        await _announce(
            session, before, f"{before.plan.name} ended", day_of(clock.now()), ends=True
        )
    return change


async def _lock_row(session: AsyncSession, person_id: str) -> Subscription:
    row = await find_row(session, Subscription, person_id, lock=True)
    if row is None:
        raise NoPlan
    return row


async def _lock_active(session: AsyncSession, person_id: str) -> Subscription:
    row = await _lock_row(session, person_id)
    if row.state != ACTIVE:
        raise PlanNotActive
    return row


def _begin_period(row: Subscription, plan_id: str, day: date) -> None:
    """Count the periods of a plan from a day on."""
    if plan_id not in BY_ID:
        raise NoPlan
    period = Period.of(day, day)
    row.plan_id, row.anchor = plan_id, day
    row.period_starts, row.period_ends = period.starts, period.ends
    row.cancel_at_period_end, row.pending_plan_id = False, None


async def _change_row(
    session: AsyncSession,
    row: Subscription,
    before: SubscriptionInfo,
    kind: str,
    actor: Actor,
    what: str = "",
) -> PlanChange:
    """Store a change. The caller lets the ledger and the bookings follow it."""
    change = PlanChange(before, queries.info_of(row))
    await _store(session, [change], kind, actor, what)
    return change


async def _store(
    session: AsyncSession, changes: Sequence[PlanChange], kind: str, actor: Actor, what: str = ""
) -> None:
    """Store changed subscriptions, each with an entry of the audit log."""
    if not changes:
        return
    await session.flush()
    audited = [
        Change(each.after.person_id, _audited(each.before), _audited(each.after, what))
        for each in changes
    ]
    await audit.record(session, Action("person", kind, str(actor)), audited)


def _audited(info: SubscriptionInfo, what: str = "") -> dict[str, str]:
    found = {"what": what or info.plan.name, "state": info.state}
    if info.following != info.plan:
        found["next"] = info.following.name if info.following else "none"
    return found


async def _announce(
    session: AsyncSession, info: SubscriptionInfo, what: str, since: date, *, ends: bool = False
) -> None:
    plan = info.following or info.plan
    amount = "None" if ends else f"{plan.price} a month"
    payload = {"plan": plan.name, "amount": amount, "since": long_date(since), "what": what}
    await outbox.add_all(session, messages.drafts("plan_changed", info.person_id, payload))


_OF_ENTRY = {"kind", "bucket", "period", "fills", "booking_id", "reason", "at"}


async def export_person(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's subscription, and the entries of their ledger, the newest first."""
    found = await find_row(session, Subscription, person_id)
    return {
        "subscription": found.model_dump(exclude={"person_id"}) if found else None,
        "ledger": [
            each.model_dump(include=_OF_ENTRY) for each in await queries.entries(session, person_id)
        ],
    }


async def erase_person(session: AsyncSession, person_id: str) -> None:
    """Remove what the staff wrote; numbers and ids stay."""
    await queries.forget_reasons(session, person_id)
