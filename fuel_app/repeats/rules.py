"""Repeats: the dates of a series, when each is booked, which refusals wait, and why it ends."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from fuel_app.billing.rules.invoices import PaymentOpen
from fuel_app.bookings.rules.bookings import AreaPaused, NoPrice, PastDue
from fuel_app.bookings.rules.estimates import FreeFillGone, PriceChanged
from fuel_app.bookings.rules.slots import SlotDay, on_clock
from fuel_app.kit.clock import time_span
from fuel_app.kit.errors import Refusal
from fuel_app.plans.rules.plans import SubscriptionInfo

WEEKS = (1, 2, 4)
ACTIVE, PAUSED, ENDED = STATES = ("active", "paused", "ended")
TERMS = (
    "Same cars, same window. Each visit is booked as soon as its day can be booked, at the price "
    "and terms of that day; beyond your plan's fills it costs the convenience fee. You get a mail "
    "for each one, with Skip and Pause."
)
LATE = "It could not be booked in time."
_WAITS = (AreaPaused, NoPrice, PastDue, PaymentOpen, PriceChanged, FreeFillGone)
DECLINES_MOST = 2  # visits in a row that no card paid for

# Why a series has ended.
BY_CUSTOMER, PLAN, CARD, CARS, ACCOUNT = ENDS = ("customer", "plan", "card", "cars", "account")
END_TEXTS = {
    PLAN: "your plan has ended",
    CARD: "your card was declined for two of its visits in a row",
    CARS: "none of its cars is in your garage or plan any more",
}


def label(weeks: int) -> str:
    """Return 'Every week' or 'Every 2 weeks'."""
    return "Every week" if weeks == 1 else f"Every {weeks} weeks"


def window_text(day: date, opens: int, closes: int) -> str:
    """Return 'Tuesdays, 8–10 AM'."""  # noqa: RUF002
    return f"{day:%A}s, {time_span(on_clock(day, opens), on_clock(day, closes))}"


def next_day(first: date, weeks: int, after: date) -> date:
    """Return the first date of a series after a day; the visit it was started from is no date."""
    step = 7 * weeks
    steps = max((after - first).days // step, 0) + 1
    return first + timedelta(days=steps * step)


def is_due(day: date, today: date, horizon_days: int, plan: SubscriptionInfo | None) -> bool:
    """Return whether a date can be booked by now; none from the day on which the plan ends."""
    if plan and plan.ends and day >= plan.ends:
        return False
    return day <= today + timedelta(days=horizon_days)


def why_ended(plan: SubscriptionInfo | None, cars: int, declines: int) -> str:
    """Return why a series ends, one of `ENDS`; '' while it goes on. An unpaid plan still counts."""
    if plan is None or plan.may_start:
        return PLAN
    if not cars:
        return CARS
    return CARD if declines >= DECLINES_MOST else ""


def waits(refusal: Refusal) -> bool:
    """Return whether a date is tried again later: what has refused it may be over by then."""
    return isinstance(refusal, _WAITS)


def nearest(days: Iterable[SlotDay], wanted: datetime, most: int = 3) -> list[str]:
    """Return the open windows nearest to a moment, in words and in order of time."""
    free = [slot for day in days for slot in day.slots if slot.is_open]
    free.sort(key=lambda slot: (abs(slot.starts_at - wanted), slot.starts_at))
    return [slot.when for slot in sorted(free[:most], key=lambda slot: slot.starts_at)]


@dataclass(frozen=True, slots=True)
class Series:
    """A series that has not ended, as screens know it."""

    id: str
    weeks: int
    window: str
    cars: str
    is_paused: bool
    next_day: date
    booking_id: str  # of its last visit
    bookings: frozenset[str]
    vehicles: frozenset[str]


class RepeatGone(Refusal):
    message = "This repeat has ended."


class NotRepeatable(Refusal):
    message = "Only a booked visit with cars of your own can be repeated."


class NeedsPlan(Refusal):
    message = "Repeats come with a plan. Please start your plan first."


class CarRepeats(Refusal):
    """One of the cars has a series already, whose last visit is `booking_id`."""

    def __init__(self, car: str, booking_id: str) -> None:
        super().__init__(f"Your {car} has a repeat already. End that one first.")
        self.booking_id = booking_id


class TooLateToSkip(Refusal):
    message = "It is too late to skip this visit free of charge. Please call us."
