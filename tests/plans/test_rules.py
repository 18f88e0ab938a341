"""What customers can buy, as the specification's section 9 has it."""

import pytest

from fuel_app.kit.money import dollars
from fuel_app.plans.rules import ONE_TIME_FEE, PLANS


@pytest.mark.parametrize(
    ("id", "name", "price", "fills", "features"),
    [
        (
            "solo",
            "Solo Plan",
            25,
            2,
            [
                "mobile fill-ups at home or work",
                "online scheduling access",
                "monthly fuel tracking dashboard",
            ],
        ),
        (
            "family",
            "Family Plan",
            44,
            4,
            ["priority scheduling access", "2 registered vehicles", "roll over 1 unused fill"],
        ),
        (
            "big-family",
            "Big Family Plan",
            79,
            10,
            [
                "same-day service before noon",
                "unlimited registered vehicles",
                "priority text and phone support",
                "free quarterly guest fill",
            ],
        ),
    ],
)
def test_each_plan_costs_and_holds_what_was_agreed(id, name, price, fills, features):
    found = next(plan for plan in PLANS if plan.id == id)
    assert (found.name, found.price, found.fills) == (name, dollars(price), fills)
    assert [text[0].lower() + text[1:] for text in found.features] == features


def test_there_are_three_plans_and_only_the_family_plan_is_the_most_popular():
    assert [plan.id for plan in PLANS] == ["solo", "family", "big-family"]
    assert [plan.id for plan in PLANS if plan.popular] == ["family"]


def test_a_one_time_fill_adds_fifteen_dollars():
    assert dollars(15) == ONE_TIME_FEE


def test_a_plan_says_what_one_fill_comes_to():
    assert [plan.price_per_fill.short for plan in PLANS] == ["$12.50", "$11", "$7.90"]
