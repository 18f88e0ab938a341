"""Booking a car when it is due: when a seat is proposed, which one, until when, and why it ends."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from fuel_app.bookings.rules.slots import Booker, SlotDay, SlotOffer, booking_ends
from fuel_app.forecasts.rules.forecasts import FILLS_NEEDED, Forecast, History
from fuel_app.kit.clock import NEW_YORK, day_of, time_of_day
from fuel_app.kit.errors import Refusal
from fuel_app.plans.rules.plans import ACTIVE, PAST_DUE

TITLE = "Book when it is due"
TERMS = (
    "A few days before a car is due we hold a seat for it near that day and ask you: confirm or "
    "skip until 24 hours before. Without an answer the seat goes back. Nothing is booked or "
    "charged before you confirm, at the price and terms of that moment."
)
WORDING = f"{TITLE}. {TERMS}"
REACH = timedelta(days=5)  # before the due day: no seat is held beyond the 7th day from then
NEAR = 3  # days before or after the due day
ANSWER_BY = timedelta(hours=24)  # before the window
ANSWER_LEAST = timedelta(hours=12)  # from the proposal until then

# Why a due booking has ended; what a proposal is, and why one has ended.
BY_CUSTOMER, PLAN, CAR, ACCOUNT = ENDS = ("customer", "plan", "car", "account")
OPEN, CONFIRMED, SKIPPED, LAPSED = "open", "confirmed", "skipped", "lapsed"
BOOKED, REPEATS, FILLED = "booked", "repeats", "filled"
STATES = (OPEN, CONFIRMED, SKIPPED, LAPSED, BOOKED, REPEATS, FILLED, *ENDS)
RETURNED = {  # what is told with the seat that goes back; nothing once the account is closed
    SKIPPED: "you skipped it",
    LAPSED: "it was not confirmed in time",
    BOOKED: "this car is booked already",
    REPEATS: "this car has a repeat",
    FILLED: "this car has been filled meanwhile",
    BY_CUSTOMER: f"you turned '{TITLE}' off",
    PLAN: "your plan has ended",
    CAR: "this car is not in your garage or plan any more",
}


@dataclass(frozen=True, slots=True)
class SeatOffer:
    """A seat that is held for a car until its customer confirms it, with its price of now."""

    id: str
    car: str
    when: str
    place: str
    until: str
    price: str
    terms: str  # a hash of what confirming agrees to


def may_propose(when: Forecast, history: History, now: datetime) -> bool:
    """Return whether a seat is to be held for a car: near its day, once for each tank."""
    if history.is_served:
        return False
    today, due = day_of(now), day_of(when.due)
    if not due - REACH <= today <= day_of(when.latest):
        return False
    last = history.proposed
    return last is None or (when.since > last.since and due > last.due)


def windows(
    days: Iterable[SlotDay], when: Forecast, now: datetime, booker: Booker, ends: date | None
) -> list[SlotOffer]:
    """Return the free windows near the day on which a car is due that leave time to answer.

    Args:
        ends: The day on which the plan ends; from then on there are none.
    """
    wanted = _wanted(when, now)
    return [
        slot
        for each in days
        for slot in each.slots
        if slot.is_open
        and abs((slot.day - wanted).days) <= NEAR
        and (ends is None or slot.day < ends)
        and answer_by(slot, booker) - now >= ANSWER_LEAST
    ]


def best_first(
    slots: Iterable[SlotOffer],
    fees: Mapping[date, int],
    when: Forecast,
    now: datetime,
    usual_hour: int,
) -> list[SlotOffer]:
    """Sort windows: the cheapest, the nearest to the day, those at the hour of the last visit."""
    wanted = _wanted(when, now)
    return sorted(
        slots,
        key=lambda slot: (
            fees[slot.day],
            abs((slot.day - wanted).days),
            slot.starts_at.astimezone(NEW_YORK).hour != usual_hour,
            slot.starts_at,
        ),
    )


def _wanted(when: Forecast, now: datetime) -> date:
    return max(day_of(when.due), day_of(now))


def answer_by(slot: SlotOffer, booker: Booker) -> datetime:
    """Return until when a seat is held: 24 hours before, or until booking it ends."""
    return min(slot.starts_at - ANSWER_BY, booking_ends(slot, booker))


def why_ended(plan_state: str, *, has_car: bool) -> str:
    """Return why a due booking ends, one of `ENDS`; '' while it goes on. An unpaid plan counts."""
    if plan_state not in (ACTIVE, PAST_DUE):
        return PLAN
    return "" if has_car else CAR


def why_returned(history: History, since: datetime, *, repeats: bool, is_late: bool) -> str:
    """Return why a held seat goes back, one of `STATES`; '' while it waits for an answer."""
    if history.booked_at:
        return BOOKED
    if repeats:
        return REPEATS
    if history.since != since:
        return FILLED
    return LAPSED if is_late else ""


def until_text(at: datetime) -> str:
    """'Monday, November 30, 8:00 AM'."""
    day = day_of(at)
    return f"{day:%A, %B} {day.day}, {time_of_day(at)}"


def hint(history: History) -> str:
    """Return what the switch of a car says about it."""
    if history.fills < FILLS_NEEDED:
        return f"Begins once there are {FILLS_NEEDED} fills"
    return "We hold a seat and ask you first"


class NeedsPlan(Refusal):
    message = "This comes with a plan. Please start your plan first."


class SeatGone(Refusal):
    """The proposal has ended, or is not the customer's."""

    message = "This seat is not held for you any more."


class ConfirmedAlready(Refusal):
    message = "You have confirmed this fill-up already. You can cancel it on your dashboard."
