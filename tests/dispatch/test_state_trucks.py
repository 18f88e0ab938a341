"""The trucks' screen in a tab without a browser."""

import pytest

from fuel_app.areas.rules.places import Located
from fuel_app.dispatch.service import trucks
from fuel_app.dispatch.state.trucks import PIN_NEEDED, TruckFormState, TrucksState
from fuel_app.dispatch.tables import StoredTruck
from fuel_app.kit import clock
from fuel_app.kit.errors import FAILED
from tests.helpers.admins import AdminTab
from tests.helpers.dispatch import a_shift, a_technician, a_truck
from tests.helpers.people import rows
from tests.helpers.tabs import problems
from tests.helpers.trucks import TYPED_TRUCK

pytestmark = pytest.mark.usefixtures("sqlite_database")

SCREEN = "/settings/trucks"


@pytest.fixture
async def admin() -> AdminTab:
    tab = await AdminTab.at(SCREEN)
    await tab.fire(TrucksState.load)
    return tab


async def form(admin: AdminTab) -> TruckFormState:
    return await admin.screen(TruckFormState)


async def begun(admin: AdminTab, truck_id: str = "") -> TruckFormState:
    await admin.fire(TrucksState.load)
    await admin.fire(TruckFormState.begin, truck_id)
    return await form(admin)


async def test_a_home_that_is_not_on_the_map_waits_for_its_pin(admin):
    shown = await begun(admin)
    assert (shown.opened, shown.pin) == (True, [])
    await admin.fire(TruckFormState.move_pin, 27.3, -82.5)  # there is none yet
    await admin.fire(TruckFormState.submit, TYPED_TRUCK)
    assert (shown.opened, shown.pin_note, shown.busy) == (True, PIN_NEEDED, False)
    assert await rows(StoredTruck) == []
    await admin.fire(TruckFormState.move_pin, "x", None)
    await admin.fire(TruckFormState.move_pin, 27.31, -82.51)
    await admin.fire(TruckFormState.submit, TYPED_TRUCK)
    [row] = await rows(StoredTruck)
    assert (row.home_lat, row.home_lng, shown.opened) == (27.31, -82.51, False)
    assert await admin.said() == ["Truck 1 is saved"]
    [line] = (await admin.screen(TrucksState)).trucks
    assert (line.name, line.tanks) == ("Truck 1", "Regular 150, Diesel 100 gallons")
    await admin.fire(TruckFormState.submit, TYPED_TRUCK | {"name": "Twice"})  # a second click
    assert len(await rows(StoredTruck)) == 1


async def test_a_home_on_the_map_is_stored_at_once(admin, monkeypatch):
    async def exact(*_arguments: object) -> Located:
        return Located(27.35, -82.5, is_approximate=False)

    monkeypatch.setattr(trucks, "locate_home", exact)
    await begun(admin)
    await admin.fire(TruckFormState.submit, TYPED_TRUCK)
    [row] = await rows(StoredTruck)
    assert (row.home_lat, row.home_lng) == (27.35, -82.5)


async def test_wrong_fields_are_named_and_checked_again_while_they_change(admin):
    shown = await begun(admin)
    wrong = TYPED_TRUCK | {"name": "", "regular": "x"}
    assert await admin.fire(TruckFormState.submit, wrong) == ["truck_name"]
    assert list(problems(shown.errors)) == ["name", "regular"]
    await admin.fire(TruckFormState.edit, wrong | {"name": "Truck 1"})
    assert list(problems(shown.errors)) == ["regular"]


async def test_a_truck_is_changed_without_moving_its_pin(admin):
    truck = await a_truck(home=TYPED_TRUCK["home"])
    shown = await begun(admin, truck.id)
    assert shown.typed["regular"] == "300"
    await admin.fire(TruckFormState.submit, TYPED_TRUCK)
    [row] = await rows(StoredTruck)
    assert (row.name, row.home_lat, row.revision) == ("Truck 1", truck.home_lat, 2)


async def test_a_truck_that_another_admin_has_changed_is_shown_as_it_is(admin):
    truck = await a_truck(home=TYPED_TRUCK["home"])
    shown = await begun(admin, truck.id)
    other = await AdminTab.at(SCREEN, email="ada@example.com")
    await begun(other, truck.id)
    await other.fire(TruckFormState.submit, TYPED_TRUCK | {"name": "Theirs"})
    await admin.fire(TruckFormState.submit, TYPED_TRUCK | {"name": "Mine"})
    assert (shown.opened, shown.typed["name"]) == (True, "Theirs")
    assert shown.error.startswith("Another admin has changed this truck")
    await admin.fire(TruckFormState.submit, TYPED_TRUCK | {"name": "Mine"})
    assert [row.name for row in await rows(StoredTruck)] == ["Mine"]


async def test_a_taken_name_stands_beside_its_field(admin):
    truck = await a_truck(name="Truck 1", home=TYPED_TRUCK["home"])
    other = await a_truck(home=truck.home)
    shown = await begun(admin, other.id)
    await admin.fire(TruckFormState.submit, TYPED_TRUCK)
    assert problems(shown.errors) == {"name": "There is a truck with this name already"}


async def test_a_failure_is_said_and_the_form_stays(admin, monkeypatch):
    shown = await begun(admin)
    monkeypatch.setattr(trucks, "locate_home", None)
    await admin.fire(TruckFormState.submit, TYPED_TRUCK)
    assert (shown.opened, shown.error) == (True, FAILED)
    await admin.fire(TruckFormState.close, False)
    assert not shown.opened


async def test_a_truck_is_retired_with_undo_and_brought_back(admin):
    truck = await a_truck(name="Gull")
    await admin.fire(TrucksState.load)
    screen = await admin.screen(TrucksState)
    await admin.fire(TrucksState.set_active, truck.id, False)
    assert ([line.is_active for line in screen.trucks], await admin.offered()) == (
        *([False], "Gull is retired"),
    )
    assert await admin.undo() == ["Undone."]
    await admin.fire(TrucksState.load)
    assert [line.is_active for line in screen.trucks] == [True]
    await admin.fire(TrucksState.set_active, truck.id, False)
    await admin.fire(TrucksState.set_active, truck.id, True)
    assert ([line.is_active for line in screen.trucks], await admin.offered()) == (
        *([True], "Gull is back"),
    )


async def test_a_truck_on_shift_says_why_it_is_not_retired(admin):
    truck = await a_truck()
    await a_shift(truck, await a_technician(), clock.day_of(clock.now()))
    await admin.fire(TrucksState.load)
    await admin.fire(TrucksState.set_active, truck.id, False)
    [said] = await admin.said()
    assert said.startswith("This truck is on shift on ")
