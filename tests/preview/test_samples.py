"""The sample's numbers agree with each other on any day."""

from datetime import UTC, date, datetime, timedelta

import pytest

from fuel_app.customers.rules.customers import Personal, days_since
from fuel_app.customers.rules.sign_up import Signup
from fuel_app.dispatch.rules.drives import find_fault
from fuel_app.kit.clock import date_and_time, day_of, months_later
from fuel_app.preview import samples
from tests.helpers.sign_in import there

DAYS = [
    datetime(2026, 1, 1, 3, tzinfo=UTC),
    datetime(2026, 3, 8, 5, 30, tzinfo=UTC),  # New York's clocks go forward that day
    datetime(2026, 3, 25, tzinfo=UTC),
    datetime(2026, 11, 1, 5, 30, tzinfo=UTC),  # and back: this is the first of two 1:30
    datetime(2028, 2, 29, 12, tzinfo=UTC),
    datetime(2026, 12, 31, 23, tzinfo=UTC),
]
every_day = pytest.mark.parametrize("now", DAYS, ids=str)


def date_of(text: str, month: str = "%b") -> date:
    return datetime.strptime(text, f"{month} %d, %Y").replace(tzinfo=UTC).date()


@every_day
def test_sample_customer_is_as_specified_on_recent_days(now):
    customer, today = samples.customer(now), day_of(now)
    plan = there(customer.plan)
    assert (plan.name, plan.price.short) == ("Family Plan", "$44")
    assert (plan.fills, customer.fills_remaining) == (4, 3)
    billing = customer.billing
    assert [invoice.amount for invoice in billing.invoices] == ["$44.00", "$44.00"]
    newest, older = (date_of(invoice.day) for invoice in billing.invoices)
    assert newest <= today < date_of(billing.next_billing, "%B")
    assert older == months_later(newest, -1)
    assert datetime.strptime(billing.expiry, "%m/%y").replace(tzinfo=UTC).date() > today
    assert days_since(there(customer.password_changed), today) == 30
    assert samples.overview(now).last_fill == today - timedelta(days=6)
    assert [sign_in.current for sign_in in customer.sign_ins] == [True, False, False]
    assert customer.sign_ins[0].moment == date_and_time(now)


@every_day
def test_this_months_use_equals_its_past_services(now):
    customer, overview = samples.customer(now), samples.overview(now)
    billed = date_of(customer.billing.invoices[0].day)
    this_month = [service for service in overview.past_services if service.day >= billed]
    assert len(this_month) == 1 == customer.fills_total - there(customer.fills_remaining)
    assert sum(service.milligallons for service in this_month) == overview.milligallons_used
    days = [service.day for service in overview.past_services]
    assert days == sorted(days, reverse=True)


def test_the_samples_pass_the_rules_of_their_forms():
    assert Personal.parse(samples.PERSONAL.model_dump()) == samples.PERSONAL
    suggested = samples.CONTACT.model_dump() | {"password": samples.PASSWORD}
    assert Signup.parse(suggested).email == samples.CONTACT.email


@every_day
def test_the_sample_stops_are_reachable_and_today(now):
    stops = samples.stops(now)
    assert len({stop.id for stop in stops}) == len(stops) == 9
    assert [stop.time for stop in stops] == sorted(stop.time for stop in stops)
    for stop in stops:
        assert day_of(stop.time) == day_of(now)
        assert find_fault(stop.point) is None
        assert stop.window
        assert stop.window.opens <= stop.time < stop.window.closes
        assert stop.window.closes - stop.window.opens == timedelta(hours=2)
