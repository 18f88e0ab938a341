"""The day's figures."""

from dataclasses import replace

import pytest

from fuel_app.dashboard import preview as stats_sample
from fuel_app.dashboard.rules import SUBSCRIPTION_REVENUE_CENTS


@pytest.mark.parametrize(
    ("revenue", "done", "each"),
    [(14760, 3, 4920), (10000, 3, 3333), (20000, 3, 6667), (5, 2, 3), (0, 4, 0), (9900, 0, 0)],
)
def test_revenue_per_fillup_is_to_the_cent_and_nothing_without_a_fillup(revenue, done, each):
    stats = replace(stats_sample.ADMIN_STATS, total_revenue_cents=revenue, completed_fillups=done)
    assert stats.cents_per_fillup == each


def test_the_fixed_figures_are_the_specified_ones():
    assert stats_sample.ADMIN_STATS.total_customers == 156
    assert SUBSCRIPTION_REVENUE_CENTS == 624_000
