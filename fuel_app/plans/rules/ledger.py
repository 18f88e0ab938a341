"""The ledger of a plan's fills: kinds of entries, and what a period grants."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.kit.clock import months_later
from fuel_app.kit.contact import text
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.limits import Room
from fuel_app.kit.words import counted
from fuel_app.plans.rules.plans import SubscriptionInfo

PLAN, GUEST = BUCKETS = ("plan", "guest")  # a guest fill is for a car that is not registered
GRANTED, ROLLED, RESERVED, USED, RELEASED, EXPIRED, ADJUSTED = ENTRY_KINDS = (
    *("granted", "rolled", "reserved", "used", "released", "expired", "adjusted"),
)
OF_BOOKINGS = (RESERVED, USED, RELEASED)


ADJUSTED_MOST = 20  # fills at once
REASON_MAX = 200
_TYPED = re.compile(r"([+-]?)([0-9]{1,3})")


class NoFillsLeft(Refusal):
    message = "No fills are left in this period."


class TooFewLeft(Refusal):
    """More is taken away than is left."""

    def __init__(self, left: int) -> None:
        super().__init__(f"Only {counted(left, 'fill')} of this period can be taken away.")


class NoPeriod(Refusal):
    message = "No plan is active, so there is no period to adjust."


def _fills(value: object) -> int:
    found = _TYPED.fullmatch(text(value).replace("\N{MINUS SIGN}", "-"))
    fills = int(found[1] + found[2]) if found else 0
    if not 0 < abs(fills) <= ADJUSTED_MOST:
        raise ValueError(
            f"Enter 1 to {ADJUSTED_MOST} fills, or -1 to -{ADJUSTED_MOST} to take some away"
        )
    return fills


class Adjustment(Form):
    """The form by which staff add fills to this period, or take some away."""

    fills: Annotated[int, PlainValidator(_fills)]
    reason: Annotated[str, line("Reason", REASON_MAX)]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as the staff read it."""

    at: datetime
    kind: str
    bucket: str
    fills: int
    booking_id: str
    who: str
    reason: str


@dataclass(frozen=True, slots=True)
class Allowance:
    """The fills of a period."""

    key: str  # lets them be granted once
    person_id: str
    bucket: str
    period: date  # its first day; the quarter's for guest fills
    ends: date  # the next one's first day
    fills: int  # before reservations: granted, rolled over, adjusted
    left: int
    rolled: int = 0  # of `fills`, from the period before

    @property
    def balance_key(self) -> tuple[str, date, str]:
        return self.person_id, self.period, self.bucket


@dataclass(frozen=True, slots=True)
class Reservation:
    """A fill of the plan that one of a booking takes."""

    grant: Allowance | None  # None where no active plan reaches the day
    booking_id: str
    fill_id: str
    revision: int | str  # of the booking; 'fit:3' makes a key where the plan has changed
    actor: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A fill of an open booking that takes one of the plan, unless none is left."""

    person_id: str
    booking_id: str
    fill_id: str
    bucket: str
    day: date


@dataclass(frozen=True, slots=True)
class Stock:
    """The fills of a period as they are stored; the sums are of its entries."""

    period: date
    bucket: str
    balance: int = 0
    granted: int = 0
    expired: int = 0
    others: int = 0  # rolled over and adjusted
    number: int = 0  # of the entries that grant or expire

    def change_to(self, fills: int | None) -> int:
        """Return the fills to grant, or to expire: all that is left where the plan gives None.

        What has expired took the rolled and adjusted ones first.
        """
        if fills is None:
            return -self.balance
        return fills - self.granted - min(0, self.expired + max(0, self.others))


@dataclass(frozen=True, slots=True)
class LedgerView:
    """The fills of this period, the next and this quarter's guest, and the last entries."""

    current: Allowance | None
    following: Allowance | None
    guest: Allowance | None
    entries: tuple[Entry, ...] = ()  # newest first
    room: Room | None = None  # what the reader may add; None for any number


def quarter_of(day: date) -> date:
    """Return the first day of a calendar quarter."""
    return day.replace(month=day.month - (day.month - 1) % 3, day=1)


def grant_key(person_id: str, bucket: str, starts: date) -> str:
    """Return the key of what a period begins with."""
    return f"{'grant' if bucket == PLAN else GUEST}:{person_id}:{starts}"


def grant_of(subscription: SubscriptionInfo | None, bucket: str, day: date) -> Allowance | None:
    """Return what the period of a day begins with; None where no active plan reaches it."""
    reached = subscription and subscription.in_reach(day)
    if subscription is None or reached is None:
        return None
    period, plan = reached
    fills, starts, ends = plan.fills, period.starts, period.ends
    if bucket == GUEST:
        fills, starts = plan.guest_fills, quarter_of(day)
        ends = months_later(starts, 3)
    person_id = subscription.person_id
    key = grant_key(person_id, bucket, starts)
    found = Allowance(key, person_id, bucket, starts, ends, fills, fills)
    return found if fills else None


def fills_of(subscription: SubscriptionInfo, bucket: str, starts: date) -> int | None:
    """Return the fills that the plan gives to this period or the next; None for other periods."""
    found = [
        plan.fills if bucket == PLAN else plan.guest_fills
        for period, plan in subscription.periods
        if period.starts == starts
        or (bucket == GUEST and quarter_of(period.starts) <= starts < period.ends)
    ]
    return max(found, default=None)
