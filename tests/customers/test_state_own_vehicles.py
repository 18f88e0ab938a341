"""The vehicles manager of a signed-in customer."""

import pytest
import reflex as rx
from sqlalchemy import update

from fuel_app.customers.rules.vehicles import VehicleGone, as_address
from fuel_app.customers.service import vehicles
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.vehicles import VehiclesState
from fuel_app.customers.tables import StoredVehicle
from fuel_app.kit.db.session import transaction
from fuel_app.plans.tables import Subscription
from tests.factories import own_vehicle, own_vehicle_form
from tests.helpers.customers import at, cookie_of, said
from tests.helpers.open_area import open_area
from tests.helpers.tabs import problems, run
from tests.pictures import as_file, two_colors

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def tab() -> rx.State:
    await open_area()
    return await at("/account", await cookie_of())


async def add(tab: rx.State, **differs: str) -> VehiclesState:
    state = await tab.get_state(VehiclesState)
    await run(state.add())
    await run(state.save(own_vehicle_form(**differs)))
    return state


async def listed(tab: rx.State) -> list[str]:
    return [each.title for each in (await tab.get_state(CustomerState)).vehicles]


async def test_a_vehicle_is_added_with_all_that_a_fill_needs(tab):
    state = await tab.get_state(VehiclesState)
    await run(state.add())
    assert (state.vehicle["plate_state"], state.vehicle["grade"]) == ("FL", "")
    photo = as_address(as_file(two_colors(), "WEBP"))
    await run(state.keep_photo(photo))
    await run(state.save(own_vehicle_form(grade="premium", fuel_door="Key")))
    [shown] = (await tab.get_state(CustomerState)).vehicles
    assert (shown.title, shown.details) == ("2022 Toyota Camry", "Silver · ABC 123 (FL)")
    assert (shown.fuel, shown.image) == ("Premium · Fuel door: key", photo)
    assert (state.opened, state.photo) == (False, "")


async def test_another_make_is_typed_and_opens_as_it_was_typed(tab):
    other = {"make": "Other", "model": "", "other_make": "Trabant", "other_model": "601"}
    state = await add(tab, **other, tank_tenths="16.5")
    [shown] = (await tab.get_state(CustomerState)).vehicles
    assert (shown.title, shown.tank) == ("2022 Trabant 601", "Est. Tank Size: 16.5 gallons")
    await run(state.change(shown.id))
    assert state.vehicle == own_vehicle_form(**other, tank_tenths="16.5")
    await run(state.edit_vehicle(own_vehicle_form(**other, tank_tenths="17")))
    assert state.vehicle["tank_tenths"] == "17"
    await run(state.save(own_vehicle_form(**other, tank_tenths="17")))
    assert await said(tab) == ["Saved"]


async def test_a_refused_form_keeps_what_was_typed(tab):
    state = await add(tab, grade="", fuel_door="Magic", plate_state="Florid")
    assert problems(state.vehicle_errors) == {
        "plate_state": "Enter a US state such as FL",
        "grade": "Fuel grade is required",
        "fuel_door": "Fuel door is required",
    }
    assert (state.opened, state.vehicle["license_plate"]) == (True, "ABC 123")


async def test_a_full_plan_says_so_in_the_dialog_and_keeps_the_form(tab):
    for _ in range(2):
        await add(tab)
    state = await add(tab)
    assert state.opened
    assert state.refusal == "Family covers 2 vehicles. A larger plan covers more."
    assert state.vehicle["license_plate"] == "ABC 123"
    assert len(await listed(tab)) == 2


async def test_a_deleted_vehicle_comes_back_unless_its_room_is_taken(tab):
    for color in ("Red", "Blue"):
        state = await add(tab, color=color)
    first = (await tab.get_state(CustomerState)).vehicles[0]
    for again in (first.id, first.id, "no such vehicle"):
        await run(state.remove(again))
    assert len(await listed(tab)) == 1
    await run(state.undo())
    assert (await tab.get_state(CustomerState)).vehicles[0] == first
    await run(state.remove(first.id))
    person_id = (await tab.get_state(CustomerState))._opened.session.person_id  # type: ignore[attr-defined]
    await vehicles.save(person_id, own_vehicle())  # in another tab
    await run(state.undo())
    assert await said(tab) == ["Family covers 2 vehicles. A larger plan covers more."]
    assert state.removed == ""


async def test_a_vehicle_deleted_in_another_tab_is_not_saved(tab):
    state = await add(tab)
    shown = (await tab.get_state(CustomerState)).vehicles[0]
    await run(state.change(shown.id))
    person_id = (await tab.get_state(CustomerState))._opened.session.person_id  # type: ignore[attr-defined]
    await vehicles.remove(person_id, shown.id)
    await run(state.save(own_vehicle_form(color="Red")))
    assert state.refusal == "This vehicle is not there any more."
    assert state.vehicle["color"] == "Red"


async def test_vehicle_outside_the_plan_is_used_instead(tab):
    await add(tab)
    await add(tab, license_plate="GUL 2")
    state = await tab.get_state(CustomerState)
    async with transaction() as session:
        theirs = update(StoredVehicle).where(StoredVehicle.id == state.vehicles[1].id)
        await session.execute(theirs.values(is_active=False))
        await session.execute(update(Subscription).values(plan_id="solo"))
    await run(state.arrive())
    assert [each.outside for each in state.vehicles] == [False, True]
    page = await tab.get_state(VehiclesState)
    await run(page.use(state.vehicles[1].id))
    assert [each.outside for each in state.vehicles] == [True, False]
    for unknown in ("", None, 7, ["x"]):
        await run(page.use(unknown))
    assert (await said(tab))[-1] == str(VehicleGone())
