"""Vehicles: the catalogue, the form in its two wordings, and the garage."""

import pytest

from fuel_app.customers.rules import vehicles as garage
from fuel_app.customers.rules.makes import CATALOGUE, OWN_CATALOGUE
from fuel_app.customers.rules.vehicles import (
    MOST_VEHICLES,
    GarageFull,
    OneTimeVehicle,
    OwnVehicle,
    PlanIsFull,
    Vehicle,
    check_room,
    models,
)
from fuel_app.kit.errors import InvalidForm
from fuel_app.plans.rules.plans import PLANS
from tests.factories import own_vehicle, own_vehicle_form, vehicle, vehicle_form


def messages(form: object, rules=Vehicle) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        rules.parse(form)
    return refused.value.messages


@pytest.mark.parametrize(
    ("make", "model", "gallons"),
    [
        ("Toyota", "Corolla", 13.2),
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


def test_customers_choose_from_forty_makes_and_the_preview_from_five():
    assert len(OWN_CATALOGUE) >= 40
    assert list(CATALOGUE) == ["Toyota", "Honda", "Ford", "Chevrolet", "BMW"]
    assert all(len(listed) == 5 for listed in CATALOGUE.values())
    assert all(len(listed) >= 1 for listed in OWN_CATALOGUE.values())
    assert {make: {**OWN_CATALOGUE[make], **listed} for make, listed in CATALOGUE.items()} == {
        make: OWN_CATALOGUE[make] for make in CATALOGUE
    }
    assert all(8 <= each <= 40 for make in OWN_CATALOGUE.values() for each in make.values())
    assert OwnVehicle.models("Nissan")[-1] == "Other"
    assert OwnVehicle.models("Trabant") == OwnVehicle.models(None) == ()
    assert Vehicle.models("Nissan") == ()
    nissan = OwnVehicle.parse(own_vehicle_form(make="Nissan", model="Rogue"))
    assert (nissan.title, nissan.estimated_tank_size) == ("2022 Nissan Rogue", 14.5)


def test_another_model_of_a_known_make_is_typed_with_its_tank():
    typed = {"make": "Nissan", "model": "Other", "other_model": "Z", "tank_tenths": "16.4"}
    parsed = OwnVehicle.parse(own_vehicle_form(**typed))
    assert (parsed.make, parsed.model, parsed.tank_tenths) == ("Nissan", "Z", 164)
    shown = parsed.as_typed()
    assert {name: shown[name] for name in typed} == typed
    assert own_messages(make="Nissan", model="Other") == {
        "other_model": "Model is required",
        "tank_tenths": "Tank size is required",
    }


@pytest.mark.parametrize("form", [{}, None, 7, "x", [], {"make": ["Toyota"], "model": {"a": 1}}])
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (Vehicle, ("Make is", "Model is", "Year is", "Color is")),
        (OneTimeVehicle, ("Vehicle make is", "Vehicle model is", "Valid year", "Vehicle color is")),
    ],
)
def test_every_field_is_required_in_both_wordings(rules, expected, form):
    found = messages(form, rules)
    assert list(found) == ["make", "model", "year", "color", "license_plate"]
    assert list(found.values()) == [f"{text} required" for text in (*expected, "License plate is")]


@pytest.mark.parametrize(
    "year", ["202", "20222", "1899", "2100", "twen", "20 22", "\u0662\u0660\u0662\u0662"]
)
@pytest.mark.parametrize("rules", [Vehicle, OneTimeVehicle])
def test_invalid_year_is_refused(year, rules):
    assert messages(vehicle_form(year=year), rules) == {"year": "Valid year required"}


@pytest.mark.parametrize(
    ("differs", "expected"),
    [
        ({"make": "Honda"}, {"model": "Model is required"}),  # the Camry is another make's
        ({"make": "Trabant"}, {"make": "Make is required", "model": "Model is required"}),
        (
            {"color": "x" * 31, "license_plate": "x" * 13},
            {
                "color": "Color must be 30 characters or fewer",
                "license_plate": "License plate must be 12 characters or fewer",
            },
        ),
    ],
)
def test_unknown_model_or_long_text_is_refused(differs, expected):
    assert messages(vehicle_form(**differs)) == expected


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("  abc \t  123\n", "ABC 123"), ("abc-123", "ABC-123"), ("a\u200bbc", "ABC")],
)
def test_a_plate_is_kept_in_capitals_with_single_spaces(typed, kept):
    assert Vehicle.parse(vehicle_form(license_plate=typed)).license_plate == kept


