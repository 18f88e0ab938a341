"""Queries on the places of slots. A place is a row: free, held until a time, or a booking's.

The caller has locked the area's row (shared), so the capacity stays until the commit.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Table,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.bookings.tables import SlotPlace
from fuel_app.kit.db.session import insert_new

_PLACES: Table = SlotPlace.__table__  # pyright: ignore[reportAttributeAccessIssue]
_slot, _place = col(SlotPlace.slot_id), col(SlotPlace.place)
_hold, _until = col(SlotPlace.hold_id), col(SlotPlace.held_until)
_for, _booking = col(SlotPlace.held_for), col(SlotPlace.booking_id)
_FREE: dict[str, Any] = {"hold_id": None, "held_until": None, "held_for": ""}
_UNSYNCED = {"synchronize_session": False}


@dataclass(frozen=True, slots=True)
class Taker:
    """The taker of a place: a booking, or a hold until it expires."""

    hold_id: str = ""  # a place held by it is theirs, when it has lapsed, too
    booking_id: str | None = None
    held_until: datetime | None = None
    held_for: str = ""

    @property
    def values(self) -> dict[str, Any]:
        if self.booking_id:
            return _FREE | {"booking_id": self.booking_id}
        held = {"held_until": self.held_until, "held_for": self.held_for}
        return {"hold_id": self.hold_id, **held, "booking_id": None}


def _is_free(now: datetime, hold_ids: Sequence[str]) -> ColumnElement[bool]:
    return and_(_booking.is_(None), or_(_hold.is_(None), _until <= now, _hold.in_(hold_ids)))


async def taken(
    session: AsyncSession, slot_ids: Collection[str], now: datetime, hold_id: str = ""
) -> dict[str, int]:
    """Return how many places of each slot are taken, those held by others included."""
    counted = select(_slot, func.count()).where(_slot.in_(slot_ids), ~_is_free(now, [hold_id]))
    rows = await session.execute(counted.group_by(_slot))
    return {slot_id: count for slot_id, count in rows}


async def take(
    session: AsyncSession, slot_id: str, capacity: int, now: datetime, taker: Taker
) -> bool:
    """Take a place of a slot, in place of the one held before. Return False if it is full."""
    free = await lock_free(session, slot_id, capacity, now, [taker.hold_id])
    place = (free or [None])[0]
    if place is None:
        return False
    if taker.hold_id:
        await release(session, taker.hold_id)  # after `lock_free`, which may wait (lock order)
    await fill(session, [(slot_id, place, taker)])
    return True


async def lock_free(
    session: AsyncSession,
    slot_id: str,
    capacity: int,
    now: datetime,
    hold_ids: Sequence[str],
    *,
    waits: bool = True,
) -> list[int | None] | None:
    """Lock a free place of a slot for each of some takers; those with a held place get their own.

    Args:
        session: Of a transaction that holds the area's lock.
        capacity: The slot's places by now; rows are added or removed accordingly.
        hold_ids: Of the takers, '' without a hold.
        waits: For places that others have locked, if all free ones are. A transaction that has
            locked places may not: two of them could wait for each other.

    Returns:
        Each taker's place, None where others may have locked the last ones; or None for a slot
        that is full.
    """
    found = await _lock(session, slot_id, now, hold_ids, waits=False, capacity=capacity)
    if not found:
        states = select(_place, _booking, _hold, _is_free(now, hold_ids)).where(_slot == slot_id)
        rows = (await session.execute(states)).all()
        if len(rows) < capacity:
            await _add(session, slot_id, capacity - len(rows), {row[0] for row in rows})
        elif len(rows) > capacity:
            free = sorted((row[2] in hold_ids, -row[0]) for row in rows if row[3])
            surplus = [-place for _, place in free[: len(rows) - capacity]]
            await _remove(session, slot_id, surplus, now, hold_ids)
        elif all(row[1] for row in rows):
            return None
        # One that was locked a moment ago may be free again: its taker may have failed.
        found = await _lock(session, slot_id, now, hold_ids, waits=waits)
        if not found and waits:
            return None
    own = {hold_id: place for place, hold_id in found if hold_id in hold_ids}
    others = iter([place for place, hold_id in found if hold_id not in own])
    return [own.pop(hold_id, None) or next(others, None) for hold_id in hold_ids]


async def _add(session: AsyncSession, slot_id: str, count: int, known: set[int]) -> None:
    numbers = [each for each in range(1, len(known) + count + 1) if each not in known][:count]
    rows = [{"slot_id": slot_id, "place": number, "held_for": ""} for number in numbers]
    await session.execute(insert_new(session, SlotPlace).values(rows))


async def _remove(
    session: AsyncSession, slot_id: str, numbers: list[int], now: datetime, hold_ids: Sequence[str]
) -> None:
    surplus = delete(SlotPlace).where(_slot == slot_id, _place.in_(numbers))
    await session.execute(surplus.where(_is_free(now, hold_ids)), execution_options=_UNSYNCED)


async def _lock(
    session: AsyncSession,
    slot_id: str,
    now: datetime,
    hold_ids: Sequence[str],
    *,
    waits: bool,
    capacity: int | None = None,
) -> list[tuple[int, str | None]]:
    """Lock free places in order, as many as there are takers. Return them with their holds.

    Args:
        waits: For those that others have locked; else they are skipped.
        capacity: Only where the slot has so many rows.
    """
    own_first = case((_hold.in_(hold_ids), 0), else_=1)
    free = select(_place, _hold).where(_slot == slot_id, _is_free(now, hold_ids))
    if capacity is not None:
        rows = select(func.count()).select_from(SlotPlace).where(_slot == slot_id)
        free = free.where(rows.scalar_subquery() == capacity)
    some = free.order_by(own_first, _place).limit(len(hold_ids))
    locked = some.with_for_update(skip_locked=not waits)
    return [(row[0], row[1]) for row in await session.execute(locked)]


async def fill(session: AsyncSession, taken: Sequence[tuple[str, int, Taker]]) -> None:
    """Give locked places, by slot and number, to their takers."""
    theirs = update(_PLACES).where(
        _PLACES.c.slot_id == bindparam("of_slot"), _PLACES.c.place == bindparam("number")
    )
    rows = [{"of_slot": slot, "number": place} | taker.values for slot, place, taker in taken]
    await session.execute(theirs, rows)


async def leave(session: AsyncSession, booking_id: str) -> None:
    """Free the place of a booking."""
    theirs = update(SlotPlace).where(_booking == booking_id)
    await session.execute(theirs.values(booking_id=None), execution_options=_UNSYNCED)


async def release(session: AsyncSession, *hold_ids: str) -> None:
    """Free the places of holds."""
    theirs = update(SlotPlace).where(_hold.in_(hold_ids))
    await session.execute(theirs.values(_FREE), execution_options=_UNSYNCED)


async def held_for(session: AsyncSession, address: str, now: datetime, but: str) -> int:
    """Return how many places a network address holds besides one hold.

    It locks nothing: a race that lets one more through does no harm.
    """
    # Without a hold an address stands in no index.
    live = select(func.count()).where(_for == address, _hold.is_not(None), _until > now)
    return await session.scalar(live.where(_hold != but)) or 0
