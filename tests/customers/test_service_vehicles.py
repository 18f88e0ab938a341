"""A customer's vehicles: the plan's limit, other people's ids, deleting twice, undoing."""

import asyncio
from typing import Any

import pytest

from fuel_app.accounts.rules import AccountGone
from fuel_app.customers.rules.vehicles import (
    COLOR_MAX,
    FUEL_DOORS,
    MODEL_MAX,
    PLATE_MAX,
    OwnVehicle,
    PlanIsFull,
    VehicleGone,
)
from fuel_app.customers.service import account, vehicles
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.db.session import reading, transaction
from fuel_app.plans.tables import Subscription
from tests.factories import UNKNOWN_ID, own_vehicle
from tests.helpers.signed_in import a_person

pytestmark = pytest.mark.usefixtures("database")


async def a_customer(plan: str = "family", **more: Any) -> str:
    person_id = await a_person()
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person_id, zip_code="34236", **more))
        if plan:
            session.add(Subscription(person_id=person_id, plan_id=plan))
    return person_id


async def garage(person_id: str) -> tuple[OwnVehicle, ...]:
    async with reading() as session:
        return await vehicles.of_person(session, person_id)


async def test_a_vehicle_is_stored_as_it_was_typed():
    ada = await a_customer()
    other = own_vehicle(
        make="Other", model="", other_make="Trabant", other_model="601", tank_tenths="16"
    )
    vehicle_id = await vehicles.save(ada, other)
    [stored] = await garage(ada)
    assert (stored.title, stored.tank_tenths, stored.id) == ("2022 Trabant 601", 160, vehicle_id)
    async with reading() as session:
        wanted = [(ada, known) for known in (vehicle_id, UNKNOWN_ID, "", None, 7)]
        assert await vehicles.find_all(session, wanted) == {(ada, vehicle_id): stored}
    assert OwnVehicle.parse(stored.as_typed(), id=vehicle_id).title == stored.title


@pytest.mark.parametrize("door", FUEL_DOORS)
async def test_vehicle_with_any_fuel_door_and_the_longest_texts_is_stored(door):
    ada = await a_customer()
    typed = {"other_make": "W" * MODEL_MAX, "other_model": "é" * MODEL_MAX, "fuel_door": door}
    more = {"color": "W" * COLOR_MAX, "license_plate": "W" * PLATE_MAX, "grade": "premium"}
    await vehicles.save(ada, own_vehicle(make="Other", model="", tank_tenths="16", **typed, **more))
    [stored] = await garage(ada)
    assert (stored.fuel_door, stored.model, stored.color) == (
        door,
        "é" * MODEL_MAX,
        "W" * COLOR_MAX,
    )


@pytest.mark.parametrize(
    ("plan", "limit", "said"),
    [
        ("", 1, "A one-time fill covers 1 vehicle. A larger plan covers more."),
        ("solo", 1, "Solo covers 1 vehicle. A larger plan covers more."),
        ("family", 2, "Family covers 2 vehicles. A larger plan covers more."),
    ],
)
async def test_a_plan_covers_so_many_vehicles(plan, limit, said):
    ada = await a_customer(plan)
    for _ in range(limit):
        await vehicles.save(ada, own_vehicle())
    with pytest.raises(PlanIsFull) as refused:
        await vehicles.save(ada, own_vehicle())
    assert str(refused.value) == said
    first = (await garage(ada))[0]
    await vehicles.save(ada, first.model_copy(update={"color": "Red"}))  # changing one is free
    assert len(await garage(ada)) == limit


async def test_two_tabs_cannot_exceed_the_limit():
    ada = await a_customer("family")
    tabs = [vehicles.save(ada, own_vehicle(color=f"Color {n}")) for n in range(5)]
    outcomes = await asyncio.gather(*tabs, return_exceptions=True)
    assert sum(isinstance(each, PlanIsFull) for each in outcomes) == 3
    assert len(await garage(ada)) == 2


async def test_another_customers_vehicle_is_neither_changed_nor_removed():
    ada, eve = await a_customer(), await a_customer()
    hers = await vehicles.save(ada, own_vehicle())
    with pytest.raises(VehicleGone):
        await vehicles.save(eve, own_vehicle(id=hers, color="Stolen"))
    await vehicles.remove(eve, hers)
    async with reading() as session:
        assert await vehicles.find_all(session, [(eve, hers)]) == {}
    assert [each.color for each in await garage(ada)] == ["Silver"]


async def test_a_vehicle_deleted_twice_is_gone_once_and_comes_back_to_its_place():
    ada = await a_customer()
    first, second = [await vehicles.save(ada, own_vehicle()) for _ in range(2)]
    removed = (await garage(ada))[0]
    for _ in range(2):
        await vehicles.remove(ada, first)
    with pytest.raises(VehicleGone):
        await vehicles.save(ada, removed)
    for _ in range(2):
        await vehicles.restore(ada, removed)
    assert [each.id for each in await garage(ada)] == [first, second]


async def test_nothing_comes_back_when_its_room_is_taken():
    ada = await a_customer("solo")
    first = await vehicles.save(ada, own_vehicle())
    [removed] = await garage(ada)
    await vehicles.remove(ada, first)
    await vehicles.save(ada, own_vehicle())
    with pytest.raises(PlanIsFull):
        await vehicles.restore(ada, removed)


async def test_staff_without_a_customer_account_have_no_vehicles():
    with pytest.raises(AccountGone):
        await vehicles.save(await a_person(), own_vehicle())


async def test_facts_of_a_customer_with_a_card():
    ada = await a_customer(has_card=True)
    async with transaction() as session:
        known = await account.facts(session, ada, lock=True)
    assert (known.name, known.phone, known.zip_code) == ("Ada Lovelace", "9415550123", "34236")
    assert (known.email_verified, known.has_card) == (True, True)
    async with reading() as session:
        with pytest.raises(AccountGone):
            await account.facts(session, await a_person())
