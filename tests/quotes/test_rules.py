"""Rules of quote requests."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from fuel_app.kit.errors import InvalidForm
from fuel_app.quotes.rules import FILL_FREQUENCIES, INDUSTRIES, NOTES_MAX, BusinessQuote, FleetQuote
from tests.factories import business_quote, business_quote_form, fleet_quote


def problems(make: Callable[..., Any], **differs: Any) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        make(**differs)
    return refused.value.messages


fleet_problems = partial(problems, fleet_quote)
business_problems = partial(problems, business_quote)


def test_a_fleet_quote_holds_what_was_typed_as_values():
    assert fleet_quote(
        company_name="  Analytical   Engines ", email=" Ada@Example.com", vehicle_count="1,200"
    ) == FleetQuote.model_construct(
        company_name="Analytical Engines",
        contact_name="Ada Lovelace",
        email="ada@example.com",
        phone="9415550123",
        vehicle_count=1200,
        fuel_types=("diesel",),
        fill_frequency="weekly",
        estimated_fuel_amount=40.5,
        service_location="1 Main Street, Sarasota",
        notes="",
    )


def test_a_business_quote_holds_what_was_typed_as_values():
    quote = business_quote()
    assert (quote.employee_count, quote.industry, quote.phone) == (12, "Construction", "9415550123")


def test_an_empty_fleet_form_names_every_field_but_the_notes_in_the_order_of_the_tabs():
    assert list(problems(partial(FleetQuote.parse, {})).items()) == [
        ("company_name", "Company name is required"),
        ("contact_name", "Contact name is required"),
        ("email", "Email is required"),
        ("phone", "Phone is required"),
        ("vehicle_count", "Number of vehicles is required"),
        ("fuel_types", "Select at least one fuel type"),
        ("fill_frequency", "Fill frequency is required"),
        ("estimated_fuel_amount", "Estimated fuel amount is required"),
        ("service_location", "Service location is required"),
    ]


def test_an_empty_business_form_names_every_field_but_the_notes():
    messages = problems(partial(BusinessQuote.parse, None))
    assert set(messages) == business_quote_form().keys() - {"notes"}


@pytest.mark.parametrize("email", ["ada", "ada@", "@example.com", "a b@example.com", "ada@x"])
def test_an_email_has_to_look_like_an_address(email):
    assert fleet_problems(email=email) == {"email": "Invalid email address"}
    assert business_problems(email=email) == {"email": "Invalid email address"}


@pytest.mark.parametrize(
    "phone",
    [
        *("9415550123", "19415550123", "94155501234", "941-555-0123", "(941)555-0123"),
        *("(941) 555-01234", "(941) 555-0123 x7"),
    ],
)
def test_a_fleet_phone_has_one_format(phone):
    assert fleet_problems(phone=phone) == {"phone": "Phone format: (XXX) XXX-XXXX"}


def test_a_business_phone_has_any_format():
    assert business_quote(phone="941.555.0123").phone == "9415550123"
    assert business_quote(phone="+44 20 7946 0958").phone == "+44 20 7946 0958"
    assert business_quote(phone="+1 941 555 0123").phone == "9415550123"
    for as_typed in ("(941) 555-0123 ext. 7", "9415550123 ext", "19415550123"):
        assert business_quote(phone=as_typed).phone == as_typed
    assert business_problems(phone="1" * 41) == {"phone": "Phone must be 40 characters or fewer"}


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("0", "Must be greater than 0"),
        ("-1", "Must be greater than 0"),
        ("0.5", "Must be greater than 0"),
        ("1.5", "Must be a whole number"),
        (str(10**12), "Must be 1,000,000 or less"),
        ("1000001", "Must be 1,000,000 or less"),
        ("1e3", "Must be a number"),
        ("nan", "Must be a number"),
        ("ten", "Must be a number"),
        ("1,00", "Must be a number"),
        (".", "Must be a number"),
        ("٣", "Must be a number"),
        ("9" * 9000, "Must be a number"),
        ("  ", "Number of vehicles is required"),
        (3, "Number of vehicles is required"),
    ],
)
def test_a_number_of_vehicles_is_whole_and_within_reason(typed, message):
    assert fleet_problems(vehicle_count=typed) == {"vehicle_count": message}


@pytest.mark.parametrize(("typed", "count"), [("1", 1), ("+7", 7), (" 12 ", 12), ("5.0", 5)])
def test_a_number_of_employees_is_read_as_people_write_it(typed, count):
    assert business_quote(employee_count=typed).employee_count == count


@pytest.mark.parametrize(
    ("typed", "gallons"), [("0.1", 0.1), (".5", 0.5), ("12", 12.0), ("12.50", 12.5), ("7.", 7.0)]
)
def test_fuel_is_counted_in_tenths_of_a_gallon(typed, gallons):
    assert fleet_quote(estimated_fuel_amount=typed).estimated_fuel_amount == gallons


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("0.09", "Must be greater than 0"),
        ("1.55", "Use at most one decimal"),
        ("1000000.1", "Must be 1,000,000 or less"),
    ],
)
def test_an_amount_of_fuel_is_refused_with_a_reason(typed, message):
    assert fleet_problems(estimated_fuel_amount=typed) == {"estimated_fuel_amount": message}


@pytest.mark.parametrize("ticked", [None, [], "diesel", ["kerosene"], [["diesel"]], 7])
def test_a_fleet_needs_a_known_fuel(ticked):
    assert fleet_problems(fuel_types=ticked) == {"fuel_types": "Select at least one fuel type"}


def test_fuels_are_stored_once_and_in_one_order():
    assert fleet_quote(fuel_types=["diesel", "gasoline", "diesel", "kerosene"]).fuel_types == (
        "gasoline",
        "diesel",
    )


def test_a_choice_is_one_of_those_offered():
    for frequency in FILL_FREQUENCIES:
        assert fleet_quote(fill_frequency=frequency).fill_frequency == frequency
    for industry in INDUSTRIES:
        assert business_quote(industry=industry).industry == industry
    required = {"fill_frequency": "Fill frequency is required"}
    assert fleet_problems(fill_frequency="hourly") == required
    assert business_problems(industry="Piracy") == {"industry": "Industry is required"}


def test_notes_keep_their_lines_and_lose_invisible_characters():
    notes = "\n  Gate\u200b   code 12 \r\n\r\nBack lot\n\n"
    assert fleet_quote(notes=notes).notes == "Gate code 12\n\nBack lot"
    assert fleet_quote(notes=None).notes == ""


def test_long_notes_are_refused():
    message = {"notes": "Notes must be 5,000 characters or fewer"}
    assert len(fleet_quote(notes="x" * NOTES_MAX).notes) == NOTES_MAX
    for notes in ("x" * (NOTES_MAX + 1), "x" * 100_000, " " * 100_000):
        assert fleet_problems(notes=notes) == message


def test_long_lines_are_refused_before_the_database_would():
    assert fleet_problems(company_name="x" * 201, service_location="x" * 301) == {
        "company_name": "Company name must be 200 characters or fewer",
        "service_location": "Service location must be 300 characters or fewer",
    }
