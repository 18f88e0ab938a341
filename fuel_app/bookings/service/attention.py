"""Bookings that wait for staff: those whose card was declined."""

from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.billing.rules.payments import Payment
from fuel_app.billing.service import fill_invoices
from fuel_app.bookings import queries
from fuel_app.bookings.rules.authorizations import (
    NO_ALERT,
    card_alert,
    day_and_time,
    due_at,
)
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.slots import short_when
from fuel_app.bookings.service.access import name_of_customer, names_of
from fuel_app.kit import clock
from fuel_app.kit.attention import Attention, Waiting
from fuel_app.kit.clock import day_of
from fuel_app.kit.money import Money, total
from fuel_app.kit.words import and_list

_SINCE = timedelta(days=3)  # a card is authorized the evening before
CARDS = Attention("cards", "Cards declined for a fill-up")
_LEFT_SINCE = timedelta(days=30)
LEFT = Attention("left", "Visits that nobody has ended")


async def cards_declined(session: AsyncSession, now: datetime) -> Attention:
    """Return the bookings that end unless their card is replaced, the soonest first.

    Three statements: O(declined holds of three days), by an index.
    """
    declined = await _declined(session, now)
    names = await names_of(session, [each for each, _ in declined]) if declined else {}
    return CARDS.with_lines(
        Waiting(
            id=booking.id,
            text=f"{name_of_customer(booking, names)}: "
            f"{short_when(booking.starts_at, booking.ends_at)}",
            detail=_why(booking, hold, now),
            href=_place(booking),
        )
        for booking, hold in sorted(declined, key=lambda each: due_at(*each))
    )


async def left_at_work(session: AsyncSession, now: datetime) -> Attention:
    """Return the visits of days before that nobody has ended: their bills wait. Two statements."""
    today = clock.morning(day_of(now))
    rows = await queries.left_at_work(session, today - _LEFT_SINCE, today)
    bookings = [queries.booking_of(row) for row in rows]
    names = await names_of(session, bookings) if bookings else {}
    return LEFT.with_lines(
        Waiting(
            id=booking.id,
            text=f"{name_of_customer(booking, names)}: "
            f"{short_when(booking.starts_at, booking.ends_at)}",
            detail=f"Not ended: {and_list([each.car.name for each in booking.still_to_fill])}. "
            "Record what was pumped, or that a car was not filled.",
            href=_place(booking),
        )
        for booking in bookings
    )


async def declined_in_all(session: AsyncSession, now: datetime) -> tuple[int, Money]:
    """Return how many bookings have a declined card, and what was to be held for them."""
    declined = await _declined(session, now)
    return len(declined), total(hold.amount for _, hold in declined)


async def _declined(session: AsyncSession, now: datetime) -> list[tuple[Booking, Payment]]:
    holds = await fill_invoices.declined_authorizations(session, now - _SINCE)
    rows = await queries.open_of(session, holds) if holds else []
    bookings = [(booking, holds[booking.id]) for booking in map(queries.booking_of, rows)]
    return [each for each in bookings if card_alert(*each, now) != NO_ALERT]


def _why(booking: Booking, hold: Payment, now: datetime) -> str:
    due = due_at(booking, hold)
    by = day_and_time(due) if due > now else "now"
    return f"{hold.amount.short}, {hold.failure}. Another card by {by}, or it is cancelled."


def _place(booking: Booking) -> str:
    """Return where staff see a booking: with its customer or guest."""
    if booking.person_id:
        return routes.customer_tab(booking.person_id, "bookings")
    return routes.guest(booking.id)
