"""Bookings on the road: read, locked and stepped in the transaction of the route they belong to.

The caller has checked who acts: a dispatcher, or the technician whose route it is. It locks shifts
before bookings.
"""

from collections.abc import Collection
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.bookings import queries
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, NeedsReason, NotThereYet
from fuel_app.bookings.rules.fills import Booked, DayFills, Sold, costs_late_fee
from fuel_app.bookings.rules.states import (
    CANCELLED,
    CAR_MISSED,
    COMPLETED,
    EN_ROUTE,
    FAILED,
    FILLED,
    NOT_FILLED,
    REASONS,
    RECORDS,
    STAFF,
    TECHNICIAN,
    step_allowed,
)
from fuel_app.bookings.service import authorizations, changes, fills, notifications
from fuel_app.kit import clock
from fuel_app.kit.contact import text
from fuel_app.kit.money import Money


async def of_day(session: AsyncSession, day: date) -> list[Booking]:
    """Return the bookings whose windows begin on a day in New York, the soonest first."""
    starts, ends = (clock.morning(day + timedelta(days=n)) for n in (0, 1))
    return [queries.booking_of(row) for row in await queries.between(session, starts, ends)]


async def fills_of_day(session: AsyncSession, day: date) -> DayFills:
    """Count a day's fill-ups, by their windows: two statements."""
    starts, ends = (clock.morning(day + timedelta(days=n)) for n in (0, 1))
    counts = await queries.count_states(session, starts, ends)
    filled, milligallons, billed, cents = await queries.sum_fills(session, starts, ends)
    return DayFills(
        scheduled=sum(n for state, n in counts.items() if state != CANCELLED),
        completed=counts.get(COMPLETED, 0),
        average_milligallons=(2 * milligallons + filled) // (2 * filled) if filled else 0,
        average=Money(cents).per(billed),
    )


async def sold_between(session: AsyncSession, first: date, last: date) -> list[Sold]:
    """Return the billed fills of some days by area and grade, by their windows: one statement."""
    starts, ends = (clock.morning(day) for day in (first, last + timedelta(days=1)))
    return [
        Sold(area_id, grade, fills, milligallons, Money(cents))
        for area_id, grade, fills, milligallons, cents in await queries.sold(session, starts, ends)
    ]


async def booked_from(session: AsyncSession, first: date, days: int) -> list[Booked]:
    """Count the bookings of some days by slot and grade: one statement."""
    starts, ends = (clock.morning(first + timedelta(days=n)) for n in (0, days))
    return [Booked(*row) for row in await queries.booked_by_slot(session, starts, ends)]


async def of_ids(
    session: AsyncSession, booking_ids: Collection[str], *, lock: bool = False
) -> dict[str, Booking]:
    """Return bookings by their ids; `lock` keeps others from changing them."""
    rows = await queries.of_ids(session, booking_ids, lock=lock)
    return {row.id: queries.booking_of(row) for row in rows}


async def take_step(
    session: AsyncSession,
    by: Actor,
    booking_ids: Collection[str],
    kind: str,
    note: str = "",
    **changed: Any,
) -> list[Booking]:
    """Take a step of staff with each of these bookings whose state allows it.

    Such as `publish`, `unpublish`, `hold`, `resume`: bookings that are further, or have ended, stay
    as they are. Three statements for each booking that changes. Return those, as they are now.
    """
    taken = []
    for row in await queries.of_ids(session, booking_ids, lock=True):
        if step_allowed(row.state, kind, STAFF):
            await changes.take_step(session, row, kind, by, STAFF, note=note, **changed)
            taken.append(queries.booking_of(row))
    return taken


async def take_technician_step(
    session: AsyncSession, by: Actor, booking_id: str, kind: str, at: datetime
) -> Booking:
    """Take a technician's step: `drive`, `arrive`, `fuel`, or `back` to the one before.

    Raises:
        BookingGone
        BookingChanged: If its state allows no such step, or one of its cars has ended.
    """
    row = await queries.locked(session, booking_id)
    if kind == "back" and any(each.outcome for each in row.fills):
        raise BookingChanged
    await changes.take_step(session, row, kind, by, TECHNICIAN, at=at)
    return queries.booking_of(row)


async def lock(session: AsyncSession, booking_id: str) -> Booking:
    """Lock and return a booking. Raises BookingGone."""
    return queries.booking_of(await queries.locked(session, booking_id))


async def last_recorded_by(session: AsyncSession, booking_id: str, fill_id: str) -> str:
    """Return who has recorded or decided last about a car, as the audit log names them."""
    events = await queries.events(session, booking_id)
    about = (e for e in events if e.kind in RECORDS and e.before.get("fill", fill_id) == fill_id)
    return next((each.actor for each in reversed([*about])), "")


async def fail(
    session: AsyncSession,
    by: Actor,
    booking_id: str,
    reason: object,
    note: object,
    at: datetime,
    *,
    fill_id: str = "",
) -> None:
    """Give up a car that its technician could not fill, for one of `REASONS`, or all that are left.

    The visit goes on while other cars are to come. After the last one it is done if any was filled,
    else it has failed: with one late fee at most, and that only if every car's reason costs it.

    Args:
        fill_id: The car; '' for every one that has not ended.

    Raises:
        NeedsReason: If there is no such reason, or it needs a note.
        NotThereYet: If it costs a fee, and the technician has not seen the place.
        BookingGone, FillGone
        BookingChanged: If its state allows no such step, or the car has ended.
    """
    why = REASONS.get(reason) if isinstance(reason, str) else None
    said = text(note)[: changes.REASON_MAX]
    if why is None or (why.needs_note and not said):
        raise NeedsReason
    row = await queries.locked(session, booking_id)
    if why.costs_fee and row.state == EN_ROUTE:
        raise NotThereYet
    booking, revision = queries.booking_of(row), row.revision
    left = booking.still_to_fill
    given_up = [booking.fill(fill_id)] if fill_id else left
    if not all(each in left for each in given_up):
        raise BookingChanged
    ended = [each for each in booking.fills if each not in left]
    step: dict[str, Any] = {"note": said or why.label, "at": at}
    if len(given_up) < len(left):
        step["note"] = f"{booking.fill(fill_id).car.name}: {step['note']}"
        await changes.take_step(session, row, CAR_MISSED, by, TECHNICIAN, **step)
    elif any(each.outcome == FILLED for each in ended):
        await changes.take_step(session, row, "complete", by, TECHNICIAN, **step, completed_at=at)
    else:
        costs_fee = costs_late_fee([why.label, *(each.reason for each in ended)])
        await changes.take_step(
            session,
            row,
            "fail",
            by,
            TECHNICIAN,
            **step,
            ended_by=TECHNICIAN,
            reason=why.label,
            late_fee_cents=row.late_fee_agreed_cents if costs_fee else 0,
        )
    ids = {each.id for each in given_up}
    for fill in row.fills:
        if fill.id in ids:
            await queries.change_fill(session, fill, {"outcome": NOT_FILLED, "reason": why.label})
    if row.state == COMPLETED:
        await notifications.withdraw_reminders(session, row)
        await fills.bill_visit(session, row)
    elif row.state == FAILED:
        await changes.return_fills(session, row, revision, by)
        await authorizations.bill_without_fill(session, row, why.told)
        await notifications.fill_failed(session, row, why.told)


async def was_published(session: AsyncSession, booking_id: str) -> bool:
    """Return whether a booking was ever on a published route."""
    return any(each.kind == "publish" for each in await queries.events(session, booking_id))
