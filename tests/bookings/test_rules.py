"""Windows by day and the cutoff for moving one, also when clocks change."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from fuel_app.bookings.rules.slots import by_day, can_be_left
from fuel_app.kit.clock import NEW_YORK
from fuel_app.preview import samples
from fuel_app.preview.samples import slots_on

SPRING, AUTUMN = date(2026, 3, 8), date(2026, 11, 1)  # New York's clocks change at 2:00
TIMES = ["08:00 AM - 10:00 AM", "10:00 AM - 12:00 PM", "02:00 PM - 04:00 PM"]


def test_windows_are_grouped_by_day_in_the_order_of_time():
    slots = slots_on([date(2024, 3, 15), date(2024, 3, 16)])
    days = by_day(reversed(slots))
    assert [day.name for day in days] == ["Friday, March 15, 2024", "Saturday, March 16, 2024"]
    assert [[slot.time for slot in day.slots] for day in days] == [TIMES, TIMES]
    assert days == samples.DAYS
    assert by_day([]) == ()


def test_every_window_has_an_id_of_its_own():
    assert len({slot.id for slot in slots_on([SPRING, AUTUMN])}) == 6


@pytest.mark.parametrize(
    ("day", "hours"),
    [
        (SPRING, [12, 14, 18]),  # already summer time when the first window opens
        (date(2026, 3, 7), [13, 15, 19]),
        (AUTUMN, [13, 15, 19]),  # already winter time
        (date(2026, 10, 31), [12, 14, 18]),
    ],
    ids=str,
)
def test_windows_open_by_new_yorks_clocks_on_the_days_when_these_change(day, hours):
    slots = slots_on([day])
    assert [slot.starts_at.hour for slot in slots] == hours  # UTC
    assert [slot.time for slot in slots] == TIMES
    assert all(slot.day == day for slot in slots)


@pytest.mark.parametrize(
    ("day", "opens_in"), [(SPRING, 8.5), (AUTUMN, 10.5), (date(2026, 7, 4), 9.5)], ids=str
)
def test_a_window_may_be_moved_until_two_elapsed_hours_before_it_opens(day, opens_in):
    half_past_midnight = datetime.combine(day, time(0, 30), NEW_YORK).astimezone(UTC)
    ten = slots_on([day])[1]
    cutoff = half_past_midnight + timedelta(hours=opens_in - 2)
    assert can_be_left(ten.starts_at, cutoff.astimezone(ZoneInfo("Asia/Tokyo")))
    assert not can_be_left(ten.starts_at, cutoff + timedelta(seconds=1))
