"""Reminders go on New York's clocks, and not when they have become wrong."""

from datetime import date, timedelta

import pytest

from fuel_app.bookings.rules.bookings import reminders_for
from fuel_app.bookings.rules.slots import on_clock


@pytest.mark.parametrize("day", [date(2026, 11, 24), date(2026, 3, 8), date(2026, 11, 1)])
def test_reminder_of_the_day_before_goes_at_the_same_time_of_day(day):
    tomorrow, soon = reminders_for(on_clock(day, 8))
    assert tomorrow.at == on_clock(day - timedelta(days=1), 8)
    assert tomorrow.good_until == on_clock(day, 0)
    assert soon.at == on_clock(day, 7)
    assert soon.good_until == on_clock(day, 8)
