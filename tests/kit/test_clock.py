"""Days and times in New York, across changes of the clocks."""

from datetime import UTC, date, datetime, timedelta

import pytest

from fuel_app.kit import clock


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 7, 1, 3, 59, tzinfo=UTC), date(2026, 6, 30)),  # summer: four hours behind
        (datetime(2026, 12, 1, 4, 59, tzinfo=UTC), date(2026, 11, 30)),  # winter: five
        (datetime(2026, 3, 8, 5, 0, tzinfo=UTC), date(2026, 3, 8)),  # clocks go forward: 23 hours
        (datetime(2026, 3, 9, 3, 59, tzinfo=UTC), date(2026, 3, 8)),
        (datetime(2026, 11, 2, 4, 59, tzinfo=UTC), date(2026, 11, 1)),
        (datetime(2026, 11, 2, 5, 0, tzinfo=UTC), date(2026, 11, 2)),
    ],
)
def test_day_ends_at_midnight_in_new_york(moment, day):
    assert clock.day_of(moment) == day


@pytest.mark.parametrize(
    ("change", "hours"), [(date(2026, 3, 8), 23), (date(2026, 11, 1), 25), (date(2026, 7, 4), 24)]
)
def test_day_has_23_or_25_hours_when_clocks_change(change, hours):
    starts = clock.mornings(change + timedelta(days=1), 3)
    assert [clock.day_of(start) for start in starts] == [
        change + timedelta(days=ahead) for ahead in (-1, 0, 1)
    ]
    assert starts[2] - starts[1] == timedelta(hours=hours)
    assert starts[1] - starts[0] == timedelta(hours=24)


def test_dates_are_formatted_in_us_english():
    assert clock.long_date(date(2026, 3, 5)) == "March 5, 2026"
    assert clock.short_date(date(2026, 11, 21)) == "Nov 21, 2026"


@pytest.mark.parametrize(
    ("hour", "minute", "shown"), [(4, 5, "12:05 AM"), (16, 0, "12:00 PM"), (17, 30, "1:30 PM")]
)
def test_time_of_day_is_in_new_york(hour, minute, shown):
    assert clock.time_of_day(datetime(2026, 7, 1, hour, minute, tzinfo=UTC)) == shown


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        (datetime(2026, 3, 8, 6, 59, tzinfo=UTC), "Mar 8, 2026, 1:59 AM"),
        (datetime(2026, 3, 8, 7, 0, tzinfo=UTC), "Mar 8, 2026, 3:00 AM"),
        (datetime(2026, 11, 1, 5, 59, tzinfo=UTC), "Nov 1, 2026, 1:59 AM"),
        (datetime(2026, 11, 1, 6, 0, tzinfo=UTC), "Nov 1, 2026, 1:00 AM"),  # once more
        (datetime(2026, 11, 1, 7, 0, tzinfo=UTC), "Nov 1, 2026, 2:00 AM"),
    ],
)
def test_skipped_and_repeated_hours_are_shown_as_on_clocks(moment, shown):
    assert clock.date_and_time(moment) == shown


@pytest.mark.parametrize(
    ("day", "months", "expected"),
    [
        (date(2026, 11, 9), 1, date(2026, 12, 9)),
        (date(2026, 1, 9), -1, date(2025, 12, 9)),
        (date(2026, 1, 31), 1, date(2026, 2, 28)),
        (date(2028, 1, 31), 1, date(2028, 2, 29)),
        (date(2026, 1, 31), 2, date(2026, 3, 31)),
        (date(2026, 5, 4), 0, date(2026, 5, 4)),
    ],
)
def test_months_later_is_the_same_day_or_the_last_of_the_month(day, months, expected):
    assert clock.months_later(day, months) == expected


@pytest.mark.parametrize(
    ("starts", "ends", "shown"),
    [
        ((13, 0), (15, 0), "8–10 AM"),  # noqa: RUF001
        ((15, 0), (17, 0), "10 AM–12 PM"),  # noqa: RUF001
        ((16, 40), (17, 10), "11:40 AM–12:10 PM"),  # noqa: RUF001
        ((23, 0), (23, 15), "6:00–6:15 PM"),  # noqa: RUF001
    ],
)
def test_span_says_what_both_ends_share_once(starts, ends, shown):
    first, last = (datetime(2026, 11, 24, *each, tzinfo=UTC) for each in (starts, ends))
    assert clock.time_span(first, last) == shown
