"""The trucks' screen in a tab without a browser."""

from datetime import timedelta
from typing import Any

import pytest

from fuel_app.accounts.rules import Actor, Role
from fuel_app.dispatch.rules.trucks import ShiftForm
from fuel_app.dispatch.service import trucks
from fuel_app.dispatch.state.trucks import (
    EDIT,
    LIST,
    PIN_NEEDED,
    REMOVE,
    ShiftsState,
    TruckFormState,
    TrucksState,
)
from fuel_app.dispatch.tables import StoredShift, StoredTruck
from fuel_app.kit.errors import FAILED
from tests.dispatch.trucks import TYPED_TRUCK
from tests.helpers.admins import AdminTab
from tests.helpers.bookings import NOW, at
from tests.helpers.dispatch import TOMORROW, a_shift, a_technician, a_truck
from tests.helpers.people import rows
from tests.helpers.tabs import problems

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


DAY = TOMORROW.isoformat()


@pytest.fixture(autouse=True)
def _noon(sqlite_database, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


@pytest.fixture
async def truck() -> StoredTruck:
    return await a_truck(name="Gull")


@pytest.fixture
async def dana() -> Actor:
    return await a_technician()


@pytest.fixture
async def by(truck: StoredTruck, dana: Actor) -> AdminTab:
    return await AdminTab.at("/dispatch", Role.DISPATCHER)


async def opened(by: AdminTab) -> ShiftsState:
    await by.fire(ShiftsState.open, DAY)
    return await by.screen(ShiftsState)


def typed(truck: StoredTruck, dana: Actor, **differs: str) -> dict[str, Any]:
    hours = {"starts": "07:00", "ends": "15:00"}
    return {"truck": truck.id, "technician": dana.person_id} | hours | differs


async def test_a_shift_is_added_changed_and_removed(by, truck, dana):
    dialog = await opened(by)
    assert (dialog.opened, dialog.day_text) == (True, "Tuesday, November 24, 2026")
    assert [name for _, name in dialog.trucks] == ["Gull"]
    assert [person_id for person_id, _ in dialog.technicians] == [dana.person_id]
    await by.fire(ShiftsState.begin, "")
    assert (dialog.shows, dialog.typed["starts"]) == (EDIT, "07:00")
    await by.fire(ShiftsState.submit, typed(truck, dana))
    assert (dialog.shows, dialog.said, dialog.busy) == (LIST, "The shift is saved.", False)
    [line] = dialog.rows
    assert (line.truck, line.technician, line.hours, line.stops) == (
        *("Gull", "Tech1 Nician", "7 AM–3 PM", 0),  # noqa: RUF001
    )
    await by.fire(ShiftsState.submit, typed(truck, dana))  # a second click
    await by.fire(ShiftsState.begin, line.id)
    assert dialog.typed == typed(truck, dana)
    await by.fire(ShiftsState.submit, typed(truck, dana, ends="16:00"))
    assert [each.hours for each in dialog.rows] == ["7 AM–4 PM"]  # noqa: RUF001
    await by.fire(ShiftsState.ask, line.id)
    assert dialog.shows == REMOVE
    await by.fire(ShiftsState.back)
    await by.fire(ShiftsState.remove)  # nothing is asked any more
    assert len(await rows(StoredShift)) == 1
    await by.fire(ShiftsState.ask, line.id)
    await by.fire(ShiftsState.remove)
    assert (dialog.rows, dialog.said) == ([], "The shift is removed.")
    await by.fire(ShiftsState.close, False)
    assert not dialog.opened


async def test_wrong_fields_of_a_shift_are_named_and_checked_again_while_they_change(
    by, truck, dana
):
    dialog = await opened(by)
    await by.fire(ShiftsState.begin, "")
    await by.fire(ShiftsState.submit, typed(truck, dana) | {"truck": "", "starts": ""})
    assert list(problems(dialog.errors)) == ["truck", "starts"]
    await by.fire(ShiftsState.edit, typed(truck, dana, starts=""))
    assert list(problems(dialog.errors)) == ["starts"]
    await a_shift(truck, None)
    await by.fire(ShiftsState.submit, typed(truck, dana))
    taken = {"truck": "On another shift that day already"}
    assert problems(dialog.errors) == taken
    assert (dialog.shows, dialog.error) == (EDIT, "")
    await by.fire(ShiftsState.edit, typed(truck, dana))  # the button loses the focus
    assert problems(dialog.errors) == taken
    await by.fire(ShiftsState.edit, typed(truck, dana, ends="16:00"))
    assert not problems(dialog.errors)


async def test_a_shift_that_another_dispatcher_has_changed_is_shown_as_it_is(by, truck, dana):
    shift = await a_shift(truck, dana)
    dialog = await opened(by)
    await by.fire(ShiftsState.begin, shift.id)
    theirs = typed(truck, dana, ends="17:00")
    await trucks.save_shift(by.actor, TOMORROW, shift.id, 1, ShiftForm.parse(theirs))
    await by.fire(ShiftsState.submit, typed(truck, dana, ends="16:00"))
    assert dialog.error.startswith("Another dispatcher has changed")
    assert dialog.typed["ends"] == "17:00"
    await by.fire(ShiftsState.submit, typed(truck, dana, ends="16:00"))
    assert [each.hours for each in dialog.rows] == ["7 AM–4 PM"]  # noqa: RUF001


async def test_a_shift_that_another_dispatcher_has_removed_is_not_made_anew(by, truck, dana):
    shift = await a_shift(truck, dana)
    dialog = await opened(by)
    await by.fire(ShiftsState.begin, shift.id)
    await trucks.remove_shift(by.actor, shift.id, 1)
    for _ in range(2):
        await by.fire(ShiftsState.submit, typed(truck, dana))
        assert dialog.error == "This shift is no longer there."
    assert await rows(StoredShift) == []


async def test_last_weeks_shifts_are_copied_and_counted(by, truck, dana):
    dialog = await opened(by)
    await by.fire(ShiftsState.copy_last_week)
    assert dialog.error == "There were no shifts on Tuesday, November 17, 2026."
    await a_shift(truck, dana, TOMORROW - timedelta(days=7))
    await by.fire(ShiftsState.copy_last_week)
    assert (dialog.error, dialog.said, len(dialog.rows)) == ("", "1 shift copied.", 1)
    await by.fire(ShiftsState.copy_last_week)
    assert dialog.said == (
        "0 shifts copied. Not copied: Gull with Tech1 Nician: On another shift that day already."
    )
