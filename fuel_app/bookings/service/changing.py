"""Moving and cancelling bookings."""

from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.service import hours
from fuel_app.billing.service import corrections, holds
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.queries import places
from fuel_app.bookings.queries.places import Taker
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules import states
from fuel_app.bookings.rules.bookings import Booking, Guest, when
from fuel_app.bookings.rules.holds import last_try
from fuel_app.bookings.rules.states import CUSTOMER, Changes, step_allowed
from fuel_app.bookings.service import access, charging, telling
from fuel_app.bookings.service.slots import booker_of, find_slot, takes_bookings
from fuel_app.bookings.service.storing import BUCKETS
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import clock, jobs
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, signals
from fuel_app.kit.throttle import MOVES, throttle
from fuel_app.plans.rules.ledger import Reservation, grant_of
from fuel_app.plans.rules.subscriptions import SubscriptionInfo
from fuel_app.plans.service import ledger, subscriptions

REASON_MAX = 200
COVERED = {"fee_asked_at": None, "fee_cents": 0, "tax_cents": 0}  # by the plan


def changes(by: Actor | Guest, booking: Booking) -> Changes:
    """Return what may be done with a booking now, and the late fee of cancelling it."""
    return states.changes(
        booking.state,
        booking.starts_at,
        booking.ends_at,
        clock.now(),
        late_fee=Money(0) if booking.fee_asked_at else booking.late_fee_agreed,
        is_staff=access.role_in(by, booking.person_id) != CUSTOMER,
    )


async def step(
    session: AsyncSession,
    row: StoredBooking,
    kind: str,
    by: Actor | Guest,
    role: str,
    *,
    before: dict[str, Any] | None = None,
    note: str = "",
    internal: str = "",
    at: datetime | None = None,
    **changed: Any,
) -> None:
    """Take a step of the table in the caller's transaction, and note it.

    Args:
        row: The booking as it was read; it gets the new values.
        before: What the step replaces; `changed` are columns with their new values.
        note: For the customer, too; `internal` is for the audit log alone.

    Raises:
        BookingChanged: If the state allows no such step, or the revision is another by now.
    """
    allowed = step_allowed(row.state, kind, role)
    if allowed is None:
        raise refusals.BookingChanged
    changed["state"] = allowed.after
    if not await queries.change(session, row.id, row.revision, changed):
        raise refusals.BookingChanged
    session.expunge(row)
    for name, value in (changed | {"revision": row.revision + 1}).items():
        setattr(row, name, value)
    await queries.add_events(session, [access.event_of(row, kind, by, before, note, at)])
    await access.audited(session, by, row, kind, internal or note, before, role)


async def move(
    by: Actor | Guest, booking_id: object, revision: object, slot_id: object, *, reason: str = ""
) -> Booking:
    """Move a booking into another slot of its area. Its price stays.

    Args:
        revision: The one on the screen.
        reason: The staff's; it stands in the message.

    Raises:
        TooManyRequests: After 20 in an hour by one customer or guest.
        LimitReached: If staff may not waive the late fee that a late move spares the customer.
        Refusal: If the booking is not theirs, has changed, or it is too late; if the slot cannot
            be booked, or lies in a period without fills left; if staff give no reason.
    """
    await _count_move(by)
    async with transaction() as session:
        found = access.check(by, await queries.find(session, well_formed_id(booking_id) or ""))
        row = await _move(session, found, slot_id, by, reason, revision)
    await signals().publish(BOOKINGS)
    return queries.booking_of(row)


async def _count_move(by: Actor | Guest) -> None:
    """Limit the messages that customers and guests cause."""
    if isinstance(by, Guest):
        await throttle().spend(MOVES, by.booking_id)
    elif not by.may(Role.DISPATCHER):
        await throttle().spend(MOVES, by.person_id)


async def _move(
    session: AsyncSession,
    found: StoredBooking,
    slot_id: object,
    by: Actor | Guest,
    reason: str,
    revision: object,
) -> StoredBooking:
    """Lock area, subscription, booking; take the new place and free the former one."""
    role = access.role_in(by, found.person_id)
    note = _reason(reason, role)
    area = await hours.bookable_by_id(session, found.area_id, lock=True)
    # Before the booking, as whoever changes the plan locks them.
    plan = await subscriptions.of(session, found.person_id or "", shared=True)
    row = await queries.locked(session, found.id)
    if slot_id == row.slot_id and row.state == states.BOOKED:
        return row  # the second press of the button
    if revision != row.revision:
        raise refusals.BookingChanged
    possible = changes(by, queries.booking_of(row))
    if not possible.may_move:
        raise refusals.BookingChanged if row.state in states.ENDED else refusals.PleaseCall
    if role != CUSTOMER:  # a cancellation is free once the booking lies ahead again
        await _waive(session, by, row, possible.late_fee)
    area = takes_bookings(area, row.place["zip_code"], is_staff=role != CUSTOMER)
    booker = await booker_of(session, row.person_id or "", is_staff=role != CUSTOMER)
    now = clock.now()
    slot, window = find_slot(area, slot_id, booker, now)
    before = {"slot_id": row.slot_id, "starts_at": row.starts_at.isoformat()}
    former = when(row.starts_at, row.ends_at)
    await places.leave(session, row.id)
    if not await places.take(session, slot.id, window.capacity, now, Taker(booking_id=row.id)):
        raise refusals.SlotFull
    paid = await _paid(session, row, slot.starts_at, by, plan)
    window_values = {"slot_id": slot.id, "starts_at": slot.starts_at, "ends_at": slot.ends_at}
    window_values |= {"reason": "", "card_due_at": last_try(slot.starts_at, now)}
    await step(*(session, row, "move", by, role), before=before, note=note, **paid, **window_values)
    await holds.release(session, row.id)
    await jobs.enqueue_all(session, charging.tries(row))
    await telling.moved(session, row, former, note)
    return row


