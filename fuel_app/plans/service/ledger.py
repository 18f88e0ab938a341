"""The ledger of fills, in the caller's transaction: what is left, and what a booking takes.

An entry's key lets it happen once: a second call with the same booking and revision does nothing.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor
from fuel_app.plans import queries
from fuel_app.plans.queries import BalanceKey
from fuel_app.plans.rules.ledger import (
    GRANTED,
    PLAN,
    RELEASED,
    RESERVED,
    USED,
    Allowance,
    NoFillsLeft,
    Reservation,
    grant_of,
)
from fuel_app.plans.tables import LedgerEntry


async def allowance(
    session: AsyncSession, person_id: str, day: date, bucket: str = PLAN
) -> Allowance | None:
    """Return the fills for a window on this day in New York: this period's or the next's.

    Guest fills are the quarter's. None where no active plan reaches the day, or it has none. What
    is granted with the first reservation counts.
    """
    subscription = (await queries.infos(session, [person_id])).get(person_id)
    grant = grant_of(subscription, bucket, day)
    return (await as_stored(session, [grant]))[grant.key] if grant else None


async def as_stored(session: AsyncSession, grants: Collection[Allowance]) -> dict[str, Allowance]:
    """Return grants with what is stored of them, by their keys; by default they are untouched."""
    stored = await queries.balances(session, [grant.balance_key for grant in grants])
    found = {}
    for grant in grants:
        fills, rolled, left = stored.get(grant.balance_key, (grant.fills, 0, grant.left))
        found[grant.key] = replace(grant, fills=fills, rolled=rolled, left=left)
    return found


async def reserve(session: AsyncSession, wanted: Sequence[Reservation]) -> None:
    """Take a fill for each of some bookings, which take it from different balances.

    The transaction keeps the subscriptions as they are.

    Raises:
        NoFillsLeft: If one finds none left, or no active plan reaches its day.
    """
    grants: dict[str, Allowance] = {}
    entries = []
    for each in wanted:
        if each.grant is None:
            raise NoFillsLeft
        key = f"reserve:{each.booking_id}:{each.revision}"
        about = {"actor": each.actor, "booking_id": each.booking_id}
        entry = entry_of(each.grant.balance_key, key, RESERVED, -1, **about)
        grants[entry.id] = each.grant
        entries.append(entry)
    short = await queries.take(session, entries)
    for entry in short:
        await _grant(session, grants[entry.id], entry.actor)
    if short and await queries.take(session, short):
        raise NoFillsLeft


def entry_of(where: BalanceKey, key: str, kind: str, fills: int, **more: Any) -> LedgerEntry:
    """Return a new entry of a balance, by default the system's."""
    person_id, period, bucket = where
    about = {"person_id": person_id, "period": period, "bucket": bucket, "actor": str(SYSTEM)}
    return LedgerEntry(key=key, kind=kind, fills=fills, **about | more)


async def release(
    session: AsyncSession, booking_id: str, revision: int | str, actor: Actor
) -> None:
    """Return a booking's fill to the period that it was taken from, unless it is used."""
    await _end(session, f"release:{booking_id}:{revision}", RELEASED, 1, booking_id, actor)


async def use(session: AsyncSession, booking_id: str, actor: Actor) -> None:
    """Note that a booking's fill was delivered; the balance has been without it since."""
    await _end(session, f"use:{booking_id}", USED, 0, booking_id, actor)


async def give(
    session: AsyncSession, person_id: str, bucket: str, day: date, actor: Actor
) -> Allowance | None:
    """Grant the fills of a day's period, once; None where no active plan reaches the day."""
    found = await queries.infos(session, [person_id], shared=True)
    grant = grant_of(found.get(person_id), bucket, day)
    if grant:
        await _grant(session, grant, str(actor))
    return grant


async def _grant(session: AsyncSession, grant: Allowance, actor: str) -> None:
    """Grant the fills of a period, unless they have been granted."""
    entry = entry_of(grant.balance_key, grant.key, GRANTED, grant.fills, actor=actor)
    await queries.add_entry(session, entry)


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
