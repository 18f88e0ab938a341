"""The waitlist form and the format of ids."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit.errors import InvalidForm
from fuel_app.waitlist.rules import WaitlistEntry, well_formed_id
from tests.factories import waitlist_entry, waitlist_form

ID = "0f8fad5b-d9cb-469f-a165-70867728950e"


def test_an_entry_holds_the_cleaned_values():
    entry = WaitlistEntry.parse(
        waitlist_form(
            first_name=" Ada ",
            last_name="King\u200b  Lovelace",
            email=" ADA+fuel@Example.com ",
            phone_number="+1 (941) 555-0123",
            zip_code=" 34236 ",
        )
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
def test_each_field_is_needed_and_says_so_alone(field, message, typed):
    with pytest.raises(InvalidForm) as refused:
        waitlist_entry(**{field: typed})
    assert refused.value.messages == {field: message}


@pytest.mark.parametrize("form", [{}, None, "Ada", 5, [], [("first_name", "Ada")]])
def test_an_empty_form_names_every_field(form):
    with pytest.raises(InvalidForm, match="Please fix the highlighted fields") as refused:
        WaitlistEntry.parse(form)
    fields = {"first_name", "last_name", "email", "phone_number", "zip_code"}
    assert set(refused.value.messages) == fields


def test_a_field_that_is_not_on_the_form_is_ignored():
    assert not hasattr(waitlist_entry(id=ID, status="Closed Won"), "status")


fields = st.text() | st.none() | st.integers() | st.lists(st.text())


@given(
    first_name=fields | st.just("Ada"),
    last_name=fields | st.just("Lovelace"),
    email=fields | st.emails(),
    phone_number=fields | st.just("9415550123"),
    zip_code=fields | st.just("34236"),
)
def test_any_form_is_refused_or_parses_to_itself(**form):
    try:
        entry = WaitlistEntry.parse(form)
    except InvalidForm:
        return
    assert WaitlistEntry.parse(entry.model_dump()) == entry


@pytest.mark.parametrize("value", [ID, ID.upper(), f"  {ID}\n"])
def test_an_id_is_recognised_in_any_case(value):
    assert well_formed_id(value) == ID


@pytest.mark.parametrize(
    "value",
    [
        "",
        "1",
        ID[:-1],
        f"{ID}0",
        ID.replace("-", ""),
        f"{{{ID}}}",
        f"urn:uuid:{ID}",
        f"{ID} OR 1=1",
        f"{ID}\n{ID}",
        ID.replace("0", "g"),
        ID.replace("0", "０"),  # noqa: RUF001 (a full-width digit)
        "x" * 10_240,
        " " * 64 + ID,
        None,
        5,
        [ID],
        {"id": ID},
        uuid.UUID(ID),
    ],
)
def test_a_malformed_id_is_rejected(value):
    assert well_formed_id(value) is None


@given(st.uuids())
def test_every_uuid_is_an_id(value):
    assert well_formed_id(str(value)) == str(value)


@given(st.text() | st.integers() | st.none() | st.binary())
def test_any_value_can_be_checked_as_an_id(value):
    assert well_formed_id(value) is None or isinstance(value, str)
