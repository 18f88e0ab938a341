"""The vehicles manager: add, edit, delete, undo."""

import pytest

from fuel_app.customers.rules.vehicles import as_address
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.vehicles import VehiclesState
from fuel_app.kit.ui.toast import ToastState
from tests.factories import vehicle_form
from tests.helpers.tabs import run, tab_at
from tests.pictures import as_file, two_colors

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def state() -> VehiclesState:
    tab = tab_at("/account")
    await run((await tab.get_state(CustomerState)).arrive())
    return await tab.get_state(VehiclesState)


async def listed(state: VehiclesState) -> list[str]:
    return [each.title for each in (await state.get_state(CustomerState)).vehicles]


SAMPLES = ["2022 Toyota Camry", "2021 Honda CR-V"]


async def test_the_sample_vehicles_are_listed_with_their_tanks(state):
    cards = (await state.get_state(CustomerState)).vehicles
    assert [card.title for card in cards] == SAMPLES
    assert [card.details for card in cards] == ["Silver · ABC 123", "Blue · XYZ 789"]
    assert [card.tank for card in cards] == [f"Est. Tank Size: {n} gallons" for n in (16, 14)]


async def test_a_vehicle_is_added_with_its_photo_and_the_form_keeps_no_copy(state):
    await run(state.add())
    photo = as_address(as_file(two_colors(), "WEBP"))
    await run(state.keep_photo(photo))
    await run(state.save(vehicle_form(make="BMW", model="X5", year="2024")))
    assert await listed(state) == [*SAMPLES, "2024 BMW X5"]
    added = (await state.get_state(CustomerState)).vehicles[-1]
    assert (added.image, added.tank) == (photo, "Est. Tank Size: 21.9 gallons")
    assert (state.opened, state.photo) == (False, "")


async def test_an_edited_vehicle_stays_where_it_is(state):
    await run(state.change("sample-camry"))
    assert (state.vehicle["model"], state.editing) == ("Camry", "sample-camry")
    await run(state.save(vehicle_form(model="Tacoma")))
    assert await listed(state) == ["2022 Toyota Tacoma", "2021 Honda CR-V"]
    first = (await state.get_state(CustomerState)).vehicles[0]
    assert first.tank == "Est. Tank Size: 21.1 gallons"
    toasts = (await state.get_state(ToastState)).toasts
    assert [toast.text for toast in toasts] == ["Saved in this preview"]


async def test_closing_forgets_what_was_typed(state):
    await run(state.change("sample-camry"))
    await run(state.show(True))  # the dialog says so itself when it opens
    assert state.opened
    await run(state.show(False))
    await run(state.save(vehicle_form(model="Tacoma")))  # sent as it closed
    await run(state.add())
    assert state.vehicle["make"] == ""
    assert await listed(state) == SAMPLES


async def test_a_deleted_vehicle_comes_back_to_its_place(state):
    await run(state.remove("sample-camry"))
    assert await listed(state) == SAMPLES[1:]
    assert state.removed == SAMPLES[0]
    for _ in range(2):  # a second click finds nothing to undo
        await run(state.undo())
        assert await listed(state) == SAMPLES
    assert state.removed == ""


async def test_an_unknown_vehicle_is_neither_edited_nor_deleted(state):
    await run(state.change("no such vehicle"))
    await run(state.remove("no such vehicle"))
    assert (state.opened, state.removed) == (False, "")
    assert await listed(state) == SAMPLES


async def test_sample_vehicles_are_all_in_the_plan(state):
    cards = (await state.get_state(CustomerState)).vehicles
    await run(state.use(cards[1].id))
    assert [card.outside for card in cards] == [False, False]
    assert await listed(state) == SAMPLES
