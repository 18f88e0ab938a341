"""Signing up: the rules as specified, and a password that is looked at and not kept."""

import pytest

from fuel_app.customers.rules.sign_up import Contact, Signup
from fuel_app.kit.errors import InvalidForm
from tests.factories import signup_form


def messages(form: object) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        Signup.parse(form)
    return refused.value.messages


@pytest.mark.parametrize("form", [{}, None, dict.fromkeys(signup_form(), "")])
def test_every_field_says_what_it_needs(form):
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


def test_seven_characters_are_no_password_and_eight_are():
    assert set(messages(signup_form(password="1234567"))) == {"password"}
    assert Signup.parse(signup_form(password=" 234567 "))


def test_what_is_far_too_long_is_refused():
    assert messages(signup_form(phone="1" * 41, password="x" * 1001)) == {
        "phone": "Phone number must be 40 characters or fewer",
        "password": "Password must be 1000 characters or fewer",
    }


def test_the_password_is_no_part_of_what_is_kept():
    kept = Signup.parse(signup_form(password="engine-1843"))
    assert "engine-1843" not in kept.model_dump().values()


def test_a_contact_alone_needs_no_password():
    assert Contact.parse(signup_form(password="")).email == "ada@example.com"
