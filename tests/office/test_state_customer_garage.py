"""The tab 'Vehicles' of one customer."""

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.rules.places import Located
from fuel_app.customers.service import directory, locations, vehicles
from fuel_app.office.state.customers import CustomerDashboardState, VehiclesTab
from tests.customers.test_service_directory import a_customer
from tests.factories import own_vehicle, place
from tests.helpers.admins import AdminTab
from tests.helpers.open_area import open_area

PIN = Located(27.34, -82.54, is_approximate=False)


@pytest.fixture(autouse=True)
async def _open(sqlite_database):
    await open_area()


async def shown_tab(customer_id: str) -> VehiclesTab:
    address = f"/customer-dashboard?customer={customer_id}&tab=vehicles"
    tab = await AdminTab.at(address, Role.DISPATCHER)
    await tab.fire(CustomerDashboardState.load)
    return await tab.screen(VehiclesTab)


async def test_dispatchers_see_vehicles_and_addresses_with_gate_code_and_notes():
    ada = await a_customer()
    await vehicles.save(ada, own_vehicle(image="data:x"))
    await locations.save(ada, place(gate_code="1815", notes="Blue\ndoor"), pin=PIN)
    await locations.save(ada, place(street="2 Main Street"))
    shown = await shown_tab(ada)
    [vehicle] = shown.vehicles
    assert (vehicle.title, vehicle.details) == ("2022 Toyota Camry", "Silver · ABC 123 (FL)")
    assert (vehicle.fuel, vehicle.image) == ("Regular · Fuel door: unlocked", "")
    first, second = shown.places
    assert (first.label, first.is_default) == ("1 Main Street, Sarasota, FL 34236", True)
    assert (first.details, first.notes) == ("Driveway · Gate code 1815", "Blue\ndoor")
    assert (second.is_approximate, second.notes) == (True, "")


async def test_a_new_customer_has_none(monkeypatch):
    shown = await shown_tab(await a_customer())
    assert (shown.vehicles, shown.places, shown.loading, shown.failed) == ([], [], False, False)

    async def away(*_: object) -> None:
        raise OSError("the database")

    monkeypatch.setattr(directory, "garage", away)
    await shown._load()
    assert shown.failed


async def test_only_staff_look_into_a_garage():
    with pytest.raises(NotAllowed):
        await directory.garage(Actor(frozenset({Role.CUSTOMER}), "x"), "x")
