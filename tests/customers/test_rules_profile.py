"""A customer's profile, use of the plan and notifications."""

from dataclasses import asdict
from datetime import UTC, date, datetime

import pytest

from fuel_app.customers import preview as customer_sample
from fuel_app.customers.rules.profile import (
    GROUPS,
    NotificationSettings,
    PaymentMethod,
    Personal,
    days,
    days_since,
)
from fuel_app.kit.clock import day_of
from fuel_app.kit.errors import InvalidForm
from tests.factories import personal_form

NAMES = list(asdict(NotificationSettings()))
TODAY = date(2026, 3, 9)


@pytest.mark.parametrize(
    ("last_fill", "count"),
    [
        (date(2026, 3, 9), 0),
        (date(2026, 3, 8), 1),  # the day on which the clocks go forward has 23 hours
        (date(2026, 2, 7), 30),
        (date(2026, 3, 10), 0),
        (None, None),
    ],
)
def test_days_since_the_last_fill_are_counted_by_the_calendar(last_fill, count):
    assert days_since(last_fill, TODAY) == count


def test_days_are_counted_in_new_york():
    late_evening = datetime(2026, 3, 10, 3, 30, tzinfo=UTC)  # still the 9th in New York
    assert days_since(date(2026, 3, 8), day_of(late_evening)) == 1


@pytest.mark.parametrize(("count", "words"), [(0, "0 days"), (1, "1 day"), (30, "30 days")])
def test_days_are_worded(count, words):
    assert days(count) == words


def test_personal_information_is_cleaned():
    form = personal_form(first_name="  Ada ", email=" ADA@Example.com", phone="+1 (941) 555-0123")
    personal = Personal.parse(form)
    assert (personal.name, personal.initials) == ("Ada Lovelace", "AL")
    assert (personal.email, personal.phone) == ("ada@example.com", "9415550123")


def test_every_field_is_required():
    with pytest.raises(InvalidForm) as refused:
        Personal.parse({})
    assert refused.value.messages == {
        "first_name": "First name is required",
        "last_name": "Last name is required",
        "email": "Invalid email address",
        "phone": "Phone number must be 10 digits",
        "address": "Address is required",
        "city": "City is required",
        "state": "State is required",
        "zip_code": "ZIP code must be 5 digits",
    }
    assert list(refused.value.messages) == list(Personal.names())


def test_used_fills_are_those_that_do_not_remain():
    customer = customer_sample.customer(datetime(2026, 3, 9, 12, tzinfo=UTC))
    assert customer.fills_used == 1


def test_a_card_shows_the_month_in_which_it_expires():
    assert PaymentMethod("Visa", "4242", date(2028, 8, 1)).expiry == "08/28"


@pytest.mark.parametrize("name", NAMES)
def test_a_toggle_turns_over_one_setting_and_no_other(name):
    before = asdict(NotificationSettings())
    assert asdict(NotificationSettings().toggled(name)) == before | {name: not before[name]}


@pytest.mark.parametrize("name", ["", "toggled", "__class__", None, 3, [], {"sms": True}])
def test_an_unknown_name_changes_nothing(name):
    assert NotificationSettings().toggled(name) == NotificationSettings()


def test_the_screen_shows_every_setting_once():
    assert [field for entries in GROUPS.values() for field, _label, _text in entries] == NAMES
