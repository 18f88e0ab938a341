"""Scheduling a fill in one tab: three steps, a photo, notes, and nothing booked in the end."""

import pytest

from fuel_app.preview.state.wizards import ScheduleState
from fuel_app.scheduling.state.wizards import LocationNotesState
from tests.customers.test_rules_photos import as_address, webp
from tests.factories import address_form, vehicle_form
from tests.helpers.tabs import answer, focused, problems, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

PHOTO = as_address(webp())


async def opened(address: str = "/schedule") -> ScheduleState:
    state = await tab_at(address).get_state(ScheduleState)
    await run(state.arrive())
    return state


async def filled_in(address: str = "/schedule/time") -> ScheduleState:
    state = await tab_at(address).get_state(ScheduleState)
    await run(state.keep_photo(PHOTO))
    await run(state.submit_vehicle(vehicle_form(license_plate=" abc  123 ")))
    await run(state.submit_address(address_form(notes="Gate 12")))
    assert redirected(await answer(state.arrive())) is None
    return state


async def notes(state: ScheduleState) -> LocationNotesState:
    return await state.get_state(LocationNotesState)


async def test_the_steps_follow_each_other():
    state = await opened()
    assert redirected(await answer(state.submit_vehicle(vehicle_form()))) == "/schedule/location"
    assert redirected(await answer(state.submit_address(address_form()))) == "/schedule/time"
    assert redirected(await answer(state.schedule({"slot": state.slot}))) == "/dashboard"


@pytest.mark.parametrize(
    ("address", "vehicle", "place", "starts"),
    [
        ("/schedule/location", False, False, "/schedule"),
        ("/schedule/time", False, True, "/schedule"),
        ("/schedule/time", True, False, "/schedule/location"),
        ("/schedule/location", True, False, None),
        ("/schedule", False, False, None),
    ],
)
async def test_a_step_opened_by_its_address_starts_at_the_first_incomplete_one(
    address, vehicle, place, starts
):
    state = await tab_at(address).get_state(ScheduleState)
    if vehicle:
        await run(state.submit_vehicle(vehicle_form()))
    if place:
        await run(state.submit_address(address_form()))
    assert redirected(await answer(state.arrive())) == starts
    assert state.ready == (starts is None)


async def test_a_step_that_became_invalid_is_incomplete_again():
    state = await filled_in()
    await run(state.edit_address(address_form(city="")))
    assert redirected(await answer(state.arrive())) == "/schedule/location"
    await run(state.edit_vehicle(vehicle_form(make="Honda")))
    assert redirected(await answer(state.arrive())) == "/schedule"
    assert (state.vehicle_given, state.address_given) == (False, False)


async def test_an_invalid_vehicle_has_messages_and_focus():
    state = await opened()
    sent = await answer(state.submit_vehicle(vehicle_form(year="22", color=" ")))
    assert focused(sent) == "schedule_year"
    assert problems(state.vehicle_errors) == {
        "year": "Valid year required",
        "color": "Color is required",
    }
    await run(state.edit_vehicle(vehicle_form(color="")))
    assert problems(state.vehicle_errors) == {"color": "Color is required"}
    assert not state.vehicle_given


async def test_changing_the_make_changes_the_models_and_clears_the_model():
    state = await opened()
    assert state.models == []
    await run(state.edit_vehicle(vehicle_form(make="Toyota", model="Camry")))
    assert state.models == ["Camry", "Corolla", "RAV4", "Highlander", "Tacoma"]
    assert state.vehicle["model"] == "Camry"
    await run(state.edit_vehicle(vehicle_form(make="Honda", model="Camry")))
    assert state.models == ["Civic", "Accord", "CR-V", "Pilot", "Odyssey"]
    assert state.vehicle["model"] == ""


async def test_a_photo_is_kept_replaced_and_removed():
    state, other = await opened(), as_address(webp(b"\x01" * 40))
    for photo in (PHOTO, other):
        await run(state.keep_photo(photo))
        assert state.photo == photo
    await run(state.keep_photo("https://example.com/tracker.gif"))
    assert state.photo == other
    await run(state.remove_photo())
    assert state.photo == ""


async def test_an_invalid_address_has_messages_and_focus():
    state = await opened()
    sent = await answer(state.submit_address(address_form(city="", zip="3423")))
    assert focused(sent) == "location_city"
    assert problems(state.address_errors) == {
        "city": "City is required",
        "zip": "ZIP code must be 5 digits",
    }
    await run(state.edit_address(address_form(zip="3423")))
    assert problems(state.address_errors) == {"zip": "ZIP code must be 5 digits"}


async def test_notes_are_optional():
    state = await opened()
    await run(state.edit_address(address_form(notes="Gate 12\nsecond floor")))
    assert (await notes(state)).notes == "Gate 12\nsecond floor"
    assert (
        redirected(await answer(state.submit_address(address_form(notes="")))) == "/schedule/time"
    )
    assert (await notes(state)).notes == ""


@pytest.mark.parametrize(
    ("held", "kept"), [("x" * 100_000, "x" * 1000), (None, ""), ([1], ""), ("Gate", "Gate")]
)
async def test_notes_from_the_browser_are_validated(held, kept):
    state = await tab_at("/schedule").get_state(ScheduleState)
    found = await notes(state)
    found.notes = held
    assert found._kept() == kept


async def test_the_first_window_is_picked_until_another_is():
    state = await filled_in()
    assert state.slot == "2024-03-15-08"
    await run(state.choose_slot("2024-03-16-14"))
    await run(state.arrive())
    assert state.slot == "2024-03-16-14"
    await run(state.choose_slot("2024-03-17-08"))
    assert state.slot == "2024-03-16-14"


async def test_without_open_windows_none_is_picked(monkeypatch):
    monkeypatch.setattr("fuel_app.preview.samples.DAYS", ())
    state = await opened()
    assert (state.days, state.slot) == ([], "")


@pytest.mark.parametrize("keep", [True, False])
async def test_the_next_fill_begins_with_the_address_only_if_that_was_asked(keep):
    state = await filled_in()
    assert state.save_address
    await run(state.keep_address(keep))
    await run(state.schedule({"slot": state.slot}))
    assert (state.address["street"] == "1 Main Street") == keep
    assert (state.photo, set(state.vehicle.values())) == ("", {""})
    assert redirected(await answer(state.arrive())) == "/schedule"
