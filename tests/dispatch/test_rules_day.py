"""Fuel on board beside what is booked."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from fuel_app.bookings.rules.bookings import Booking
from fuel_app.dispatch.rules.day import (
    CLOSED,
    OPEN,
    PUBLISHED,
    Day,
    NoSuchDay,
    Shift,
    ShiftGone,
    StopGone,
    TruckRoute,
    Unassigned,
    find_shortages,
    parse_day,
)
from fuel_app.dispatch.rules.route_changes import find_route, find_stop
from tests.dispatch.trucks import TRUCK
from tests.helpers import day_plans
from tests.helpers.bookings import NOW, TODAY


def a_booking(gallons: int, grade: str = "regular", **differs: Any) -> Booking:
    about = {"grade": grade, "estimated_milligallons": gallons * 1000 - 1}
    return day_plans.a_booking(**about | differs)


SHIFT = replace(day_plans.a_route().shift, truck=TRUCK)


def of(*stops: Booking | None, shift: Shift = SHIFT) -> TruckRoute:
    return TruckRoute(shift, tuple(day_plans.a_stop(each) for each in stops))


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
    broken = replace(SHIFT, id="s2", broken_at=NOW)
    assert find_shortages(open_day(of(a_booking(100)), of(a_booking(51), shift=broken))) != ()
    assert find_shortages(open_day(of(a_booking(9), shift=broken))) == (
        "No truck on shift carries regular, and 1 booking needs it.",
    )


def test_day_without_shifts_has_no_route_and_no_stop():
    with pytest.raises(ShiftGone):
        find_route(Day(TODAY), "shift")
    with pytest.raises(StopGone):
        find_stop(Day(TODAY), "stop")


def test_days_far_from_now_are_none():
    assert parse_day("2026-11-23") == parse_day(TODAY) == TODAY
    for sent in ("9999-12-31", date.max, "0001-01-01", "1970-01-01", NOW, "today", None, 20261123):
        with pytest.raises(NoSuchDay):
            parse_day(sent)


def test_day_is_open_until_it_is_published_and_published_until_it_is_closed():
    day = Day(TODAY)
    published = replace(day, published_at=NOW)
    closed = replace(published, closed_at=NOW)
    assert [each.state for each in (day, published, closed)] == [OPEN, PUBLISHED, CLOSED]
