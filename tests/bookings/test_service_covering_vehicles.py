"""Vehicles beyond a smaller plan: which stay, and that the others cannot be booked."""

import pytest

from fuel_app.bookings.rules.bookings import CarGone
from fuel_app.bookings.service import access
from fuel_app.customers.rules.vehicles import PlanIsFull, VehicleGone
from fuel_app.customers.service import vehicles
from fuel_app.kit.clock import months_later
from fuel_app.kit.db.session import reading
from tests.factories import UNKNOWN_ID, own_vehicle
from tests.helpers.bookings import NOW, TODAY, a_customer, an_area, at, booked, slot
from tests.helpers.periods import later, renew, switch

pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


async def garage(who):
    async with reading() as session:
        found = await vehicles.of_person(session, who.id)
    return {each.id: each.is_active for each in found}


async def switched_down(monkeypatch, who, plan):
    await later(who.id, plan)
    ends = months_later(TODAY, 1)
    at(monkeypatch, NOW + (ends - TODAY))
    assert await renew(who.id)


async def with_cars(plan, count):
    who = await a_customer(plan=plan)
    more = [await vehicles.save(who.id, own_vehicle()) for _ in range(count - 1)]
    return who, [who.car_id, *more]


async def test_vehicles_with_open_bookings_stay_then_the_oldest(monkeypatch):
    area, (who, cars) = await an_area(), await with_cars("big-family", 4)
    await booked(await third(who, cars), slot(area, 19))
    await switched_down(monkeypatch, who, "family")
    assert await garage(who) == {cars[0]: True, cars[1]: False, cars[2]: True, cars[3]: False}


async def third(who, cars):
    return type(who)(who.actor, cars[2], who.place_id)


async def test_vehicle_outside_the_plan_is_neither_offered_nor_booked(monkeypatch):
    area, (who, cars) = await an_area(), await with_cars("family", 2)
    await switched_down(monkeypatch, who, "solo")
    assert [each.id for each in (await access.wizard_choices(who.actor)).vehicles] == cars[:1]
    with pytest.raises(CarGone):
        await booked(type(who)(who.actor, cars[1], who.place_id), slot(area, 32))


async def test_larger_plan_takes_all_vehicles_in_again(monkeypatch):
    who, cars = await with_cars("family", 2)
    await switched_down(monkeypatch, who, "solo")
    await switch(who.id, "big-family", months_later(TODAY, 1))
    assert await garage(who) == dict.fromkeys(cars, True)


async def test_vehicle_is_used_instead_of_the_next_one(monkeypatch):
    who, cars = await with_cars("big-family", 3)
    await switched_down(monkeypatch, who, "family")
    seen = set()
    for car in (2, 2, 0, 1):
        await vehicles.use_instead(who.id, cars[car])
        seen.add(tuple((await garage(who)).values()))
    assert seen == {(False, True, True), (True, False, True), (True, True, False)}
    for unknown in (UNKNOWN_ID, None, 7, ""):
        with pytest.raises(VehicleGone):
            await vehicles.use_instead(who.id, unknown)


async def test_removed_vehicle_leaves_room_for_one_outside_the_plan(monkeypatch):
    who, cars = await with_cars("family", 2)
    await switched_down(monkeypatch, who, "solo")
    with pytest.raises(PlanIsFull):
        await vehicles.save(who.id, own_vehicle())
    await vehicles.remove(who.id, cars[0])
    await vehicles.use_instead(who.id, cars[1])
    assert await garage(who) == {cars[1]: True}


async def test_edited_vehicle_stays_outside_the_plan(monkeypatch):
    who, cars = await with_cars("family", 2)
    await switched_down(monkeypatch, who, "solo")
    edited = own_vehicle().model_copy(update={"id": cars[1]})
    await vehicles.save(who.id, edited)
    assert await garage(who) == {cars[0]: True, cars[1]: False}


async def test_wizard_begins_with_the_car_that_was_booked_last():
    area, (who, cars) = await an_area(), await with_cars("big-family", 3)
    assert (await access.wizard_choices(who.actor)).last_cars == ()
    await booked(await third(who, cars), slot(area, 19))
    await booked(type(who)(who.actor, cars[1], who.place_id), slot(area, 12))
    assert (await access.wizard_choices(who.actor)).last_cars == (cars[1],)
