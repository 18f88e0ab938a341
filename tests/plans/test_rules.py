"""Prices, fills and order of the plans."""

from fuel_app.plans.rules.plans import ONE_TIME_FEE, PLANS


def test_plans_have_their_prices_and_fills():
    shown = [(plan.id, plan.price.short, plan.fills, plan.price_per_fill.short) for plan in PLANS]
    assert shown == [
        ("solo", "$25", 2, "$12.50"),
        ("family", "$44", 4, "$11"),
        ("big-family", "$79", 10, "$7.90"),
    ]
    assert [plan.id for plan in PLANS if plan.popular] == ["family"]
    assert ONE_TIME_FEE.short == "$15"
