"""When a car is due: the day on which 70 % of its tank is used, learned from its refills.

A fill tops the tank up, so its gallons are what the car has used since the refill before, whoever
made that. Each gives a pace in gallons a day. The forecast is the weighted average of their
logarithms; its span comes from how much they differ. docs/decisions/forecasts.md has the figures.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

from fuel_app.kit.clock import NEW_YORK, day_of

FILLS_NEEDED = 3
USED = 0.7  # of the tank, when a car is due
HISTORY = timedelta(days=400)  # older refills weigh next to nothing
_HALVED_AFTER = 5  # fills
_PRIOR_FILLS = 0.5  # the prior weighs as much as so many fills
_USUAL_AT_MOST = 1.5  # times its car's median, or that part of it, is what a pace counts as
_SPREAD_AT_MOST = 3  # the same, for the span
_PRIOR_SPREAD, _PRIOR_SPREAD_FILLS = 0.35, 2
_80_PERCENT = statistics.NormalDist().inv_cdf(0.9)
_LEAST_DAYS = 0.5  # between two refills: a correction is no pace

# Gallons a day before the first fill, by the largest tank of a class: 37 miles a day (FHWA) at
# 32, 26 and 20 miles a gallon.
_CLASSES = ((13.5, 1.15), (17.5, 1.4), (math.inf, 1.8))
_PLANS = {"": 0.8, "big-family": 1.1}  # who buys fewer fills drives less; others count as 1


@dataclass(frozen=True, slots=True)
class Refill:
    """A moment from which a tank is full; `milligallons` is None where they are not known."""

    at: datetime
    milligallons: int | None


def filled_elsewhere(day: date) -> Refill:
    """Return the refill of a car whose customer has filled it elsewhere on a day."""
    return Refill(datetime.combine(day, time(12), NEW_YORK).astimezone(UTC), None)


@dataclass(frozen=True, slots=True)
class Proposed:
    """The tank for which a seat was proposed: the refill from which it counts, and its due day."""

    since: datetime
    due: date


@dataclass(frozen=True, slots=True)
class History:
    """A car's refills, the oldest first, and when its next booked window opens.

    Also whether it is booked when it is due, the last proposal, and the window that is held.
    """

    refills: tuple[Refill, ...] = ()
    booked_at: datetime | None = None
    books_when_due: bool = False
    proposed: Proposed | None = None
    held_at: datetime | None = None

    @property
    def since(self) -> datetime | None:
        """Return the last refill."""
        return self.refills[-1].at if self.refills else None

    @property
    def is_served(self) -> bool:
        """Return whether a window is booked or held."""
        return bool(self.booked_at or self.held_at)

    @property
    def was_proposed(self) -> bool:
        """Return whether a seat was proposed for this tank."""
        return self.proposed is not None and self.proposed.since == self.since

    @property
    def fills(self) -> int:
        """Return how many refills have known gallons."""
        return sum(bool(each.milligallons) for each in self.refills)

    def is_elsewhere_on(self, day: date) -> bool:
        return filled_elsewhere(day) in self.refills


@dataclass(frozen=True, slots=True)
class Learning:
    """A car of which too few fills are known."""

    fills: int = 0
    span: str = ""

    def text(self, _now: datetime) -> str:
        return f"We learn from {FILLS_NEEDED} fills when it is due: {self.fills} so far"


@dataclass(frozen=True, slots=True)
class Forecast:
    """When a car is due; in four of five cases between `earliest` and `latest`."""

    since: datetime  # the refill from which it counts
    gallons_a_day: float
    due: datetime
    earliest: datetime
    latest: datetime

    def is_near(self, now: datetime) -> bool:
        """Return whether a day is within the span."""
        return day_of(self.earliest) <= day_of(now) <= day_of(self.latest)

    def text(self, now: datetime) -> str:
        """Return 'Due around Thu, Dec 3', or what to ask once the span is over."""
        day = short_day(self.due)
        if day_of(now) > day_of(self.latest):
            return f"Was due around {day}. Filled elsewhere?"
        return f"Due around {day}"

    @property
    def span(self) -> str:
        """Return 'Between Nov 30 and Dec 6'."""
        first, last = day_of(self.earliest), day_of(self.latest)
        if first == last:
            return ""
        return f"Between {first:%b} {first.day} and {last:%b} {last.day}"


def short_day(at: datetime) -> str:
    """Return 'Thu, Dec 3'."""
    day = day_of(at)
    return f"{day:%a, %b} {day.day}"


def forecast(
    refills: Sequence[Refill], *, tank_gallons: float, plan_id: str = ""
) -> Forecast | Learning:
    """Return when a car is due, from its refills, the oldest first."""
    fills = sum(bool(each.milligallons) for each in refills)
    if fills < FILLS_NEEDED:
        return Learning(fills)
    prior = math.log(_prior_pace(tank_gallons, plan_id))
    paces = [
        math.log(min(this.milligallons / 1000, tank_gallons) / _days(before.at, this.at))
        for before, this in pairwise(refills)
        if this.milligallons
    ]
    weights = [0.5 ** (age / _HALVED_AFTER) for age in reversed(range(len(paces)))]
    usual = statistics.median(paces)
    known = _PRIOR_FILLS + sum(weights)
    bounded = [_within(pace - usual, _USUAL_AT_MOST) for pace in paces]
    pace = (_PRIOR_FILLS * prior + _sum(weights, bounded) + (known - _PRIOR_FILLS) * usual) / known
    squares = [_within(each - pace, _SPREAD_AT_MOST) ** 2 for each in paces]
    variance = _PRIOR_SPREAD_FILLS * _PRIOR_SPREAD**2 + _sum(weights, squares)
    variance /= _PRIOR_SPREAD_FILLS + sum(weights)
    factor = math.exp(_80_PERCENT * math.sqrt(variance * (1 + 1 / known)))
    since, days = refills[-1].at, USED * tank_gallons / math.exp(pace)
    return Forecast(
        since=since,
        gallons_a_day=math.exp(pace),
        due=since + timedelta(days=days),
        earliest=since + timedelta(days=days / factor),
        latest=since + timedelta(days=days * factor),
    )


def _prior_pace(tank_gallons: float, plan_id: str) -> float:
    pace = next(pace for most, pace in _CLASSES if tank_gallons <= most)
    return pace * _PLANS.get(plan_id, 1)


def _days(before: datetime, after: datetime) -> float:
    return max((after - before) / timedelta(days=1), _LEAST_DAYS)


def _within(distance: float, factor: float) -> float:
    """Return a distance of logarithms, at most that of a factor."""
    most = math.log(factor)
    return min(max(distance, -most), most)


def _sum(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))
