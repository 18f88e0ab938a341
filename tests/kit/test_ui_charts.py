"""Bars of a chart."""

import pytest

from fuel_app.kit.ui.charts import bars


def test_bars_are_as_high_as_their_share_of_the_largest():
    shown = bars([("Mon", 5, "5"), ("Tue", 20, "20"), ("Wed", 10, "10")])
    assert [bar.top for bar in shown] == ["78.8%", "15.0%", "57.5%"]
    assert (shown[0].label, shown[0].value) == ("Mon", "5")


@pytest.mark.parametrize("values", [[], [("Mon", 0, "0")]])
def test_a_chart_of_nothing_fails_nothing(values):
    assert all(bar.top == "100.0%" for bar in bars(values))
