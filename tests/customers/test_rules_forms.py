"""The forms of sign-up and booking."""

import pytest

from fuel_app.customers.rules.forms import Address, Contact, Signup
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.forms import Form
from tests.factories import address_form, signup_form


def messages(form: object, rules: type[Form] = Signup) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        rules.parse(form)
    return refused.value.messages


@pytest.mark.parametrize("form", [{}, None, dict.fromkeys(signup_form(), "")])
def test_every_field_is_required(form):
    assert messages(form) == {
        "first_name": "First name is required",
        "last_name": "Last name is required",
        "email": "Invalid email address",
        "phone": "Phone number must be at least 10 digits",
        "password": "Password must be at least 8 characters",
    }


def test_one_letter_is_a_name():
    assert Contact.parse(signup_form(first_name="A", last_name="L")).first_name == "A"


@pytest.mark.parametrize("phone", ["941555012", " 941 55501 ", "555-0123"])
def test_a_phone_number_has_ten_characters_at_least(phone):
    assert messages(signup_form(phone=phone)) == {
        "phone": "Phone number must be at least 10 digits"
    }


@pytest.mark.parametrize("phone", ["9415550123", "(941) 555-0123", "+44 20 7946 0018"])
def test_a_phone_number_is_kept_as_it_is_written(phone):
    assert Contact.parse(signup_form(phone=phone)).phone == phone


def test_a_password_has_eight_characters_at_least():
    assert set(messages(signup_form(password="1234567"))) == {"password"}
    assert Signup.parse(signup_form(password=" 234567 "))


def test_a_long_phone_or_password_is_refused():
    assert messages(signup_form(phone="1" * 41, password="x" * 1001)) == {
        "phone": "Phone number must be 40 characters or fewer",
        "password": "Password must be 1000 characters or fewer",
    }


def test_the_password_is_no_part_of_what_is_kept():
    kept = Signup.parse(signup_form(password="engine-1843"))
    assert "engine-1843" not in kept.model_dump().values()


def test_a_contact_alone_needs_no_password():
    assert Contact.parse(signup_form(password="")).email == "ada@example.com"


def test_an_address_is_cleaned():
    typed = address_form(street="  1  Main\tStreet ", zip=" 34236 ")
    assert Address.parse(typed) == Address(
        street="1 Main Street", city="Sarasota", state="FL", zip="34236"
    )


@pytest.mark.parametrize("form", [{}, None, dict.fromkeys(address_form(), " \t")])
def test_street_city_state_and_zip_are_required(form):
    assert messages(form, Address) == {
        "street": "Street is required",
        "city": "City is required",
        "state": "State is required",
        "zip": "ZIP code is required",
    }


@pytest.mark.parametrize("code", ["3423", "342361", "34 236", "ABCDE"])
def test_a_zip_has_five_digits(code):
    assert messages(address_form(zip=code), Address) == {"zip": "ZIP code must be 5 digits"}


def test_a_long_address_is_refused():
    assert messages(address_form(street="x" * 201, state="x" * 41), Address) == {
        "street": "Street must be 200 characters or fewer",
        "state": "State must be 40 characters or fewer",
    }
