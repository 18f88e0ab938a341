"""Switches on any days: what is charged is the price of the days that each plan was used."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from fuel_app.billing.rules import plans
from fuel_app.billing.rules.invoices import LEAST_CHARGE, sum_of
from fuel_app.billing.rules.plans import PaidPeriod, PlanTerms, lines_of, with_credit
from fuel_app.kit.money import Money, total
from fuel_app.plans.rules.plans import PLANS, Period

NOTHING = Money(0)
days = st.dates(date(2026, 1, 1), date(2040, 12, 31))
terms = st.builds(
    PlanTerms,
    neighborhood=st.just("Palms"),
    confirmed=st.integers(0, 30),
    tax_basis_points=st.integers(0, 2000),
    credit=st.builds(Money, st.integers(0, 20_000)),
)


@given(st.lists(st.tuples(st.sampled_from(PLANS), st.integers(0, 27)), min_size=1), days, terms)
def test_switches_up_charge_each_plan_for_its_days_to_the_cent(switches, day, terms):
    untaxed = PlanTerms(terms.neighborhood, terms.confirmed)
    charged, used, current = [], [], None
    for plan, later in switches:
        day += timedelta(days=later if current else 0)
        if current and plan.price <= current.plan.price:
            continue
        lines = lines_of(plan, day, untaxed, current)
        charged.append(sum_of(lines))
        if current:
            used.append(current.price - plans.unused_value(current.price, current.period, day))
        current = PaidPeriod(plan, Period.of(day, day), plans.price_of(lines))
    assert current
    assert total(charged) == total(used) + current.price
    assert all(each >= NOTHING for each in charged)


@given(st.sampled_from(PLANS), days, st.data())
def test_unused_days_are_worth_the_price_at_most(plan, anchor, data):
    period = Period.of(anchor, anchor)
    day = data.draw(st.dates(period.starts, period.ends))
    assert NOTHING <= plans.unused_value(plan.price, period, day) <= plan.price


@given(st.sampled_from(PLANS), days, terms)
def test_credit_never_turns_an_invoice_negative(plan, day, terms):
    lines = lines_of(plan, day, terms)
    due = sum_of(with_credit(lines, terms.credit))
    rest = max(NOTHING, sum_of(lines) - terms.credit)
    assert due == rest or rest < due == LEAST_CHARGE  # less cannot be charged
