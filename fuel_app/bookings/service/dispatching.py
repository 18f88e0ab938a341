"""Steps of bookings on the road, in the transaction of the route that they belong to.

The caller has checked who acts: a dispatcher, or the technician whose route it is. It locks shifts
before bookings.
"""

from collections.abc import Collection
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import Booking, BookingGone
from fuel_app.bookings.rules.states import STAFF, TECHNICIAN, step_allowed
from fuel_app.bookings.service import changing
from fuel_app.kit import clock


async def of_day(session: AsyncSession, day: date) -> list[Booking]:
    """Return the bookings whose windows begin on a day in New York, the soonest first."""
    starts, ends = (clock.mornings(day + timedelta(days=n), 1)[0] for n in (0, 1))
    return [queries.booking_of(row) for row in await queries.between(session, starts, ends)]


async def of_ids(
    session: AsyncSession, booking_ids: Collection[str], *, lock: bool = False
) -> dict[str, Booking]:
    """Return bookings by their ids; `lock` keeps others from changing them."""
    rows = await queries.of_ids(session, booking_ids, lock=lock)
    return {row.id: queries.booking_of(row) for row in rows}


async def take(
    session: AsyncSession,
    by: Actor,
    booking_ids: Collection[str],
    kind: str,
    note: str = "",
    **changed: Any,
) -> list[Booking]:
    """Take a step of staff with each of these bookings whose state allows it.

    Such as `publish`, `unpublish`, `hold`, `resume`: bookings that are further, or have ended, stay
    as they are. Three statements for each booking that changes.

    Args:
        changed: Other columns and their new values.

    Returns:
        Those that have taken it, as they are now.
    """
    taken = []
    for row in await queries.of_ids(session, booking_ids, lock=True):
        if step_allowed(row.state, kind, STAFF):
            await changing.step(session, row, kind, by, STAFF, note=note, **changed)
            taken.append(queries.booking_of(row))
    return taken


async def drive_on(
    session: AsyncSession, by: Actor, booking_id: str, kind: str, at: datetime
) -> Booking:
    """Take a technician's step: `drive`, `arrive`, `fuel`, or `back` to the one before.

    Args:
        at: When it was, by the technician's phone.

    Raises:
        BookingGone
        BookingChanged: If its state allows no such step.
    """
    row = await queries.find(session, booking_id, lock=True)
    if row is None:
        raise BookingGone
    await changing.step(session, row, kind, by, TECHNICIAN, at=at)
    return queries.booking_of(row)
