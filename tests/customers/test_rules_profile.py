"""A customer's profile and use of the plan."""

from datetime import UTC, date, datetime

import pytest

from fuel_app.customers.rules.customers import OwnPersonal, Personal, days_since, format_days
from fuel_app.kit.clock import day_of
from fuel_app.kit.errors import InvalidForm
from tests.factories import personal_form

LATE_EVENING = datetime(2026, 3, 10, 3, 30, tzinfo=UTC)  # still the 9th in New York


@pytest.mark.parametrize(
    ("day", "text"),
    [
        (date(2026, 3, 9), "0 days"),
        (date(2026, 3, 8), "1 day"),  # it has 23 hours: the clocks go forward
        (date(2026, 2, 7), "30 days"),
        (date(2026, 3, 10), "0 days"),
    ],
)
def test_days_since_are_counted_by_the_calendar_of_new_york(day, text):
    assert format_days(days_since(day, day_of(LATE_EVENING))) == text


def test_personal_information_is_cleaned():
    form = personal_form(first_name="  Ada ", email=" ADA@Example.com", phone="+1 (941) 555-0123")
    personal = Personal.parse(form)
    assert (personal.name, personal.initials) == ("Ada Lovelace", "AL")
    assert (personal.email, personal.phone) == ("ada@example.com", "9415550123")


@pytest.mark.parametrize("typed", ["FL", "fl", " Florida ", "FLORIDA"])
def test_the_state_of_an_account_is_stored_as_its_code(typed):
    form = personal_form(state=typed)
    assert OwnPersonal.rules(form).parse(form).state == "FL"


@pytest.mark.parametrize("typed", ["zz", "F", "Floridas", "🌴", ""])
def test_no_other_state_is_stored(typed):
    form = personal_form(state=typed)
    assert OwnPersonal.rules(form).problems(form)["state"] == "Enter a US state such as FL"


@pytest.mark.parametrize("zip_code", ["34236", ""])
def test_the_address_of_an_account_may_be_left_out(zip_code):
    form = personal_form(address=" ", city="", state="", zip_code=zip_code)
    personal = OwnPersonal.rules(form).parse(form)
    assert (personal.address, personal.state, personal.zip_code) == ("", "", zip_code)
    form["zip_code"] = "3423"
    assert OwnPersonal.rules(form).problems(form)["zip_code"] == "ZIP code must be 5 digits"


def test_half_an_address_is_refused():
    form = personal_form(address="", city="", zip_code="")
    messages = OwnPersonal.rules(form).problems(form)
    assert [name for name, message in messages.items() if message] == [
        "address",
        "city",
        "zip_code",
    ]


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
