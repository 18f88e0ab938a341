"""Gallons, and each part of the price."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.bookings.rules.estimates import (
    Estimate,
    FillEstimate,
    expected_milligallons,
    fee_for,
    fuel_cost,
)
from fuel_app.bookings.rules.states import FREE_FILL, PAYS_BY
from fuel_app.kit.money import Money, dollars

ONE_CAR = FillEstimate(
    car="2022 Toyota Camry",
    grade="regular",
    mills=3459,
    effective_at=datetime(2026, 11, 22, tzinfo=UTC),
    source="Our supplier",
    milligallons=9600,
    tank_tenths=160,
    pays_by="fee",
    period=None,
    fills_left=0,
    fee=dollars(15),
    tax=Money(0),
    free_cap=None,
)
FEE_PAID = Estimate((ONE_CAR,), dollars(15))


def of_car(**changed: Any) -> Estimate:
    """Return the estimate of a visit with one car."""
    return Estimate((replace(ONE_CAR, **changed),), dollars(15))


@given(st.integers(1, 200_000), st.integers(1_000, 15_000))
def test_fuel_is_rounded_once_half_up(milligallons, mills):
    exact = milligallons * mills  # in ten-thousandths of a cent
    assert 0 <= 2 * (fuel_cost(milligallons, mills).cents * 10_000 - exact) + 10_000 <= 20_000
    assert fuel_cost(1000, 3455) == Money(346)


@given(st.integers(0, 10_000), st.integers(0, 2_000))
def test_tax_is_of_the_fee_alone(cents, points):
    assert abs(Money(cents).share(points, 10_000).cents * 10_000 - cents * points) <= 5_000
    assert dollars(15).share(700, 10_000) == Money(105)


@pytest.mark.parametrize(
    ("average", "tank", "expected"), [(None, 160, 9600), (11250, 160, 11250), (None, 10, 600)]
)
def test_gallons_are_the_cars_average_else_60_percent_of_its_tank(average, tank, expected):
    assert expected_milligallons(average, tank) == expected


def test_fee_is_paid_by_who_has_no_fill_left():
    assert {each: fee_for(each).cents for each in PAYS_BY if fee_for(each).cents} == {"fee": 1500}


@pytest.mark.parametrize(
    ("changed", "amounts", "total"),
    [
        ({}, ["$33.21", "$15.00"], "$48.21"),
        ({"tax": Money(105)}, ["$33.21", "$15.00", "$1.05"], "$49.26"),
        ({"pays_by": "allowance", "fee": Money(0)}, ["$33.21", "Included in your plan"], "$33.21"),
        ({"pays_by": "guest_fill", "fee": Money(0)}, ["$33.21", "Guest fill"], "$33.21"),
        (
            {"pays_by": "free_fill", "fee": Money(0), "free_cap": dollars(20)},
            ["$33.21", "Free", "-$20.00"],
            "$13.21",
        ),
        (
            {"pays_by": "free_fill", "fee": Money(0), "free_cap": dollars(50)},
            ["$33.21", "Free", "-$33.21"],
            "$0.00",
        ),
        ({"pays_by": "free_fill", "fee": Money(0)}, ["$33.21", "Free", "-$33.21"], "$0.00"),
    ],
)
def test_each_part_of_the_price_is_named(changed, amounts, total):
    estimate = of_car(**changed)
    assert [line.amount for line in estimate.lines] == amounts
    assert str(estimate.total) == total
    assert estimate.lines[0].label == "Fuel, about 9.6 gallons at $3.46"


@pytest.mark.parametrize(
    ("changed", "brief"),
    [
        ({"tax": Money(105)}, "Fuel $33.21 + fee $15.00 + tax $1.05 · we hold up to $77"),
        ({"pays_by": "allowance", "fee": Money(0)}, "Fuel $33.21 · we hold up to $61"),
        ({"pays_by": "free_fill", "fee": Money(0)}, "Fuel $33.21 - $33.21 free"),
    ],
)
def test_parts_and_hold_fit_in_one_line(changed, brief):
    assert of_car(**changed).brief == brief


def test_cap_stands_beside_the_free_first_fill():
    capped = of_car(pays_by="free_fill", fee=Money(0), free_cap=dollars(50))
    assert capped.lines[-1].label == "Free first fill up to $50"
    assert of_car(pays_by="free_fill", fee=Money(0)).lines[-1].label == "Free first fill"


@pytest.mark.parametrize(
    ("changed", "is_same"),
    [
        ({"mills": 3460}, False),
        ({"fee": Money(0)}, False),
        ({"tax": Money(1)}, False),
        ({"pays_by": "allowance"}, False),
        ({"free_cap": dollars(50)}, False),
        ({"milligallons": 9000, "fills_left": 3, "source": "EIA"}, True),
    ],
)
def test_terms_are_what_a_customer_agrees_to(changed, is_same):
    assert (of_car(**changed).terms == FEE_PAID.terms) is is_same


def test_hold_covers_a_tenth_more_than_the_tank_and_the_fees_in_whole_dollars():
    # 17.6 gallons at $3.459 are $60.88
    assert FEE_PAID.hold == dollars(76)
    assert FEE_PAID.held == "We hold up to $76; you pay for what is pumped."
    free = of_car(pays_by=FREE_FILL, fee=Money(0), free_cap=dollars(50))
    assert free.held == "We hold up to $11, in case more than the free fuel goes in."
    assert of_car(fee=Money(1512)).hold == dollars(76)
    assert of_car(fee=Money(1512), tax=Money(1)).hold == dollars(77)


def test_hold_of_a_free_first_fill_leaves_out_what_is_free():
    free: dict[str, Any] = {"pays_by": FREE_FILL, "fee": Money(0)}
    assert of_car(**free, free_cap=dollars(50)).hold == dollars(11)
    for whole in (of_car(**free), of_car(**free, free_cap=dollars(61))):
        assert (whole.hold, whole.held) == (Money(0), "")


def test_visit_of_two_cars_sums_what_is_due_and_rounds_its_hold_once():
    covered = replace(ONE_CAR, car="2021 Ford F-150", pays_by="allowance", fee=Money(0))
    both = Estimate((ONE_CAR, covered), dollars(15))
    assert str(both.total) == "$81.42"
    assert both.hold == dollars(137)  # 75.88 and 60.88
    assert both.brief == "Fuel $66.42 + fee $15.00 · your last fill · we hold up to $137"
    two = Estimate((replace(covered, fills_left=3), replace(covered, fills_left=2)), dollars(15))
    assert two.brief == "Fuel $66.42 · 2 of your 3 fills · we hold up to $122"
    assert Estimate((ONE_CAR, ONE_CAR), dollars(15)).of_plan == ""
    assert both.lines[0].label == "2022 Toyota Camry: Fuel, about 9.6 gallons at $3.46"
    assert both.lines[-1].amount == "Included in your plan"
    assert both.terms != Estimate((covered, ONE_CAR), dollars(15)).terms
