"""Trucks as they are typed."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADES
from fuel_app.dispatch.rules import trucks
from fuel_app.dispatch.rules.day import Truck
from fuel_app.dispatch.rules.trucks import OnShift, TruckForm
from fuel_app.kit.errors import InvalidForm
from tests.helpers.trucks import TRUCK, TYPED_TRUCK

TODAY = date(2026, 11, 23)


def problems(**differs: object) -> dict[str, str]:
    return {name: text for name, text in TruckForm.problems(TYPED_TRUCK | differs).items() if text}


def test_every_grade_has_a_field():
    assert set(GRADES) < set(TruckForm.names())


def test_a_typed_truck_is_parsed():
    form = TruckForm.parse(TYPED_TRUCK | {"regular": "1,200.5", "diesel": ""})
    assert form.tanks == {"regular": 1_200_500}
    assert (form.zip_code, form.meter_sealed_on) == ("34236", date(2026, 5, 1))


@pytest.mark.parametrize(
    ("differs", "wrong"),
    [
        ({"name": " "}, {"name": "Name is required"}),
        ({"name": "x" * 41}, {"name": "Name must be 40 characters or fewer"}),
        ({"license_plate": None}, {"license_plate": "License plate is required"}),
        ({"meter_number": []}, {"meter_number": "Meter number is required"}),
        ({"meter_sealed_on": "May"}, {"meter_sealed_on": "Choose a day"}),
        ({"home": ""}, {"home": "Home address is required"}),
        (
            {"home": "100 Depot Rd, Sarasota"},
            {"home": "End the address with its ZIP, such as 100 Depot Rd, Sarasota, FL 34236"},
        ),
        ({"regular": "", "diesel": ""}, {"regular": "Enter the gallons of at least one tank"}),
    ],
)
def test_a_wrong_field_is_named(differs, wrong):
    assert problems(**differs) == wrong


@pytest.mark.parametrize("typed", ["0", "0.5", "-1", "10000", "1.25", "x", "1e3", "\u0661"])
def test_gallons_that_no_tank_holds_are_refused(typed):
    assert problems(plus=typed) == {"plus": "Enter gallons from 1 to 9,999, such as 150"}


def test_a_form_of_any_type_is_refused():
    for sent in (None, 7, [], {"tanks": {"regular": 1}}):
        assert len(TruckForm.problems(sent)) == len(TruckForm.names())


def test_a_home_outside_the_service_area_is_refused():
    trucks.check_home(Point(27.33, -82.53))
    with pytest.raises(InvalidForm) as refused:
        trucks.check_home(Point(25.76, -80.19))
    assert refused.value.messages == {"home": "It is outside the service area."}


def test_a_seal_of_a_later_day_is_refused():
    form = TruckForm.parse(TYPED_TRUCK | {"meter_sealed_on": "2026-11-23"})
    trucks.check_seal(form, TODAY)
    with pytest.raises(InvalidForm) as refused:
        trucks.check_seal(form, TODAY - timedelta(days=1))
    assert list(refused.value.messages) == ["meter_sealed_on"]


def test_a_truck_is_shown_as_it_was_typed():
    tanks = {"regular": 1_200_500, "diesel": 100_000}
    truck: Truck = replace(TRUCK, tanks=tanks, meter_sealed_on=date(2026, 5, 1))
    assert trucks.tanks_text(truck) == "Regular 1,200.5, Diesel 100 gallons"
    assert trucks.meter_text(truck) == "M-1, sealed May 1, 2026"
    form = TruckForm.parse(trucks.truck_fields(truck))
    assert (form.tanks, form.home, form.plus) == (tanks, truck.home, None)


@pytest.mark.parametrize(
    ("days", "named"),
    [
        (1, "Mon, Nov 23. "),
        (2, "Mon, Nov 23; Tue, Nov 24. "),
        (6, "Fri, Nov 27; 1 more day. "),
        (9, "Fri, Nov 27; 4 more days. "),
    ],
)
def test_a_truck_on_shift_says_on_which_days(days, named):
    ahead = [TODAY + timedelta(days=n) for n in range(days)]
    assert named in str(OnShift(ahead))
