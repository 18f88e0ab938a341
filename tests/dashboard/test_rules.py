"""Figures of leads and of the day."""

from dataclasses import replace
from datetime import UTC, date, datetime

from fuel_app.dashboard import preview as stats_sample
from fuel_app.dashboard.rules import SUBSCRIPTION_REVENUE, per_day, type_counts, week_until
from fuel_app.kit.money import Money, dollars


def test_every_type_is_counted_by_the_statuses_that_it_has_in_their_order():
    fleet, business, waitlist = type_counts(
        [
            ("Closed Won", {"fleet": 2, "business": 0, "waitlist": 0}),
            ("Not Contacted", {"fleet": 3, "business": 1, "waitlist": 0}),
            ("pending", {"waitlist": 40}),
        ]
    )
    assert list(fleet.by_status.items()) == [("Not Contacted", 3), ("Closed Won", 2)]
    assert (fleet.type, fleet.leads) == ("fleet", 5)
    assert business.by_status == {"Not Contacted": 1}
    assert waitlist.by_status == {"pending": 40}


def test_what_the_lead_source_control_wrote_into_the_status_is_counted_as_other():
    fleet, *_ = type_counts([("Meta Ads", {"fleet": 2}), ("Owner 1", {"fleet": 1})])
    assert fleet.by_status == {"Other": 3}


def test_without_leads_every_type_is_there_with_none():
    assert [(count.type, count.leads) for count in type_counts([])] == [
        ("fleet", 0),
        ("business", 0),
        ("waitlist", 0),
    ]


def test_a_week_begins_six_midnights_ago_in_new_york_whatever_the_clocks_do():
    starts = week_until(datetime(2026, 3, 10, 3, 30, tzinfo=UTC))  # the 9th, 23:30 in New York
    assert starts[0] == datetime(2026, 3, 3, 5, tzinfo=UTC)
    assert starts[-2:] == [  # between them the clocks go forward
        datetime(2026, 3, 8, 5, tzinfo=UTC),
        datetime(2026, 3, 9, 4, tzinfo=UTC),
    ]
    assert len(starts) == 7


def test_days_without_leads_are_days_too():
    starts = week_until(datetime(2026, 3, 10, 12, tzinfo=UTC))[-2:]
    days = per_day(starts, {1: {"fleet": 2, "waitlist": 5}})
    assert [(each.day, each.leads) for each in days] == [
        (date(2026, 3, 9), 0),
        (date(2026, 3, 10), 7),
    ]


def test_revenue_per_fillup_is_nothing_without_a_fillup():
    stats = stats_sample.ADMIN_STATS
    assert stats.revenue_per_fillup == Money(49_20)
    assert replace(stats, completed_fillups=0).revenue_per_fillup == dollars(0)


def test_the_fixed_figures_are_the_specified_ones():
    assert stats_sample.ADMIN_STATS.total_customers == 156
    assert SUBSCRIPTION_REVENUE.short == "$6,240"
