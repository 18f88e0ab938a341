"""The day's figures."""

from dataclasses import replace

from fuel_app.dashboard import preview as stats_sample
from fuel_app.dashboard.rules import SUBSCRIPTION_REVENUE
from fuel_app.kit.money import Money, dollars


def test_revenue_per_fillup_is_nothing_without_a_fillup():
    stats = stats_sample.ADMIN_STATS
    assert stats.revenue_per_fillup == Money(49_20)
    assert replace(stats, completed_fillups=0).revenue_per_fillup == dollars(0)


def test_the_fixed_figures_are_the_specified_ones():
    assert stats_sample.ADMIN_STATS.total_customers == 156
    assert SUBSCRIPTION_REVENUE.short == "$6,240"
