"""The ledger of fills, in the caller's transaction: what is left, and what a booking takes.

An entry's key lets it happen once: a second call with the same booking and revision does nothing.
"""

from dataclasses import replace
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.plans import queries
from fuel_app.plans.rules.ledger import (
    GRANTED,
    GUEST,
    PLAN,
    RELEASED,
    RESERVED,
    USED,
    Allowance,
    NoFillsLeft,
    grant_of,
)
from fuel_app.plans.rules.subscriptions import SubscriptionInfo
from fuel_app.plans.tables import LedgerEntry


async def allowance(session: AsyncSession, person_id: str, day: date) -> Allowance | None:
    """Return the plan's fills for a window on this day in New York: this period's or the next's.

    None where no active plan reaches the day. What is granted with the first reservation counts.
    """
    return await allowance_of(session, await queries.info(session, person_id), PLAN, day)


async def guest_allowance(session: AsyncSession, person_id: str, day: date) -> Allowance | None:
    """Return the guest fills of the day's quarter; None where the plan has none."""
    return await allowance_of(session, await queries.info(session, person_id), GUEST, day)


async def allowance_of(
    session: AsyncSession, subscription: SubscriptionInfo | None, bucket: str, day: date
) -> Allowance | None:
    """Return the same of a subscription that is known."""
    grant = grant_of(subscription, bucket, day) if subscription else None
    if subscription is None or grant is None:
        return None
    stored = await queries.balance(session, subscription.person_id, grant.period, bucket)
    return replace(grant, fills=stored[0], left=stored[1]) if stored else grant


async def reserve(
    session: AsyncSession,
    subscription: SubscriptionInfo | None,
    bucket: str,
    day: date,
    booking_id: str,
    revision: int,
    actor: Actor,
) -> date:
    """Take a fill for a booking whose window is on this day. Return the period's first day.

    Args:
        subscription: Read in this transaction by `subscriptions.of(..., shared=True)`.

    Raises:
        NoFillsLeft: If none is left, or no active plan reaches the day. Nothing is taken, and the
            transaction may go on.
    """
    grant = grant_of(subscription, bucket, day) if subscription else None
    if subscription is None or grant is None:
        raise NoFillsLeft
    where = {"person_id": subscription.person_id, "period": grant.period, "bucket": bucket}
    taken = (f"reserve:{booking_id}:{revision}", RESERVED, -1)
    try:
        await add(session, actor, *taken, **where, booking_id=booking_id)
    except NoFillsLeft:
        await add(session, actor, grant.key, GRANTED, grant.fills, **where)  # unless it was
        await add(session, actor, *taken, **where, booking_id=booking_id)
    return grant.period


async def release(session: AsyncSession, booking_id: str, revision: int, actor: Actor) -> None:
    """Return a booking's fill to the period that it was taken from, unless it is used."""
    await _end(session, f"release:{booking_id}:{revision}", RELEASED, 1, booking_id, actor)


async def use(session: AsyncSession, booking_id: str, actor: Actor) -> None:
    """Note that a booking's fill was delivered; the balance has been without it since."""
    await _end(session, f"use:{booking_id}", USED, 0, booking_id, actor)


async def give(
    session: AsyncSession, person_id: str, bucket: str, day: date, actor: Actor
) -> Allowance | None:
    """Grant the fills of a day's period, once; None where no active plan reaches the day."""
    found = await queries.info(session, person_id, shared=True)
    grant = grant_of(found, bucket, day) if found else None
    if grant:
        where = {"person_id": person_id, "period": grant.period, "bucket": bucket}
        await add(session, actor, grant.key, GRANTED, grant.fills, **where)
    return grant


async def add(
    session: AsyncSession, actor: Actor, key: str, kind: str, fills: int, **more: Any
) -> bool:
    """Add an entry. Return False where its key is known already.

    Raises:
        NoFillsLeft: If the balance would be negative; nothing is added.
    """
    entry = LedgerEntry(key=key, kind=kind, fills=fills, actor=str(actor), **more)
    return await queries.add_entry(session, entry)


async def _end(
    session: AsyncSession, key: str, kind: str, fills: int, booking_id: str, actor: Actor
) -> None:
    found = await queries.reservation(session, booking_id)
    if found:
        await add(session, actor, key, kind, fills, **found, booking_id=booking_id)
