"""Vehicles: the catalogue, and the two wordings of one form."""

import pytest

from fuel_app.customers.rules.vehicles import CATALOGUE, OneTimeVehicle, Vehicle, models
from fuel_app.kit.errors import InvalidForm
from tests.factories import vehicle_form


def messages(form: object, rules=Vehicle) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        rules.parse(form)
    return refused.value.messages


def test_five_makes_with_five_models_each():
    assert [(make, len(models(make))) for make in CATALOGUE] == [
        ("Toyota", 5),
        ("Honda", 5),
        ("Ford", 5),
        ("Chevrolet", 5),
        ("BMW", 5),
    ]


@pytest.mark.parametrize(
    ("make", "model", "gallons"),
    [
        ("Toyota", "Corolla", 13.2),
        ("Toyota", "Tacoma", 21.1),
        ("Honda", "CR-V", 14),
        ("Ford", "F-150", 26),
        ("Chevrolet", "Traverse", 19.4),
        ("BMW", "3 Series", 15.6),
    ],
)
def test_the_tank_goes_by_make_and_model(make, model, gallons):
    assert Vehicle.parse(vehicle_form(make=make, model=model)).estimated_tank_size == gallons


@pytest.mark.parametrize("make", ["", "Trabant", "toyota", None, 7, ["Toyota"]])
def test_an_unknown_make_has_no_models(make):
    assert models(make) == ()


def test_every_field_is_required_in_the_wording_of_the_account():
    assert messages({}) == {
        "make": "Make is required",
        "model": "Model is required",
        "year": "Year is required",
        "color": "Color is required",
        "license_plate": "License plate is required",
    }


def test_every_field_is_required_in_the_wording_of_the_one_time_fill():
    assert messages({}, OneTimeVehicle) == {
        "make": "Vehicle make is required",
        "model": "Vehicle model is required",
        "year": "Valid year required",
        "color": "Vehicle color is required",
        "license_plate": "License plate is required",
    }


@pytest.mark.parametrize(
    "year", ["202", "22", "20222", "1899", "2100", "twen", "20 22", "\u0662\u0660\u0662\u0662"]
)
@pytest.mark.parametrize("rules", [Vehicle, OneTimeVehicle])
def test_what_is_no_year_is_refused(year, rules):
    assert messages(vehicle_form(year=year), rules) == {"year": "Valid year required"}


def test_a_model_of_another_make_is_refused():
    assert messages(vehicle_form(make="Honda", model="Camry")) == {"model": "Model is required"}


def test_a_made_up_make_has_no_model_either():
    found = messages(vehicle_form(make="Trabant", model="Camry"))
    assert found == {"make": "Make is required", "model": "Model is required"}


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("abc 123", "ABC 123"),
        ("  abc \t  123\n", "ABC 123"),
        ("abc-123", "ABC-123"),
        ("a\u200bbc", "ABC"),
    ],
)
def test_a_plate_is_kept_in_capitals_with_single_spaces(typed, kept):
    assert Vehicle.parse(vehicle_form(license_plate=typed)).license_plate == kept


def test_long_texts_are_refused():
    assert messages(vehicle_form(color="x" * 31, license_plate="x" * 13)) == {
        "color": "Color must be 30 characters or fewer",
        "license_plate": "License plate must be 12 characters or fewer",
    }


def test_a_vehicle_keeps_its_id_and_its_photo():
    vehicle = Vehicle.parse(vehicle_form(), id="v1", image="data:image/webp;base64,UklGRg==")
    assert (vehicle.id, vehicle.image) == ("v1", "data:image/webp;base64,UklGRg==")


@pytest.mark.parametrize("form", [None, 7, "x", [], {"make": ["Toyota"], "model": {"a": 1}}])
def test_anything_may_be_sent_as_a_form(form):
    assert set(messages(form)) == {"make", "model", "year", "color", "license_plate"}
