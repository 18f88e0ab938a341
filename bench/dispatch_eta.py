"""The error of expected arrivals on simulated days, beside a schedule that never changes.

Stops take 11 minutes on average and drives as long as planned on average, both at random (lognormal
with a spread of a third and a quarter, so that a few take twice as long). Trucks plan twelve stops
in two-hour windows. At each step of a truck every later arrival is estimated twice: by
`rules/timing.expected`, and by the plan of the morning. The bound is for the last hour before the
technician comes, when customers look; hours ahead nothing is known but the plan.
"""

import random
import statistics
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from bench import QUICK
from bench.report import Figure
from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.bookings import Booking, Car, Place
from fuel_app.dispatch.rules.arrivals import ServiceTimes, estimate_times
from fuel_app.dispatch.rules.day import RouteStop, Shift, Truck, TruckRoute
from fuel_app.kit.money import FuelPrice, Money

DAYS = 100 if QUICK else 1_000
STOPS = 12
DRIVE_S = (300, 1_200)  # as planned
SPREAD_OF_SERVICE, SPREAD_OF_DRIVE = 0.33, 0.25  # of the logarithm
STARTS = datetime(2026, 11, 23, 12, tzinfo=UTC)  # 07:00 in New York
TIMES = ServiceTimes()
_MINUTE, _SOON = timedelta(minutes=1), timedelta(hours=1)
_DAY = date(2026, 11, 23)
_HOME = Point(27.34, -82.53)
_TRUCK = Truck(
    "truck", "Truck 1", "TRK 1", {"regular": 500_000}, "M-1", _DAY, "Home", _HOME, True, 1
)
_SHIFT = Shift("shift", _DAY, _TRUCK, "", "Dana", STARTS, STARTS + timedelta(hours=12), 1)
_CAR = Car("Toyota", "Camry", "2022", "Silver", "ABC 123", "FL", "regular", 160, "Unlocked")


def measure() -> list[Figure]:
    """Return the mean absolute errors in minutes, and how much smaller ours is."""
    chance = random.Random(18)
    every, soon = [], []
    for _ in range(DAYS):
        for now, live, planned, real in _told(chance):
            errors = abs((live - real) / _MINUTE), abs((planned - real) / _MINUTE)
            every.append(errors)
            if real - now <= _SOON:
                soon.append(errors)
    return [
        *_compared(f"arrival estimated in the last hour, {DAYS} simulated days", soon, ">= 30"),
        *_compared("arrival estimated at any time before", every, ""),
    ]


def _compared(what: str, errors: list[tuple[float, float]], bound: str) -> list[Figure]:
    live, planned = (statistics.mean(each) for each in zip(*errors, strict=True))
    return [
        Figure(f"{what}: mean error", "min", [live]),
        Figure("  by the morning's schedule", "min", [planned]),
        Figure("  smaller by", "%", [100 * (1 - live / planned)], bound),
    ]


def _told(chance: random.Random) -> Iterator[tuple[datetime, datetime, datetime, datetime]]:
    """Yield for each step and later stop: now, the estimated, planned and actual arrival."""
    route = _planned(chance)
    real = _driven(route, chance)
    for done in range(STOPS):
        for stop in ("driving_at", "arrived_at", "ended_at"):
            known, now = _so_far(route, real, done, stop)
            for each in estimate_times(known, now, TIMES)[done + 1 :]:
                place = known.stops.index(each.stop)
                yield now, each.begins_at, each.stop.begins_at, real[place]["arrived_at"]


def _planned(chance: random.Random) -> TruckRoute:
    stops = tuple(_stop(place, chance) for place in range(STOPS))
    route = TruckRoute(_SHIFT, stops)
    begins = [each.begins_at for each in estimate_times(route, STARTS, TIMES)]
    return TruckRoute(
        _SHIFT, tuple(replace(s, begins_at=at) for s, at in zip(stops, begins, strict=True))
    )


def _stop(place: int, chance: random.Random) -> RouteStop:
    opens = STARTS + timedelta(hours=1 + 2 * (place // 5))
    where = Place("1 Main St", "Sarasota", "FL", "34236", "Driveway", 27.2 + place / 50, -82.5)
    booking = Booking(
        id=f"booking-{place}",
        person_id="",
        contact={},
        area_id="area",
        slot_id=f"slot-{place}",
        starts_at=opens,
        ends_at=opens + timedelta(hours=2),
        state="dispatched",
        revision=1,
        car=_CAR,
        place=where,
        grade="regular",
        price=FuelPrice(3459),
        estimated_milligallons=9_600,
        pays_by="fee",
        period=None,
        fee=Money(0),
        tax=Money(0),
        free_cap=None,
        late_fee_agreed=Money(0),
        late_fee=Money(0),
        fee_asked_at=None,
        ended_by="",
        reason="",
        filled_milligallons=None,
        ticket={},
        total=None,
        completed_at=None,
        created_at=STARTS,
    )
    leg_s = chance.randint(*DRIVE_S)
    return RouteStop(booking.id, booking, booking.slot_id, "Ada", False, leg_s, STARTS)


def _driven(route: TruckRoute, chance: random.Random) -> list[dict[str, datetime]]:
    """Return what really happens at each stop."""
    free_at, happened = STARTS, []
    for stop in route.stops:
        assert stop.booking
        drive = stop.leg_s * _around_one(chance, SPREAD_OF_DRIVE)
        service = 60 * TIMES.first * _around_one(chance, SPREAD_OF_SERVICE)
        there = free_at + timedelta(seconds=drive)
        arrived = max(there, stop.booking.starts_at)
        leaves = arrived - timedelta(seconds=drive)  # not to wait at a closed window
        ended = arrived + timedelta(seconds=service)
        happened.append({"driving_at": leaves, "arrived_at": arrived, "ended_at": ended})
        free_at = ended
    return happened


def _around_one(chance: random.Random, spread: float) -> float:
    """Return a random factor whose mean is 1."""
    return chance.lognormvariate(-(spread**2) / 2, spread)


def _so_far(
    route: TruckRoute, real: list[dict[str, datetime]], done: int, last: str
) -> tuple[TruckRoute, datetime]:
    """Return the route as it is known just after a step of the stop `done`, and that moment."""
    stops = []
    for place, stop in enumerate(route.stops):
        times = real[place] if place <= done else {}
        if place == done:
            known = ("driving_at", "arrived_at", "ended_at")
            times = {each: times[each] for each in known[: known.index(last) + 1]}
        stops.append(replace(stop, **times))
    return TruckRoute(_SHIFT, tuple(stops)), real[done][last]
