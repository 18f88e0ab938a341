"""A one-time fill in one tab. Its vehicle step leads into signing up, as specified."""

import pytest

from fuel_app.customers.state.sign_up import SignupState
from fuel_app.preview.state.wizards import FILL_STEPS, OneTimeFillState
from tests.factories import signup_form, vehicle_form
from tests.helpers.tabs import answer, focused, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

CONTACT, VEHICLE, SCHEDULE = FILL_STEPS


async def opened(address: str = CONTACT) -> tuple[OneTimeFillState, SignupState]:
    tab = tab_at(address)
    state = await tab.get_state(OneTimeFillState)
    await run(state.arrive())
    return state, await tab.get_state(SignupState)


async def test_it_begins_with_the_samples_which_overwrite_no_typed_text():
    state, signup = await opened()
    assert (state.ready, signup.contact["first_name"]) == (True, "Sarah")
    assert state.vehicle == vehicle_form()
    await run(state.edit_vehicle(vehicle_form(color="Red")))
    await run(state.arrive())
    assert state.vehicle["color"] == "Red"
    assert redirected(await answer(state.schedule({"slot": "2024-03-15-08"}))) == "/dashboard"


@pytest.mark.parametrize("address", [VEHICLE, SCHEDULE])
async def test_a_step_opened_by_its_address_starts_at_the_contact(address):
    state, _ = await opened(address)
    assert redirected(await answer(state.arrive())) == CONTACT
    assert not state.ready


@pytest.mark.parametrize("address", [VEHICLE, SCHEDULE])
async def test_the_step_indicator_leads_to_every_step(address):
    state, _ = await opened(address)
    await run(state.lead(address))
    assert redirected(await answer(state.arrive())) is None
    assert state.ready
    await run(state.lead(CONTACT))
    assert redirected(await answer(state.arrive())) is None


async def test_the_step_indicator_leads_nowhere_else():
    state, _ = await opened(SCHEDULE)
    for made_up in ("/dashboard", VEHICLE, None, [SCHEDULE]):
        await run(state.lead(made_up))  # type: ignore[arg-type]
    assert redirected(await answer(state.arrive())) == CONTACT


@pytest.mark.parametrize("with_contact", [True, False])
async def test_next_leads_from_the_vehicle_to_the_plans(with_contact):
    tab = tab_at("/onboarding/plan")
    state, signup = await tab.get_state(OneTimeFillState), await tab.get_state(SignupState)
    if with_contact:
        signup.submit_contact(signup_form())
    assert redirected(await answer(state.submit_vehicle(vehicle_form()))) == "/onboarding/plan"
    assert state.vehicle_given
    assert redirected(await signup.arrive()) is None


async def test_an_invalid_vehicle_has_the_one_time_fills_messages():
    state, _ = await opened()
    sent = await answer(state.submit_vehicle(dict.fromkeys(vehicle_form(), "")))  # type: ignore[arg-type]
    assert focused(sent) == "one_time_make"
    assert list(state.vehicle_errors.values()) == [
        "Vehicle make is required",
        "Vehicle model is required",
        "Valid year required",
        "Vehicle color is required",
        "License plate is required",
    ]


async def test_the_schedule_opens_only_with_a_valid_contact_and_vehicle():
    state, signup = await opened(SCHEDULE)
    signup.submit_contact(signup_form())
    assert redirected(await answer(state.arrive())) == VEHICLE
    await answer(state.submit_vehicle(vehicle_form()))
    assert redirected(await answer(state.arrive())) is None
    await run(state.edit_vehicle(vehicle_form(color="")))
    assert redirected(await answer(state.arrive())) == VEHICLE
