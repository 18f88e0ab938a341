"""A change of hours and the bookings that stand in its way."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from unittest.mock import Mock

from fuel_app.areas.rules.hours import ALL_DAY, DayException, Hours, default_week
from fuel_app.bookings.rules.bookings import CANCELLABLE, Booking, when
from fuel_app.launch.rules import AffectedBookings, affected_by
from tests.helpers.hours import without_window

MONDAY = date(2026, 11, 23)
USUAL = Hours(default_week(6))


def booked(number: int, opens: int = 8) -> Any:
    starts_at = datetime(2026, 11, 23, opens + 5, tzinfo=UTC)
    text = when(starts_at, starts_at + timedelta(hours=2))
    slot_id = f"area-2026-11-23-{opens:02}"
    return Mock(Booking, id=f"b{number}", slot_id=slot_id, day=MONDAY, when=text)


def on_monday(opens: int, capacity: int) -> Hours:
    return Hours(USUAL.windows_by_weekday, (DayException(MONDAY, opens, capacity, "Storm"),))


THREE = (booked(1), booked(2), booked(3, opens=10))


def test_a_closed_window_and_a_closed_day_name_their_bookings():
    assert affected_by(USUAL, on_monday(8, 0), THREE).closed == THREE[:2]
    assert affected_by(USUAL, on_monday(ALL_DAY, 0), THREE).closed == THREE
    assert affected_by(USUAL, without_window(USUAL, 0, 10), THREE).closed == THREE[2:]


def test_what_was_closed_before_is_asked_about_once():
    closed = on_monday(ALL_DAY, 0)
    assert affected_by(closed, without_window(closed, 0, 10), THREE) == AffectedBookings()
    assert affected_by(closed, USUAL, THREE) == AffectedBookings()


def test_less_room_than_booked_names_the_window():
    found = affected_by(USUAL, on_monday(ALL_DAY, 1), THREE)
    assert found.closed == ()
    assert found.over == (("Monday, November 23, 2026, 8–10 AM", 2),)  # noqa: RUF001
    assert affected_by(USUAL, on_monday(ALL_DAY, 2), THREE) == AffectedBookings()


def test_an_answer_refers_to_the_bookings_of_its_question():
    one, two = (affected_by(USUAL, on_monday(8, 0), THREE[:n]) for n in (1, 2))
    assert one.key != two.key
    assert AffectedBookings().key == ()


def test_a_fill_that_has_begun_is_not_cancelled():
    assert CANCELLABLE == ("booked", "dispatched", "en_route", "arrived", "weather_hold")
