"""Validation of waitlist entries."""

import pytest

from fuel_app.kit.errors import InvalidForm
from tests.factories import waitlist_entry


def test_entry_holds_the_cleaned_values():
    entry = waitlist_entry(
        first_name=" Ada ",
        last_name="King\u200b  Lovelace",
        email=" ADA+fuel@Example.com ",
        phone_number="+1 (941) 555-0123",
        zip_code=" 34236 ",
    )
    assert entry.model_dump() == {
        "first_name": "Ada",
        "last_name": "King Lovelace",
        "email": "ada+fuel@example.com",
        "phone_number": "9415550123",
        "zip_code": "34236",
    }


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("first_name", "First name is required"),
        ("last_name", "Last name is required"),
        ("email", "Invalid email address"),
        ("phone_number", "Phone number must be 10 digits"),
        ("zip_code", "ZIP code must be 5 digits"),
    ],
)
@pytest.mark.parametrize("typed", ["", "   ", None, 5, [], {}])
def test_each_field_is_required_and_reports_its_own_problem(field, message, typed):
    with pytest.raises(InvalidForm) as refused:
        waitlist_entry(**{field: typed})
    assert refused.value.messages == {field: message}
