"""The dialogs in which staff change what a caller says."""

import pytest

from fuel_app.accounts.rules import Purpose
from fuel_app.areas.rules.places import Located
from fuel_app.bookings.service import desk
from fuel_app.customers.service import locations, vehicles
from fuel_app.customers.tables import StoredAddress, StoredVehicle
from fuel_app.kit import secrets
from fuel_app.kit.errors import FAILED
from fuel_app.kit.ui.forms import AGREED
from fuel_app.office.state.customers import CustomerDashboardState, VehiclesTab
from fuel_app.office.state.desk import (
    PLACE,
    VEHICLE,
    DeskEmailState,
    DeskPhoneState,
    DeskPlaceState,
    DeskRemovalState,
    DeskVehicleState,
)
from tests.customers.test_service_directory import a_customer
from tests.factories import own_vehicle, own_vehicle_form, place, place_form
from tests.helpers.admins import AdminTab
from tests.helpers.open_area import open_area
from tests.helpers.people import messages, rows
from tests.helpers.tabs import problems
from tests.office.test_state_customers_open import SCREEN, fails, loaded

PIN = Located(27.33, -82.53, is_approximate=False)
WHY = {"reason": "said on the phone"}


@pytest.fixture(autouse=True)
async def _open(sqlite_database):
    await open_area()


async def at_garage() -> tuple[AdminTab, VehiclesTab, str]:
    ada = await a_customer(phone="9415550100")
    tab, _ = await loaded(f"{SCREEN}?customer={ada}&tab=vehicles")
    return tab, await tab.screen(VehiclesTab), ada


async def test_an_address_is_added_and_then_its_gate_code_changed():
    tab, garage, _ada = await at_garage()
    dialog = await tab.screen(DeskPlaceState)
    await tab.fire(DeskPlaceState.begin, "")
    await tab.fire(DeskPlaceState.edit, place_form(zip_code="33101") | WHY)
    assert (dialog.opened, problems(dialog.errors)) == (True, {})
    focused = await tab.fire(DeskPlaceState.submit, place_form(zip_code="33101") | WHY)
    assert dialog.errors["zip_code"] == "We do not deliver to 33101 yet."
    assert focused == ["desk_place_zip_code"]
    focused = await tab.fire(DeskPlaceState.submit, place_form())
    assert (focused, dialog.errors["reason"]) == (
        ["desk_place_reason"],
        "Reason is required",
    )
    for _ in range(2):  # the second press of a double click comes when the map is there
        await tab.fire(DeskPlaceState.submit, place_form() | WHY | {AGREED: "0"})
    [row] = garage.places
    assert (dialog.pin_of, row.is_approximate, dialog.busy) == (row.label, True, False)
    await tab.fire(DeskPlaceState.move_pin, 27.3361, -82.5306)
    for _ in range(2):
        await tab.fire(DeskPlaceState.submit, {AGREED: "1"})
    assert (dialog.opened, garage.places[0].is_approximate) == (False, False)
    await tab.fire(DeskPlaceState.move_pin, 1.0, 1.0)
    assert dialog.pin == []
    await tab.fire(DeskPlaceState.begin, row.id)
    assert (dialog.editing, dialog.place["street"]) == (row.id, "1 Main Street")
    await tab.fire(DeskPlaceState.submit, place_form(gate_code="4455") | WHY)
    assert (dialog.opened, garage.places[0].details) == (False, "Driveway · Gate code 4455")
    assert await tab.said() == ["Saved."]


async def test_a_pin_is_moved_and_a_wrong_one_refused():
    tab, garage, ada = await at_garage()
    saved = await locations.save(ada, place(), pin=PIN)
    dialog = await tab.screen(DeskPlaceState)
    await tab.fire(DeskPlaceState.locate, "another one's")
    assert not dialog.opened
    await tab.fire(DeskPlaceState.locate, saved.id)
    await tab.fire(DeskPlaceState.move_pin, 10.0, 10.0)
    await tab.fire(DeskPlaceState.edit, {})
    await tab.fire(DeskPlaceState.submit, {})
    assert dialog.error.startswith("The pin is too far")
    await tab.fire(DeskPlaceState.close, False)
    assert (dialog.opened, dialog.pin) == (False, [])
    assert garage.KEY == "vehicles"


async def test_a_vehicle_is_added_and_changed():
    tab, garage, ada = await at_garage()
    dialog = await tab.screen(DeskVehicleState)
    await tab.fire(DeskVehicleState.begin, "")
    assert (dialog.opened, dialog.vehicle["plate_state"]) == (True, "FL")
    assert await tab.fire(DeskVehicleState.submit, own_vehicle_form()) == ["desk_vehicle_reason"]
    await tab.fire(DeskVehicleState.edit, own_vehicle_form(license_plate="X 1") | WHY)
    assert dialog.vehicle["license_plate"] == "X 1"
    await tab.fire(DeskVehicleState.submit, own_vehicle_form() | WHY)
    await tab.fire(DeskVehicleState.submit, own_vehicle_form() | WHY)  # a second press
    [row] = garage.vehicles
    assert not dialog.opened
    await tab.fire(DeskVehicleState.begin, row.id)
    await tab.fire(DeskVehicleState.submit, own_vehicle_form(license_plate="HZY E82") | WHY)
    assert garage.vehicles[0].details == "Silver · HZY E82 (FL)"
    await tab.fire(DeskVehicleState.begin, "another one's")
    assert not dialog.opened
    await tab.fire(DeskVehicleState.begin, "")
    await tab.fire(DeskVehicleState.submit, own_vehicle_form() | WHY)
    assert "covers 1 vehicle" in dialog.error
    await tab.fire(DeskVehicleState.close, False)
    assert not dialog.opened
    assert len(await rows(StoredVehicle, person_id=ada)) == 1


