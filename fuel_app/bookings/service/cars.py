"""The cars of a booked visit: some are added, some dropped, until its cut-off.

Those that stay keep what was agreed, but a fee is not due any more where a car that leaves gives
its fill of the plan back; those that are added have the price of the moment.
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.areas.service import hours
from fuel_app.billing.service import fill_invoices
from fuel_app.bookings import queries
from fuel_app.bookings.queries import booking_of
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules import states
from fuel_app.bookings.rules.authorizations import card_alert
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, Guest, Request
from fuel_app.bookings.rules.estimates import (
    Estimate,
    KeptFill,
    PriceChanged,
    kept_fills,
    one_car_each,
)
from fuel_app.bookings.service import access, authorizations, changes, notifications
from fuel_app.bookings.service.bookings import Asked, Order, check_order, fill_row, take_fills
from fuel_app.bookings.service.slots import check_not_booked
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.service import account as customer_facts
from fuel_app.customers.service import vehicles
from fuel_app.kit import clock, jobs, outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import BOOKINGS, signals
from fuel_app.kit.throttle import MOVES, throttle
from fuel_app.plans.service import subscriptions


@dataclass(frozen=True, slots=True)
class _Change:
    """A visit with other cars: what stays, what is dropped, what is added with its order."""

    kept: tuple[KeptFill, ...]
    dropped: frozenset[str]  # the ids of fills
    estimate: Estimate  # of the whole visit after it
    added: tuple[Asked, Order] | None = None  # what is added


async def estimate_cars(by: Actor, booking_id: object, vehicle_ids: Collection[str]) -> Estimate:
    """Return the price of a visit with these vehicles of its customer.

    Cars of the visit that are not in the garage or the plan (any more) stay.

    Raises:
        Refusal: If it is not theirs, no car is left, there are too many, or one that is added
            cannot be booked.
    """
    async with reading() as session:
        row = access.check(by, await queries.find(session, well_formed_id(booking_id) or ""))
        return (await _plan(session, by, row, vehicle_ids)).estimate


async def change_cars(
    by: Actor, booking_id: object, revision: object, vehicle_ids: Collection[str], *, seen: Estimate
) -> Booking:
    """Let a visit have these vehicles of its customer, until two hours before its window.

    It has its seat, so cars are added also after booking for that day has ended. What a dropped
    car has taken comes back; the card is authorized anew for the whole.

    Args:
        revision: The one on the screen, as is the estimate, `seen`.

    Raises:
        PriceChanged: With the estimate as it is now.
        Refusal: As `estimate_cars` says; if it has changed, or it is too late.
    """
    await throttle().spend(MOVES, by.person_id)
    async with transaction() as session:
        row = access.check(by, await queries.find(session, well_formed_id(booking_id) or ""))
        wanted = tuple(dict.fromkeys(vehicle_ids))
        if row.revision != revision:
            is_done = {*wanted} <= {each.car.id for each in booking_of(row).fills}
            return _second_press(row, revision, is_done=is_done)
        # Lock order: area, customer, subscription, booking. It is read under them: a plan that
        # changes leaves the revision.
        await hours.bookable_by_id(session, row.area_id, lock=True)
        if row.person_id:
            await customer_facts.facts(session, row.person_id, lock=True)
            await subscriptions.subscription_of(session, row.person_id, lock=True)
        row = await queries.locked(session, row.id)
        change = await _plan(session, by, row, wanted, lock=True)
        if row.revision != revision or row.state in states.ENDED:
            raise BookingChanged
        if not changes.allowed_changes(by, booking_of(row)).may_move:
            raise refusals.PleaseCall
        row = await _save(session, by, row, change, seen)
    await signals().publish(BOOKINGS)
    return booking_of(row)


async def keep_one(
    by: Actor | Guest, booking_id: object, revision: object, fill_id: object, *, seen: Estimate
) -> Booking:
    """Keep one car of a visit whose sum the card has declined, until it is cancelled for that.

    Args:
        revision: The one on the screen, as is the estimate, `seen`.

    Raises:
        BookingGone: If it is not theirs.
        BookingChanged: If it has changed, or nothing is declined (any more).
        PleaseCall: If its window has begun.
        PriceChanged: With the estimate as it is now.
    """
    await throttle().spend(MOVES, by.booking_id if isinstance(by, Guest) else by.person_id)
    async with transaction() as session:
        row = await access.locked(session, by, booking_id)
        booking = booking_of(row)
        one = next((each for each in one_car_each(booking) if each.fill_id == fill_id), None)
        if row.revision != revision:
            return _second_press(row, revision, is_done=bool(one) and len(booking.fills) == 1)
        hold = (await fill_invoices.last_authorizations(session, [row.id])).get(row.id)
        if one is None or not card_alert(booking, hold, clock.now()).may_have_fewer:
            raise BookingChanged
        dropped = frozenset(each.id for each in booking.fills) - {one.fill_id}
        row = await _save(session, by, row, _Change((one.kept,), dropped, one.estimate), seen)
    await signals().publish(BOOKINGS)
    return booking_of(row)


def _second_press(row: StoredBooking, revision: object, *, is_done: bool) -> Booking:
    """Return a booking as the first press of a button has made it.

    Raises:
        BookingChanged: If it was changed in another way.
    """
    if row.revision - 1 != revision or not is_done:
        raise BookingChanged
    return booking_of(row)


async def _plan(
    session: AsyncSession,
    by: Actor,
    row: StoredBooking,
    vehicle_ids: Collection[str],
    *,
    lock: bool = False,
) -> _Change:
    """Return what is kept, dropped and added, with the price; see `check_order` about `lock`."""
    booking = booking_of(row)
    garage = await vehicles.of_person(session, booking.person_id)
    may_go = {each.id for each in garage if each.is_active} - {*vehicle_ids}
    stay = [each for each in booking.fills if each.car.id not in may_go]
    booked = [each.car.id for each in booking.fills]
    added = tuple(each for each in vehicle_ids if each not in booked)
    if not stay and not added:
        raise refusals.LastCar
    kept = kept_fills(booking, stay)
    given = [each.given_by for each in kept]
    asked = Asked(
        request=Request(booking.slot_id, added, booking.place),
        person_id=booking.person_id,
        is_staff=access.role_in(by, booking.person_id) != states.CUSTOMER,
        by=by,
        visit_id=booking.id,
        returned=tuple(each for each in booking.fills if each not in (*stay, *given)),
    )
    order = await check_order(session, asked, clock.now(), lock=lock) if added else None
    new = order.fills if order else ()
    refusals.check_cars([e.car for e in (*stay, *new)], is_guest=not booking.person_id)
    fills = tuple(each.estimate for each in (*kept, *new))
    dropped = frozenset(e.id for e in booking.fills if e not in stay)
    estimate = Estimate(fills, booking.late_fee_agreed)
    return _Change(kept, dropped, estimate, (asked, order) if order else None)


async def _save(
    session: AsyncSession, by: Actor | Guest, row: StoredBooking, change: _Change, seen: Estimate
) -> StoredBooking:
    """Store other cars of a locked visit, and confirm it with them. Return it as it is then."""
    # From its beginning on a technician may be at it without a connection.
    if clock.now() >= row.starts_at:
        raise refusals.PleaseCall
    asked = await queries.questions_of(session, [row.id])
    if any(each.fill_id in change.dropped for each in asked):
        raise refusals.CarAsked
    if change.estimate.terms != seen.terms:
        raise PriceChanged(change.estimate)
    if change.added:
        cars = [each.car for each in change.added[1].fills]
        whose = row.person_id or ""
        await check_not_booked(session, cars, row.slot_id, person_id=whose, but=row.id)
    await _store(session, by, row, change)
    row = await queries.locked(session, row.id)
    await notifications.withdraw_reminders(session, row)
    await outbox.add_all(session, notifications.confirmation(row, change.estimate))
    return row


async def _store(
    session: AsyncSession, by: Actor | Guest, row: StoredBooking, change: _Change
) -> None:
    """Drop and add cars as a step of the booking, and hold the new sum on the card."""
    before = {"cars": booking_of(row).cars}
    for fill in row.fills:
        if fill.id in change.dropped:
            await changes.return_fill(session, fill, row.revision, by)
            await queries.remove_fill(session, fill)
    ordered = change.added[1].fills if change.added else ()
    last = max(each.position for each in row.fills)
    new = [
        fill_row(row.id, position, each) for position, each in enumerate(ordered, start=last + 1)
    ]
    cars = [*(each.fill.car for each in change.kept), *(each.car for each in ordered)]
    await changes.take_step(
        session,
        row,
        "cars",
        by,
        access.role_in(by, row.person_id),
        before=before,
        note=", ".join(each.name for each in cars)[:200],
        card_due_at=authorizations.card_due_at(row, clock.now()),
    )
    covered = {each.fill.id: each.estimate for each in change.kept if each.given_by}
    actor = by if isinstance(by, Actor) else Actor()
    for fill in row.fills:
        if (estimate := covered.get(fill.id)) and estimate.period:
            way, period = estimate.pays_by, estimate.period
            await changes.cover_again(session, row, fill, way, period, actor)
    for each in new:
        await queries.add_fill(session, each)
    if change.added:
        asked, order = change.added
        await take_fills(session, order, new, row.revision, asked)
    await fill_invoices.release_authorizations(session, row.id)
    await jobs.enqueue_all(session, authorizations.authorization_jobs(row))