@pytest.mark.parametrize(
    "typed", ["\u0410\u0412\u0421 123", "\uff21\uff22\uff23", "---", "\u00df" * 12, "A'B"]
)
def test_a_plate_of_look_alike_letters_or_without_any_is_refused(typed):
    found = messages(vehicle_form(license_plate=typed))
    assert found == {"license_plate": "Use letters A to Z and digits"}


def garage_of(ids: str) -> garage.Garage:
    return tuple(vehicle(id=each) for each in ids)


def ids(vehicles: garage.Garage) -> str:
    return "".join(each.id for each in vehicles)


def test_a_new_vehicle_comes_last_and_an_edited_one_keeps_its_place():
    assert ids(garage.with_vehicle(garage_of("ab"), vehicle(id="c"))) == "abc"
    edited = garage.with_vehicle(garage_of("ab"), vehicle(id="a", model="Tacoma"))
    assert ids(edited) == "ab"
    assert [each.estimated_tank_size for each in edited] == [21.1, 16]


@pytest.mark.parametrize(("deleted", "left"), [("a", "b"), ("c", "ab"), (None, "ab")])
def test_only_the_deleted_vehicle_is_gone(deleted, left):
    assert ids(garage.without_vehicle(garage_of("ab"), deleted)) == left


@pytest.mark.parametrize(("place", "order"), [(0, "cab"), (1, "acb"), (2, "abc"), (9, "abc")])
def test_a_deleted_vehicle_comes_back_to_its_place(place, order):
    assert ids(garage.put_back(garage_of("ab"), vehicle(id="c"), place)) == order


def test_a_full_garage_takes_no_more_but_lets_its_vehicles_be_edited():
    full = garage_of("0123456789")
    assert len(full) == MOST_VEHICLES
    with pytest.raises(GarageFull, match="up to 10 vehicles"):
        garage.with_vehicle(full, vehicle(id="new"))
    with pytest.raises(GarageFull):
        garage.put_back(full, vehicle(id="new"), 0)
    assert garage.with_vehicle(full, vehicle(id="3", color="Red"))[3].color == "Red"


def test_a_vehicle_is_found_by_its_id_alone():
    vehicles = garage_of("ab")
    assert garage.find_vehicle(vehicles, "b") is vehicles[1]
    assert garage.find_vehicle(vehicles, "") is garage.find_vehicle(vehicles, ["b"]) is None


OTHER = {"make": "Other", "model": "", "other_make": "Trabant", "other_model": "601"}


def own_messages(**differs: str) -> dict[str, str]:
    return messages(own_vehicle_form(**differs), OwnVehicle)


def test_an_own_vehicle_needs_grade_plate_state_and_fuel_door():
    assert own_messages(grade="jet", plate_state="Bavaria", fuel_door="") == {
        "plate_state": "Enter a US state such as FL",
        "grade": "Fuel grade is required",
        "fuel_door": "Fuel door is required",
    }
    assert [*messages({}, OwnVehicle)][:2] == ["make", "model"]


def test_the_tank_of_the_catalogue_counts_whatever_is_typed():
    known = own_vehicle(model="Corolla", tank_tenths="99", other_make="Trabant")
    assert (known.tank_tenths, known.other_make, known.title) == (132, "", "2022 Toyota Corolla")
    assert known.as_typed() == own_vehicle_form(model="Corolla")


@pytest.mark.parametrize(("typed", "tenths"), [("1", 10), ("15.5", 155), (" 200 ", 2000)])
def test_another_make_is_typed_with_its_tank(typed, tenths):
    other = own_vehicle(**OTHER, tank_tenths=typed)
    assert (other.title, other.tank_tenths) == ("2022 Trabant 601", tenths)
    assert other.as_typed() == own_vehicle_form(**OTHER, tank_tenths=typed.strip())


@pytest.mark.parametrize(
    "typed", ["0", "0.9", "200.1", "1000", "-5", "15.55", "1e2", "\u0661\u0665", "nan", "15,5", "x"]
)
def test_a_tank_is_1_to_200_gallons_with_one_decimal(typed):
    expected = {"tank_tenths": "Enter 1 to 200 gallons, such as 15.5"}
    assert own_messages(**OTHER, tank_tenths=typed) == expected


def test_another_make_needs_its_names():
    assert own_messages(make="Other", model="") == {
        "other_make": "Make is required",
        "other_model": "Model is required",
        "tank_tenths": "Tank size is required",
    }


def test_the_largest_plan_has_a_technical_end():
    check_room(49, PLANS[-1])
    with pytest.raises(PlanIsFull, match=r"Big Family covers 50 vehicles\.$"):
        check_room(50, PLANS[-1])
