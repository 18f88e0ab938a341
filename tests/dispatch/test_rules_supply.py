"""Fuel on board beside what is booked."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from fuel_app.bookings.rules.bookings import Booking
from fuel_app.dispatch.rules.day import (
    Day,
    RouteStop,
    Shift,
    TruckRoute,
    Unassigned,
    find_shortages,
)
from fuel_app.kit.money import FuelPrice, Money
from tests.helpers.bookings import CAR, PLACE
from tests.helpers.trucks import TRUCK

NOON = datetime(2026, 11, 24, 17, tzinfo=UTC)
SHIFT = Shift("s1", NOON.date(), TRUCK, "p1", "Dana", NOON, NOON, 1)
NOTHING = Money(0)


def a_booking(gallons: int, grade: str = "regular", **differs: Any) -> Booking:
    values: dict[str, Any] = dict.fromkeys(Booking.__slots__) | {
        "id": f"{grade} {gallons}",
        "slot_id": "a",
        "state": "booked",
        "car": CAR,
        "place": PLACE,
        "grade": grade,
        "price": FuelPrice(3459),
        "fee": NOTHING,
        "estimated_milligallons": gallons * 1000 - 1,
    }
    return Booking(**values | differs)


def a_stop(booking: Booking | None) -> RouteStop:
    return RouteStop("r", booking, "a" if booking else "", "Ada", False, 0, NOON)


def of(*stops: Booking | None, shift: Shift = SHIFT) -> TruckRoute:
    return TruckRoute(shift, tuple(a_stop(each) for each in stops))


def open_day(*routes: TruckRoute, unassigned: tuple[Booking, ...] = ()) -> Day:
    return Day(SHIFT.day, routes, tuple(Unassigned(each, "Ada") for each in unassigned))


def test_a_day_without_trucks_has_no_warnings():
    assert find_shortages(open_day(unassigned=(a_booking(10),))) == ()


def test_tanks_that_hold_what_is_booked_are_enough():
    assert find_shortages(open_day(of(a_booking(100)), unassigned=(a_booking(50),))) == ()


def test_more_than_the_trucks_carry_needs_a_refill():
    day = open_day(of(a_booking(100), None), unassigned=(a_booking(1_000, "diesel"), a_booking(51)))
    assert find_shortages(day) == (
        "Regular: 151 gallons are booked, the trucks on shift carry 150. They will have to refill.",
        "Diesel: 1,000 gallons are booked, the trucks on shift carry 100. "
        "They will have to refill.",
    )


def test_a_grade_that_no_truck_carries_is_named():
    one, two = a_booking(9, "plus"), a_booking(9, "premium")
    assert find_shortages(open_day(of(), unassigned=(one, two, two))) == (
        "No truck on shift carries plus, and 1 booking needs it.",
        "No truck on shift carries premium, and 2 bookings need it.",
    )


def test_done_and_gone_bookings_need_no_fuel():
    done, gone = a_booking(900, state="completed"), a_booking(900, state="cancelled")
    assert find_shortages(open_day(of(done, gone))) == ()


def test_a_broken_truck_carries_nothing():
    broken = replace(SHIFT, id="s2", broken_at=NOON)
    assert find_shortages(open_day(of(a_booking(100)), of(a_booking(51), shift=broken))) != ()
    assert find_shortages(open_day(of(a_booking(9), shift=broken))) == (
        "No truck on shift carries regular, and 1 booking needs it.",
    )
