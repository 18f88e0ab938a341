"""The forms of sign-up and booking."""

import pytest

from fuel_app.customers.rules.sign_up import Address, Contact, Signup
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.forms import Form
from tests.factories import address_form, signup_form


def messages(form: object, rules: type[Form] = Signup) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        rules.parse(form)
    return refused.value.messages


SHORT_PHONE = {"phone": "Phone number must be at least 10 digits"}
SHORT_PASSWORD = {"password": "Password must be at least 8 characters"}
SIGNUP_REQUIRED = {
    "first_name": "First name is required",
    "last_name": "Last name is required",
    "email": "Invalid email address",
    **SHORT_PHONE,
    **SHORT_PASSWORD,
}
ADDRESS_REQUIRED = {
    "street": "Street is required",
    "city": "City is required",
    "state": "State is required",
    "zip": "ZIP code is required",
}


@pytest.mark.parametrize(
    ("rules", "form", "expected"),
    [
        *((Signup, form, SIGNUP_REQUIRED) for form in ({}, None, dict.fromkeys(signup_form(), ""))),
        *((Address, form, ADDRESS_REQUIRED) for form in ({}, dict.fromkeys(address_form(), " \t"))),
        *((Signup, signup_form(phone=typed), SHORT_PHONE) for typed in (" 941 55501 ", "555-0123")),
        (Signup, signup_form(password="1234567"), SHORT_PASSWORD),
        (
            Signup,
            signup_form(phone="1" * 41, password="x" * 1001),
            {
                "phone": "Phone number must be 40 characters or fewer",
                "password": "Password must be 1000 characters or fewer",
            },
        ),
        (
            Address,
            address_form(street="x" * 201, state="x" * 41),
            {
                "street": "Street must be 200 characters or fewer",
                "state": "State must be 40 characters or fewer",
            },
        ),
        (Address, address_form(zip="3423"), {"zip": "ZIP code must be 5 digits"}),
    ],
)
def test_invalid_form_has_a_message_for_each_field(rules, form, expected):
    assert messages(form, rules) == expected


@pytest.mark.parametrize("phone", ["9415550123", "(941) 555-0123", "+44 20 7946 0018"])
def test_phone_number_is_kept_as_written(phone):
    assert Contact.parse(signup_form(phone=phone, password="")).phone == phone


def test_parsed_signup_holds_no_password():
    kept = Signup.parse(signup_form(password=" 234567 "))
    assert " 234567 " not in kept.model_dump().values()


def test_address_is_cleaned():
    typed = address_form(street="  1  Main\tStreet ", zip=" 34236 ")
    assert Address.parse(typed) == Address.parse(address_form())
