"""When the card for a window is authorised, on days of clock changes, too."""

from datetime import UTC, date, datetime, timedelta

import pytest

from fuel_app.bookings.rules.authorizations import first_try, last_try
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.kit.clock import NEW_YORK


@pytest.mark.parametrize("day", [date(2026, 3, 8), date(2026, 7, 4), date(2026, 11, 1)])
def test_card_is_tried_at_six_the_evening_before_and_half_past_six_on_new_yorks_clocks(day):
    starts_at = on_clock(day, 8)
    last = last_try(starts_at, datetime(2026, 1, 1, tzinfo=UTC))
    first = first_try(starts_at).astimezone(NEW_YORK)
    assert f"{first:%H:%M}" == "18:00"
    assert first.date() == day - timedelta(days=1)
    assert f"{last.astimezone(NEW_YORK):%m-%d %H:%M}" == f"{day:%m-%d} 06:30"


def test_after_half_past_six_the_last_try_is_two_hours_before_or_in_half_an_hour():
    starts_at = on_clock(date(2026, 7, 4), 14)
    for hours, minutes, last in ((5, 59, "06:30"), (6, 1, "12:00"), (11, 45, "12:15")):
        now = on_clock(date(2026, 7, 4), hours) + timedelta(minutes=minutes)
        assert f"{last_try(starts_at, now).astimezone(NEW_YORK):%H:%M}" == last
