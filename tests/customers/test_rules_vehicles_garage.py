"""Adding, replacing, deleting and bringing back vehicles."""

import pytest

from fuel_app.customers.rules import vehicles as garage
from fuel_app.customers.rules.vehicles import MOST, GarageFull
from tests.factories import vehicle


def garage_of(*ids: str) -> garage.Garage:
    return tuple(vehicle(id=each) for each in ids)


def ids(vehicles: garage.Garage) -> str:
    return "".join(each.id for each in vehicles)


def test_a_new_vehicle_comes_last():
    assert ids(garage.with_vehicle(garage_of("a", "b"), vehicle(id="c"))) == "abc"


def test_an_edited_vehicle_keeps_its_place_and_its_tank_is_looked_up_again():
    edited = garage.with_vehicle(garage_of("a", "b"), vehicle(id="a", model="Tacoma"))
    assert ids(edited) == "ab"
    assert [each.estimated_tank_size for each in edited] == [21.1, 16]


def test_a_deleted_vehicle_is_gone_and_an_unknown_one_takes_none_along():
    assert ids(garage.without(garage_of("a", "b"), "a")) == "b"
    assert ids(garage.without(garage_of("a", "b"), "c")) == "ab"
    assert ids(garage.without(garage_of("a", "b"), None)) == "ab"


@pytest.mark.parametrize(("place", "order"), [(0, "cab"), (1, "acb"), (2, "abc"), (9, "abc")])
def test_a_deleted_vehicle_comes_back_to_its_place(place, order):
    assert ids(garage.put_back(garage_of("a", "b"), vehicle(id="c"), place)) == order


def test_a_full_garage_takes_no_more_but_lets_its_vehicles_be_edited():
    full = garage_of(*map(str, range(MOST)))
    with pytest.raises(GarageFull, match="up to 10 vehicles"):
        garage.with_vehicle(full, vehicle(id="new"))
    with pytest.raises(GarageFull):
        garage.put_back(full, vehicle(id="new"), 0)
    assert garage.with_vehicle(full, vehicle(id="3", color="Red"))[3].color == "Red"


def test_a_vehicle_is_found_by_its_id_alone():
    vehicles = garage_of("a", "b")
    assert garage.find(vehicles, "b") is vehicles[1]
    assert garage.find(vehicles, "") is None
    assert garage.find(vehicles, ["b"]) is None
