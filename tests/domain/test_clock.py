"""The company's day is New York's."""

from datetime import UTC, date, datetime

import pytest

from fuel_app.domain import clock


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 7, 1, 3, 59, tzinfo=UTC), date(2026, 6, 30)),  # summer: four hours behind
        (datetime(2026, 7, 1, 4, 0, tzinfo=UTC), date(2026, 7, 1)),
        (datetime(2026, 12, 1, 4, 59, tzinfo=UTC), date(2026, 11, 30)),  # winter: five
        (datetime(2026, 12, 1, 5, 0, tzinfo=UTC), date(2026, 12, 1)),
        (datetime(2026, 3, 9, 3, 59, tzinfo=UTC), date(2026, 3, 8)),  # clocks went forward that day
        (datetime(2026, 11, 2, 4, 59, tzinfo=UTC), date(2026, 11, 1)),  # and back that day
    ],
)
def test_a_day_ends_at_midnight_in_new_york(moment, day):
    assert clock.day_of(moment) == day


def test_now_knows_its_time_zone():
    assert clock.now().tzinfo is UTC


def test_dates_read_as_americans_write_them():
    assert clock.long_date(date(2026, 3, 5)) == "March 5, 2026"
    assert clock.short_date(date(2026, 11, 21)) == "Nov 21, 2026"


@pytest.mark.parametrize(
    ("hour", "minute", "shown"), [(4, 5, "12:05 AM"), (16, 0, "12:00 PM"), (17, 30, "1:30 PM")]
)
def test_times_are_new_yorks(hour, minute, shown):
    assert clock.time_of_day(datetime(2026, 7, 1, hour, minute, tzinfo=UTC)) == shown
