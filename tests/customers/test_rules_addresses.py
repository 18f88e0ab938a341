"""Where a vehicle stands: four required fields, and notes that are nobody's business here."""

import pytest

from fuel_app.customers.rules.addresses import Address
from fuel_app.kit.errors import InvalidForm
from tests.factories import address_form


def messages(form: object) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        Address.parse(form)
    return refused.value.messages


def test_an_address_is_cleaned():
    typed = address_form(street="  1  Main\tStreet ", zip=" 34236 ")
    assert Address.parse(typed) == Address(
        street="1 Main Street", city="Sarasota", state="FL", zip="34236"
    )


@pytest.mark.parametrize("form", [{}, None, dict.fromkeys(address_form(), " \t")])
def test_street_city_state_and_zip_are_required(form):
    assert messages(form) == {
        "street": "Street is required",
        "city": "City is required",
        "state": "State is required",
        "zip": "ZIP code is required",
    }


@pytest.mark.parametrize("code", ["3423", "342361", "34 236", "ABCDE"])
def test_a_zip_has_five_digits(code):
    assert messages(address_form(zip=code)) == {"zip": "ZIP code must be 5 digits"}


def test_what_is_far_too_long_is_refused():
    assert messages(address_form(street="x" * 201, state="x" * 41)) == {
        "street": "Street must be 200 characters or fewer",
        "state": "State must be 40 characters or fewer",
    }
