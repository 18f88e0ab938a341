"""Plans, periods by billing day, and what they grant."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit.clock import months_later
from fuel_app.plans.rules.ledger import GUEST, PLAN, grant_of, quarter_of
from fuel_app.plans.rules.plans import (
    ACTIVE,
    BY_ID,
    CANCELLED,
    INCOMPLETE,
    ONE_TIME_FEE,
    PAST_DUE,
    PLANS,
    Period,
    SubscriptionInfo,
)

DAYS = st.dates(date(2024, 1, 1), date(2049, 12, 31))
ANCHOR = date(2027, 1, 31)
SOLO, FAMILY, BIG = BY_ID.values()


def info(**differs: object) -> SubscriptionInfo:
    period = Period.of(ANCHOR, ANCHOR)
    known = {"plan": FAMILY, "state": ACTIVE, "following": FAMILY, "anchor": ANCHOR}
    known |= {"period_starts": period.starts, "period_ends": period.ends}
    return SubscriptionInfo("p", **known | differs)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("anchor", "day", "starts", "ends"),
    [
        ("2027-01-31", "2027-01-31", "2027-01-31", "2027-02-28"),
        ("2027-01-31", "2027-02-27", "2027-01-31", "2027-02-28"),
        ("2027-01-31", "2027-02-28", "2027-02-28", "2027-03-31"),
        ("2027-01-31", "2027-03-30", "2027-02-28", "2027-03-31"),
        ("2027-01-31", "2027-03-31", "2027-03-31", "2027-04-30"),
        ("2027-01-31", "2028-02-29", "2028-02-29", "2028-03-31"),
        ("2028-02-29", "2029-02-28", "2029-02-28", "2029-03-29"),
        ("2028-02-29", "2029-02-27", "2029-01-29", "2029-02-28"),
        ("2026-12-15", "2027-01-14", "2026-12-15", "2027-01-15"),
    ],
)
def test_period_keeps_the_billing_day_through_short_months(anchor, day, starts, ends):
    found = Period.of(date.fromisoformat(anchor), date.fromisoformat(day))
    assert (str(found.starts), str(found.ends)) == (starts, ends)


@given(DAYS, DAYS)
def test_every_day_lies_in_one_period_that_is_counted_from_the_anchor(anchor, day):
    found = Period.of(anchor, day)
    assert found.starts <= day < found.ends
    assert Period.of(anchor, found.starts) == found
    assert Period.of(anchor, found.ends).starts == found.ends
    assert Period.of(anchor, found.starts - timedelta(days=1)).ends == found.starts
    last = (months_later(found.starts.replace(day=1), 1) - timedelta(days=1)).day
    assert found.starts.day == min(anchor.day, last)


def test_active_plan_reaches_this_period_and_the_next_alone():
    reached = [info().in_reach(date(2027, *day)) for day in ((1, 30), (1, 31), (2, 28), (3, 31))]
    assert [found and found[0].starts for found in reached] == [
        None,
        date(2027, 1, 31),
        date(2027, 2, 28),
        None,
    ]


def test_next_period_has_the_plan_that_follows():
    found = info(following=SOLO).in_reach(date(2027, 3, 1))
    assert found
    assert found[1] == SOLO
    assert info(following=None).in_reach(date(2027, 3, 1)) is None


@pytest.mark.parametrize("state", [INCOMPLETE, PAST_DUE, CANCELLED])
def test_plan_that_is_not_active_reaches_no_day(state):
    assert info(state=state).in_reach(ANCHOR) is None


@pytest.mark.parametrize(
    ("state", "may"), [(INCOMPLETE, True), (CANCELLED, True), (ACTIVE, False), (PAST_DUE, False)]
)
def test_plan_starts_once_until_it_has_ended(state, may):
    assert info(state=state).may_start is may


@given(DAYS)
def test_quarter_begins_in_january_april_july_or_october(day):
    quarter = quarter_of(day)
    assert quarter <= day < months_later(quarter, 3)
    assert (quarter.day, quarter.month % 3) == (1, 1)


def test_period_grants_the_plans_fills_by_a_key_of_its_own():
    found = grant_of(info(), PLAN, date(2027, 3, 1))
    assert found
    assert (found.key, found.fills) == ("grant:p:2027-02-28", 4)
    assert (str(found.period), str(found.ends)) == ("2027-02-28", "2027-03-31")


def test_big_family_alone_grants_a_guest_fill_a_quarter():
    found = grant_of(info(plan=BIG), GUEST, ANCHOR)
    assert found
    assert (found.key, found.fills, str(found.ends)) == ("guest:p:2027-01-01", 1, "2027-04-01")
    assert grant_of(info(), GUEST, ANCHOR) is None
    assert grant_of(info(state=PAST_DUE), GUEST, ANCHOR) is None


def test_plans_have_their_prices_and_fills():
    shown = [(plan.id, plan.price.short, plan.fills, plan.price_per_fill.short) for plan in PLANS]
    assert shown == [
        ("solo", "$25", 2, "$12.50"),
        ("family", "$44", 4, "$11"),
        ("big-family", "$79", 10, "$7.90"),
    ]
    assert [plan.id for plan in PLANS if plan.popular] == ["family"]
    assert ONE_TIME_FEE.short == "$15"
