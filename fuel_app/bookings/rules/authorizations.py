"""Authorizations of cards for booked fills: when they are made, and what screens say of them.

At 18:00 the day before, once more at 06:30 on the day; later where that has passed.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from fuel_app.billing.rules.payments import AUTHORIZED, FAILED, NEEDS_CONFIRMATION, NEW, Payment
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.estimates import estimate_of, fuel_cost, most_milligallons
from fuel_app.bookings.rules.slots import CUTOFF, on_clock
from fuel_app.bookings.rules.states import ENDED, FREE_FILL, SYSTEM, step_allowed
from fuel_app.kit.clock import date_and_time, day_of, time_of_day
from fuel_app.kit.money import Money

_EVENING = 18  # of the day before, on New York's clocks
_MORNING = 6  # and a half
_HALF_HOUR = timedelta(minutes=30)

# Why a booking is cancelled that no card pays for.
UNPAID_REASONS = CARD_DECLINED, CARD_MISSING = (
    "Your card was declined, and no other one was added in time.",
    "No card was added in time.",
)


def first_try(starts_at: datetime) -> datetime:
    """Return when the card for a window is authorised: 18:00 the day before."""
    return on_clock(day_of(starts_at) - timedelta(days=1), _EVENING)


def last_try(starts_at: datetime, now: datetime) -> datetime:
    """Return when the card for a window is authorised for the last time: at 06:30 on the day.

    Where that has passed, two hours before the window, and half an hour from now at the earliest.
    """
    morning = on_clock(day_of(starts_at), _MORNING) + _HALF_HOUR
    soonest = now + _HALF_HOUR
    return morning if morning >= soonest else max(starts_at - CUTOFF, soonest)


def payment_text(booking: Booking, hold: Payment | None, *, lacks_card: bool = False) -> str:
    """Return how the payment of a booking stands, with its last hold."""
    if booking.state in ENDED or not _is_held(booking):
        return ""
    if hold and hold.state == AUTHORIZED:
        return f"{hold.amount.short} authorized"
    if hold and (hold.state == NEW or _is_over(booking, hold)):
        return "Being authorized"
    if hold and hold.state == FAILED:
        return f"Declined. {hold.problem}"
    if lacks_card:
        return "No card yet"
    return f"The card is authorized on {date_and_time(first_try(booking.starts_at))}"


@dataclass(frozen=True, slots=True)
class CardAlert:
    """A booking that is cancelled unless its card is replaced or its payment confirmed."""

    text: str = ""
    state: str = ""  # beside the booking's own: 'card declined'
    needs_confirmation: bool = False
    is_missing: bool = False  # no card was added yet
    may_have_fewer: bool = False  # of several cars; the card may bear one alone


NO_ALERT = CardAlert()


@dataclass(frozen=True, slots=True)
class CardState:
    """State of a booking's card, by its last hold."""

    payment: str  # '$61 authorized'
    alert: CardAlert

    @classmethod
    def of(
        cls, booking: Booking, hold: Payment | None, now: datetime, *, lacks_card: bool = False
    ) -> Self:
        """Return it; `lacks_card` of a guest whom staff have booked for."""
        return cls(
            payment_text(booking, hold, lacks_card=lacks_card),
            card_alert(booking, hold, now, lacks_card=lacks_card),
        )


def due_at(booking: Booking, hold: Payment) -> datetime:
    """Return until when the card of a declined hold may be replaced."""
    return booking.card_due_at or last_try(booking.starts_at, hold.created_at)


def card_alert(
    booking: Booking, hold: Payment | None, now: datetime, *, lacks_card: bool = False
) -> CardAlert:
    """Return what its customer has to do: the last hold was declined, or there is no card yet."""
    is_waiting = step_allowed(booking.state, "cancel", SYSTEM) is not None
    if is_waiting and lacks_card and _is_held(booking):
        due = booking.card_due_at or last_try(booking.starts_at, now)
        text = f"Please add a card by {day_and_time(due)}, or this fill-up is cancelled."
        return CardAlert(text, "no card yet", is_missing=True)
    if not is_waiting or hold is None or hold.state != FAILED or not _is_held(booking):
        return NO_ALERT
    if _is_over(booking, hold):
        return NO_ALERT
    due = due_at(booking, hold)
    by = f" by {day_and_time(due)}" if due > now else " now"
    ends = f"{by}, or this fill-up is cancelled."
    if hold.code == NEEDS_CONFIRMATION:
        text = f"{hold.problem} Confirm it or choose another card{ends}"
        return CardAlert(text, "payment not confirmed", needs_confirmation=True)
    may_have_fewer = hold.may_pass_for_less and len(booking.fills) > 1
    said = f"Your card declined {hold.amount.short}." if may_have_fewer else hold.problem
    return CardAlert(
        f"{said} Choose another card{ends}", "card declined", may_have_fewer=may_have_fewer
    )


def day_and_time(at: datetime) -> str:
    """'6:30 AM on Thursday, November 26' in New York."""
    day = day_of(at)
    return f"{time_of_day(at)} on {day:%A, %B} {day.day}"


def _is_held(booking: Booking) -> bool:
    return estimate_of(booking).hold.cents > 0


def _is_over(booking: Booking, hold: Payment) -> bool:
    """Return whether more was declined than is to be held by now: cars were dropped."""
    return hold.state == FAILED and hold.amount > estimate_of(booking).hold


def covered_text(booking: Booking, hold: Payment | None) -> str:
    """Return how many gallons a booking's hold pays for, for its technician.

    Of several cars each is covered up to its tank or the rest of the hold, in their order.
    """
    most = sum(most_milligallons(each.car.tank_tenths) for each in booking.fills)
    if not estimate_of(booking).hold.cents:
        return f"Up to {_tenths_down(most)} gallons are free."
    if hold is None or hold.state != AUTHORIZED:
        return "Nothing is held: ask the office."
    left, covered = hold.amount, 0
    for fill in booking.fills:
        fee = Money(0) if fill.fee_asked_at else fill.fee + fill.tax
        free = (fill.free_cap or Money(0)) if fill.pays_by == FREE_FILL else Money(0)
        for_fuel = max(0, (left + free - fee).cents)
        gallons = min(
            most_milligallons(fill.car.tank_tenths), for_fuel * 10_000 // fill.price.mills
        )
        covered += gallons
        left = left + free - fee - fuel_cost(gallons, fill.price.mills)
    return f"Up to {_tenths_down(covered)} gallons are covered."


def _tenths_down(milligallons: int) -> str:
    """'17.6'."""
    return f"{milligallons // 1000}.{milligallons % 1000 // 100}"