async def test_what_is_removed_is_asked_about_and_needs_a_reason():
    tab, garage, ada = await at_garage()
    await vehicles.save(ada, own_vehicle())
    await locations.save(ada, place(), pin=PIN)
    await tab.fire(CustomerDashboardState.load)
    dialog = await tab.screen(DeskRemovalState)
    for kind, row_id in ((VEHICLE, "x"), ("nonsense", "x"), (3, "x"), (PLACE, ["x"])):
        await tab.fire(DeskRemovalState.begin, kind, row_id)
        assert not dialog.opened
    await tab.fire(DeskRemovalState.begin, VEHICLE, garage.vehicles[0].id)
    assert dialog.what == "2022 Toyota Camry"
    assert await tab.fire(DeskRemovalState.submit, {}) == ["desk_removal_reason"]
    await tab.fire(DeskRemovalState.edit, WHY)
    assert not problems(dialog.errors)
    await tab.fire(DeskRemovalState.submit, WHY)
    assert (dialog.opened, garage.vehicles) == (False, [])
    await tab.fire(DeskRemovalState.submit, WHY)
    await tab.fire(DeskRemovalState.begin, PLACE, garage.places[0].id)
    await tab.fire(DeskRemovalState.close, False)
    assert (dialog.opened, len(garage.places)) == (False, 1)
    await tab.fire(DeskRemovalState.begin, PLACE, garage.places[0].id)
    await tab.fire(DeskRemovalState.submit, WHY)
    assert not await rows(StoredAddress)
    assert (await tab.said())[-1] == "1 Main Street, Sarasota, FL 34236 removed."


async def test_the_phone_is_changed_in_the_head(monkeypatch):
    tab, _, _ = await at_garage()
    dialog = await tab.screen(DeskPhoneState)
    await tab.fire(DeskPhoneState.begin)
    typed = {"phone": "941 555 0177"} | WHY
    assert await tab.fire(DeskPhoneState.submit, WHY) == ["desk_phone_phone"]
    await tab.fire(DeskPhoneState.edit, typed)
    with monkeypatch.context() as broken:
        broken.setattr(desk, "change_phone", fails)
        await tab.fire(DeskPhoneState.submit, typed)
    assert (dialog.opened, dialog.error) == (True, FAILED)
    await tab.fire(DeskPhoneState.submit, typed)
    await tab.fire(DeskPhoneState.submit, typed)
    shown = await tab.screen(CustomerDashboardState)
    assert (dialog.opened, shown.profile.phone) == (False, "(941) 555-0177")
    await tab.fire(DeskPhoneState.begin)
    await tab.fire(DeskPhoneState.close, False)
    assert not dialog.opened
    assert await tab.said() == ["Phone saved. It is not verified."]


async def test_an_e_mail_is_changed_by_the_code_that_the_caller_reads_out():
    tab, _garage, _ada = await at_garage()
    dialog = await tab.screen(DeskEmailState)
    await tab.fire(DeskEmailState.other_email)
    await tab.fire(DeskEmailState.begin)
    assert await tab.fire(DeskEmailState.submit, {"email": "x", **WHY}) == ["desk_email_email"]
    typed = {"email": "countes@example.com"} | WHY
    await tab.fire(DeskEmailState.edit, typed)
    assert problems(dialog.errors) == {}
    await tab.fire(DeskEmailState.submit, typed)
    assert (dialog.sent_to, dialog.error) == ("countes@example.com", "")
    await tab.fire(DeskEmailState.other_email)
    assert (dialog.opened, dialog.sent_to) == (True, "")
    await tab.fire(DeskEmailState.submit, typed | {"email": "countess@example.com"})
    assert await tab.fire(DeskEmailState.submit, typed) == ["desk_email_code"]
    await tab.fire(DeskEmailState.submit, {"code": "000000"})
    assert (dialog.opened, dialog.error != "") == (True, True)
    sent = max(await messages("callers_code"), key=lambda each: each.id)
    code = secrets.code(Purpose.CALLERS_EMAIL, sent.payload["challenge"])
    for _ in range(2):  # a double click
        await tab.fire(DeskEmailState.submit, {"code": code})
    shown = await tab.screen(CustomerDashboardState)
    assert (dialog.opened, shown.profile.email) == (False, "countess@example.com")
    assert await tab.said() == [
        "E-mail changed to countess@example.com. The former address is told."
    ]


async def test_without_a_customer_no_e_mail_is_changed():
    tab, _ = await loaded()
    await tab.fire(DeskEmailState.begin)
    assert not (await tab.screen(DeskEmailState)).opened