async def _paid(
    session: AsyncSession,
    row: StoredBooking,
    starts_at: datetime,
    by: Actor | Guest,
    plan: SubscriptionInfo | None,
) -> dict[str, Any]:
    """Return what changes in the way of paying for another window; the reservation moves along."""
    bucket = BUCKETS.get(row.pays_by)
    if bucket is None or row.person_id is None:
        return {}
    actor = by if isinstance(by, Actor) else Actor()
    there = grant_of(plan, bucket, day_of(starts_at))
    if there and there.period == row.period and row.fee_asked_at is None:
        return {}
    await ledger.release(session, row.id, row.revision, actor)
    taken = Reservation(there, row.id, row.revision + 1, str(actor))
    await ledger.reserve(session, [taken])
    return COVERED | {"period": there and there.period}


async def cancel(
    by: Actor | Guest,
    booking_id: object,
    revision: object,
    *,
    seen_fee: Money,
    reason: str = "",
    waive: bool = False,
) -> Booking:
    """Cancel a booking: its place and its fill of the allowance are free again.

    Args:
        revision: The one on the screen, as is the late fee, `seen_fee`.
        reason: Staff have to give one, and may `waive` the fee.

    Raises:
        FeeChanged: With the late fee as it is now.
        LimitReached: If staff may not waive as much.
        Refusal: If it is not theirs, has changed, or it is too late.
    """
    async with transaction() as session:
        row = await access.locked(session, by, booking_id)
        role = access.role_in(by, row.person_id)
        note = _reason(reason, role)
        if row.revision != revision:
            raise refusals.BookingChanged
        possible = changes(by, queries.booking_of(row))
        if not possible.may_cancel:
            raise refusals.BookingChanged if row.state in states.ENDED else refusals.PleaseCall
        is_waived = waive is True and role != CUSTOMER
        fee = Money(0) if is_waived else possible.late_fee
        if not is_waived and fee != seen_fee:
            raise refusals.FeeChanged(fee)
        if is_waived:
            await _waive(session, by, row, possible.late_fee)
        await _cancel(session, row, by, note, fee)
    await signals().publish(BOOKINGS)
    return queries.booking_of(row)


async def _waive(session: AsyncSession, by: Actor | Guest, row: StoredBooking, fee: Money) -> None:
    """Count a late fee that staff spare the customer, if one is due."""
    if isinstance(by, Actor) and fee.cents:
        await corrections.waive_late_fee(session, by, charging.whose(row), fee)


async def cancel_in(
    session: AsyncSession, booking_id: str, *, actor: Actor, reason: str
) -> Booking:
    """Cancel a booking in the caller's transaction, free of charge, as staff or system."""
    row = await access.locked(session, actor, booking_id)
    await _cancel(session, row, actor, reason.strip()[:REASON_MAX], Money(0))
    return queries.booking_of(row)


async def _cancel(
    session: AsyncSession, row: StoredBooking, by: Actor | Guest, note: str, fee: Money
) -> None:
    role = access.role_in(by, row.person_id)
    ending = {"ended_by": role, "reason": note, "late_fee_cents": fee.cents}
    revision = row.revision
    await step(session, row, "cancel", by, role, note=note, **ending)
    await places.leave(session, row.id)
    await return_fill(session, row, revision, by)
    await charging.ended(session, row, "cancelled within 2 hours of the window")
    await telling.cancelled(session, row)


async def return_fill(
    session: AsyncSession, row: StoredBooking, revision: int, by: Actor | Guest
) -> None:
    """Return what a booking without a fill has taken: a fill of the plan, a free first fill."""
    if row.pays_by in BUCKETS:
        actor = by if isinstance(by, Actor) else Actor()
        await ledger.release(session, row.id, revision, actor)
    if row.pays_by == states.FREE_FILL:
        await queries.remove_free_fill(session, booking_id=row.id)


def _reason(reason: str, role: str) -> str:
    """Return the reason; staff have to give one."""
    note = reason.strip()[:REASON_MAX] if isinstance(reason, str) else ""
    if role != CUSTOMER and not note:
        raise refusals.NeedsReason
    return note
