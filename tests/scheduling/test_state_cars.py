"""Several cars on one visit: a customer ticks them, a guest types a second one."""

from typing import Any

import pytest

from fuel_app.bookings.rules.bookings import CARS_MOST, Car, CarTwice
from fuel_app.bookings.state.cards import Choice
from fuel_app.customers.service import vehicles
from fuel_app.scheduling.state.wizards import FillUpState
from tests.factories import own_vehicle, own_vehicle_form
from tests.helpers.open_area import open_area
from tests.helpers.tabs import answer, focused, problems, redirected, run
from tests.scheduling import test_state_guest_fill as guests
from tests.scheduling.test_state_fill_up import LOCATION, arrive, at_time, opened, person_of, press

pytestmark = pytest.mark.usefixtures("sqlite_database", "desk")


async def with_cars(cookie: str, count: int) -> FillUpState:
    """Return the first step of a customer with some cars, none of which is chosen."""
    state = await opened(cookie)
    for number in range(count):
        car = own_vehicle(license_plate=f"CAR {number}")
        await vehicles.save(await person_of(state), car)
    await run(state.arrive())
    await run(state.add_vehicle(""))
    return state


async def test_ticked_cars_are_booked_in_the_order_of_the_list(cookie, desk):
    state = await at_time(cookie)
    [first] = state.vehicle_ids
    second = await vehicles.save(await person_of(state), own_vehicle(license_plate="CAR 2"))
    await run(state.arrive())
    assert (state.vehicle_ids, state.car_name) == ([first], "2022 Toyota Camry, ABC 123")
    ticks: list[Any] = [(first, False), (second, True), (first, True), ("x", True), ({}, 1)]
    for vehicle_id, ticked in ticks:
        await run(state.choose_vehicle(vehicle_id, ticked))
    assert state.vehicle_ids == [first, second]
    assert redirected(await answer(state.submit_vehicle({}))) == LOCATION
    await arrive(state, cookie, "/schedule/time")
    assert state.car_name == "2 cars: 2022 Toyota Camry and 2022 Toyota Camry"
    await press(state)
    assert desk.given[1].cars == (first, second)


async def test_a_visit_has_room_for_four_cars(cookie):
    state = await opened(cookie)
    state.vehicles = [Choice(str(number), "A car", "") for number in range(CARS_MOST + 1)]
    for each in state.vehicles:
        await run(state.choose_vehicle(each.id, True))
    assert len(state.vehicle_ids) == CARS_MOST
    assert not state.may_add
    await run(state.choose_vehicle(state.vehicle_ids[0], False))
    assert state.may_add
    assert state.vehicles[0].id not in state.vehicle_ids


async def test_a_car_that_is_added_joins_those_that_are_ticked(cookie):
    state = await with_cars(cookie, 1)
    assert len(state.vehicle_ids) == 1  # the only one
    await run(state.add_vehicle("new"))
    sent = await answer(state.submit_vehicle(own_vehicle_form(license_plate="NEW 1")))
    assert "ref_fill_up_next" in str(sent)
    assert (state.adding, len(state.vehicle_ids), state.vehicle_given) == ("", 2, False)
    assert redirected(await answer(state.submit_vehicle({}))) == LOCATION


async def test_a_car_that_is_removed_meanwhile_has_to_be_looked_at_again(cookie):
    state = await with_cars(cookie, 2)
    for each in state.vehicles:
        await run(state.choose_vehicle(each.id, True))
    await run(state.submit_vehicle({}))
    gone, left = state.vehicle_ids
    await vehicles.remove(await person_of(state), gone)
    assert await arrive(state, cookie, LOCATION) == "/schedule"
    assert state.vehicle_ids == [left]


async def test_without_a_ticked_car_nobody_goes_on(cookie):
    state = await with_cars(cookie, 2)
    assert redirected(await answer(state.submit_vehicle({}))) is None
    assert state.refusal == "Please choose a vehicle."


async def test_a_guest_types_a_second_car(desk, password, monkeypatch):
    await guests.fixed_position(monkeypatch, guests.PIN)
    await open_area()
    state = await guests.at_payment()
    await run(state.edit_vehicle(own_vehicle_form(grade="")))
    assert focused(await answer(state.add_car())) == "guest_vehicle_grade"
    await run(state.edit_vehicle(own_vehicle_form()))
    await run(state.add_car())
    assert state.first_car == "2022 Toyota Camry, ABC 123"
    assert not any(problems(state.vehicle_errors))
    assert await answer(state.add_car()) is None  # there is room for two
    assert redirected(await answer(state.submit_vehicle(own_vehicle_form()))) is None
    assert state._first
    assert state.refusal == str(CarTwice(state._first))
    second = own_vehicle_form(license_plate="CAR 2")
    assert redirected(await answer(state.submit_vehicle(second))) == guests.TIME
    assert state.car_name == "2 cars: 2022 Toyota Camry and 2022 Toyota Camry"
    plates = [car.license_plate for car in state._request().cars if isinstance(car, Car)]
    assert plates == ["ABC 123", "CAR 2"]
    await run(state.remove_car())
    assert (state.first_car, len(state._request().cars), state.vehicle_given) == ("", 1, False)
