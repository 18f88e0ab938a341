"""Booked fills of a plan as the plan changes; those it covers no more, until somebody chooses."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor
from fuel_app.areas.service import hours
from fuel_app.billing.service import holds
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, Guest
from fuel_app.bookings.rules.holds import last_try
from fuel_app.bookings.rules.states import FEE
from fuel_app.bookings.service import access, changing, charging, telling
from fuel_app.bookings.service.storing import BUCKETS
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.service import vehicles
from fuel_app.kit import clock, jobs
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, signals
from fuel_app.plans.rules.ledger import Claim
from fuel_app.plans.rules.plans import ONE_TIME_FEE
from fuel_app.plans.service import periods


async def choose_fee(
    by: Actor | Guest, booking_id: object, revision: object, seen_fee: Money
) -> Booking:
    """Pay the convenience fee for a booking that the plan does not cover any more.

    Args:
        revision: The one on the screen, as is the fee with its tax, `seen_fee`.

    Raises:
        BookingGone: If it is not theirs.
        BookingChanged: If it is covered again, or has changed in another way.
    """
    async with transaction() as session:
        row = await access.locked(session, by, booking_id)
        if row.pays_by == FEE and row.revision - 1 == revision:
            return queries.booking_of(row)  # the second press of the button
        if row.fee_asked_at is None or row.revision != revision:
            raise BookingChanged
        fee = Money(row.fee_cents + row.tax_cents)
        if fee != seen_fee:
            raise BookingChanged
        chosen = {"pays_by": FEE, "period": None, "fee_asked_at": None}
        chosen["card_due_at"] = charging.due_at(row, clock.now())
        role = access.role_in(by, row.person_id)
        await changing.step(session, row, "pay_fee", by, role, note=f"{fee}", **chosen)
        await holds.release(session, row.id)
        await jobs.enqueue_all(session, charging.tries(row))
    await signals().publish(BOOKINGS)
    return queries.booking_of(row)


async def _claims(session: AsyncSession, people: Collection[str]) -> list[Claim]:
    rows = await queries.coverable(session, people, clock.now())
    return [
        Claim(row.person_id or "", row.id, BUCKETS[row.pays_by], day_of(row.starts_at))
        for row in rows
    ]


async def _changed(
    session: AsyncSession, covered: Mapping[str, date | None], switched: Collection[str]
) -> None:
    for booking_id, period in covered.items():
        row = await queries.find(session, booking_id)
        if row and period is None and row.fee_asked_at is None:
            await _ask(session, row)
        elif row and period and (row.fee_asked_at or row.period != period):
            kind = "cover" if row.fee_asked_at else ""
            await _set(session, row, kind, period=period, **changing.COVERED)
    for person_id in switched:
        rows = await queries.upcoming(session, person_id)
        await vehicles.fit_plan(session, person_id, [row.vehicle_id for row in rows])


async def _ask(session: AsyncSession, row: StoredBooking) -> None:
    """Let the customer choose between the convenience fee and a free cancellation."""
    area = await hours.bookable_by_id(session, row.area_id)
    tax = ONE_TIME_FEE.share(area.tax_basis_points if area else 0, 10_000).cents
    asked = {"fee_asked_at": clock.now(), "fee_cents": ONE_TIME_FEE.cents, "tax_cents": tax}
    await _set(session, row, "ask_fee", **asked)
    await telling.fee_asked(session, row)
    last = last_try(row.starts_at, clock.now())  # it may be past the usual one
    unanswered = charging.try_job(row, f"asked:{row.fee_asked_at}", last, last)
    await jobs.enqueue_all(session, [unanswered])


async def _set(session: AsyncSession, row: StoredBooking, kind: str, **values: Any) -> None:
    """Set columns, and note why; the revision stays, so that no screen is out of date."""
    await queries.set_values(session, [row.id], values)
    session.expunge(row)
    for name, value in values.items():
        setattr(row, name, value)
    if kind:
        await queries.add_events(session, [access.event_of(row, kind, SYSTEM)])


periods.FOLLOWERS.append(periods.Follower(_claims, _changed))
