"""Quiet hours, also on the days when the clocks change."""

from datetime import datetime

import pytest

from fuel_app.kit.clock import NEW_YORK
from fuel_app.messages.rules.kinds import is_quiet, send_at


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


@pytest.mark.parametrize(
    ("moment", "quiet"),
    [
        ("2026-03-02T07:59", True),
        ("2026-03-02T08:00", False),
        ("2026-03-02T19:59", False),
        ("2026-03-02T20:00", True),
        ("2026-03-08T03:00", True),  # an hour after the clocks went forward
        ("2026-11-01T01:30", True),
    ],
)
def test_quiet_hours(moment, quiet):
    assert is_quiet(local(moment)) is quiet


@pytest.mark.parametrize(
    ("kind", "wanted", "now", "at"),
    [
        # A reminder goes before the quiet hours,
        ("hour_before", "2026-03-05T07:00", "2026-03-04T12:00", "2026-03-04T19:30"),
        ("day_before", "2026-03-04T21:00", "2026-03-04T12:00", "2026-03-04T19:30"),
        ("day_before", "2026-03-05T00:00", "2026-03-04T12:00", "2026-03-04T19:30"),
        # at once if that time has passed but the quiet hours have not begun,
        ("hour_before", "2026-03-05T07:00", "2026-03-04T19:45", "2026-03-04T19:45"),
        # and in the morning if they have.
        ("hour_before", "2026-03-05T07:00", "2026-03-04T22:00", "2026-03-05T08:00"),
        ("hour_before", "2026-03-05T07:00", "2026-03-05T06:00", "2026-03-05T08:00"),
        ("hour_before", "2026-03-05T09:00", "2026-03-04T12:00", "2026-03-05T09:00"),
        # The clocks go forward on March 8th and back on November 1st.
        ("hour_before", "2026-03-08T07:00", "2026-03-07T12:00", "2026-03-07T19:30"),
        ("area_open", "2026-03-07T23:00", "2026-03-07T23:00", "2026-03-08T08:00"),
        ("hour_before", "2026-11-01T07:00", "2026-10-31T12:00", "2026-10-31T19:30"),
        ("area_open", "2026-11-01T01:30", "2026-11-01T01:30", "2026-11-01T08:00"),
        # Others wait for the morning, or go at once.
        ("area_open", "2026-03-04T20:00", "2026-03-04T20:00", "2026-03-05T08:00"),
        ("area_open", "2026-03-04T06:00", "2026-03-04T06:00", "2026-03-04T08:00"),
        ("area_open", "2026-03-04T12:00", "2026-03-04T13:00", "2026-03-04T13:00"),
        ("on_the_way", "2026-03-04T21:00", "2026-03-04T21:00", "2026-03-04T21:00"),
        ("verify", "2026-03-04T03:00", "2026-03-04T03:00", "2026-03-04T03:00"),
        ("booking_moved", "2026-03-04T03:00", "2026-03-04T03:00", "2026-03-04T03:00"),
        ("weather_hold", "2026-03-04T06:00", "2026-03-04T06:00", "2026-03-04T06:00"),
    ],
)
def test_message_goes_outside_of_the_quiet_hours(kind, wanted, now, at):
    assert send_at(kind, local(wanted), local(now)) == local(at)
