"""Figures of leads."""

from datetime import UTC, date, datetime

from fuel_app.dashboard.rules import per_day, type_counts, week_until


def test_types_are_counted_by_status_in_order():
    fleet, business, waitlist = type_counts(
        [
            ("Closed Won", {"fleet": 2, "business": 0, "waitlist": 0}),
            ("Not Contacted", {"fleet": 3, "business": 1, "waitlist": 0}),
            ("pending", {"waitlist": 40}),
            ("Meta Ads", {"fleet": 2}),  # no status: counted as other
            ("Owner 1", {"fleet": 1}),
        ]
    )
    assert list(fleet.by_status.items()) == [("Not Contacted", 3), ("Closed Won", 2), ("Other", 3)]
    assert (fleet.type, fleet.leads) == ("fleet", 8)
    assert business.by_status == {"Not Contacted": 1}
    assert waitlist.by_status == {"pending": 40}
    assert [count.leads for count in type_counts([])] == [0, 0, 0]


def test_week_begins_six_midnights_ago_in_new_york():
    starts = week_until(datetime(2026, 3, 10, 3, 30, tzinfo=UTC))  # the 9th, 23:30 in New York
    assert starts[0] == datetime(2026, 3, 3, 5, tzinfo=UTC)
    assert starts[-2:] == [  # daylight saving begins in between
        datetime(2026, 3, 8, 5, tzinfo=UTC),
        datetime(2026, 3, 9, 4, tzinfo=UTC),
    ]
    assert len(starts) == 7


def test_days_without_leads_are_included():
    starts = week_until(datetime(2026, 3, 10, 12, tzinfo=UTC))[-2:]
    days = per_day(starts, {1: {"fleet": 2, "waitlist": 5}})
    assert [(each.day, each.leads) for each in days] == [
        (date(2026, 3, 9), 0),
        (date(2026, 3, 10), 7),
    ]
