"""The address form."""

import pytest

from fuel_app.customers.rules.locations import NOT_INSIDE, LocationForm, OwnLocation
from fuel_app.kit.errors import InvalidForm
from tests.factories import place, place_form


def messages(form: object) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        LocationForm.parse(form)
    return refused.value.messages


@pytest.mark.parametrize("form", [{}, None, 7, {"street": ["x"], "spot": {"a": 1}}])
def test_unit_gate_code_and_notes_may_be_left_out(form):
    assert list(messages(form)) == ["street", "city", "state", "zip_code", "spot"]


@pytest.mark.parametrize(
    ("differs", "expected"),
    [
        ({"spot": "Garage or covered"}, {"spot": NOT_INSIDE}),
        ({"spot": "Roof"}, {"spot": "Where the car is parked is required"}),
        ({"unit": "x" * 31}, {"unit": "Unit must be 30 characters or fewer"}),
        ({"gate_code": "x" * 31}, {"gate_code": "Gate code must be 30 characters or fewer"}),
        ({"notes": "x" * 1001}, {"notes": "Notes must be 1,000 characters or fewer"}),
        ({"state": "Bavaria"}, {"state": "Enter a US state such as FL"}),
        ({"zip_code": "3423"}, {"zip_code": "ZIP code must be 5 digits"}),
    ],
)
def test_what_cannot_be_filled_or_stored_is_refused(differs, expected):
    assert messages(place_form(**differs)) == expected


def test_an_address_is_cleaned_and_named():
    parsed = place(street=" 1  Main Street ", unit="4b", state="florida", notes="a \n\n b ")
    assert (parsed.state, parsed.notes) == ("FL", "a\n\nb")
    assert parsed.postal == "1 Main Street, Sarasota, FL 34236"
    assert parsed.label == "1 Main Street, 4b, Sarasota, FL 34236"
    assert OwnLocation.names() == LocationForm.names()
