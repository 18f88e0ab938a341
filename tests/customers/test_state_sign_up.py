"""Signing up in one tab while nothing is open. The password is nowhere afterwards."""

import pytest
import reflex as rx

from fuel_app.customers.state.sign_up import SignupState
from fuel_app.preview.samples import CONTACT
from fuel_app.preview.samples import PASSWORD as PASSWORD_SUGGESTED
from tests.factories import contact_form, signup_form
from tests.helpers.tabs import answer, focused, problems, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def opened(address: str = "/onboarding", tab: rx.State | None = None) -> SignupState:
    state = await (tab or tab_at(address)).get_state(SignupState)
    await run(state.arrive())
    return state


async def at_plan() -> SignupState:
    tab = tab_at("/onboarding/plan")
    state = await tab.get_state(SignupState)
    await run(state.submit_signup(signup_form()))
    assert redirected(await state.arrive()) is None
    return state


async def test_the_form_begins_with_the_sample_which_is_not_filled_in_again():
    state = await opened()
    assert (state.ready, state.contact["email"]) == (True, CONTACT.email)
    assert state.suggested_password == PASSWORD_SUGGESTED
    await run(state.edit_contact(signup_form(**dict.fromkeys(signup_form(), ""))))
    await run(state.arrive())
    assert set(state.contact.values()) == {""}


async def test_a_wrong_form_says_what_is_wrong_and_where():
    state = await opened()
    sent = await answer(
        state.submit_signup(signup_form(last_name=" ", phone="555", password="short"))
    )
    assert focused(sent) == "contact_last_name"
    assert problems(state.contact_errors) == {
        "last_name": "Last name is required",
        "phone": "Phone number must be at least 10 digits",
        "password": "Password must be at least 8 characters",
    }
    assert not state.contact_given


async def test_messages_wait_for_the_first_try_and_follow_the_typing_from_then_on():
    state = await opened()
    await run(state.edit_contact(signup_form(email="ada", password="")))
    assert problems(state.contact_errors) == {}
    await run(state.submit_signup(signup_form(email="ada")))
    await run(state.edit_contact(signup_form(email="ada@example")))
    assert set(problems(state.contact_errors)) == {"email"}
    await run(state.edit_contact(signup_form(email="ada@example.com", password="short")))
    assert set(problems(state.contact_errors)) == {"password"}
    await run(state.edit_contact(signup_form()))
    assert problems(state.contact_errors) == {}


async def test_the_plans_open_only_with_a_valid_contact():
    state = await tab_at("/onboarding/plan").get_state(SignupState)
    assert redirected(await state.arrive()) == "/onboarding"
    assert not state.ready
    await run(state.submit_signup(signup_form()))
    assert redirected(await state.arrive()) is None
    assert state.ready
    await run(state.edit_contact(signup_form(email="ada")))
    assert redirected(await state.arrive()) == "/onboarding"
    assert not state.contact_given


async def test_a_password_that_was_given_need_not_be_typed_again():
    state = await opened()
    await run(state.submit_signup(signup_form()))
    assert state.password_given
    await run(state.submit_signup(signup_form(password="", email="ada")))
    assert set(problems(state.contact_errors)) == {"email"}
    assert (
        redirected(await answer(state.submit_signup(signup_form(password=""))))
        == "/onboarding/plan"
    )
    await run(state.submit_signup(signup_form(password="short")))
    assert set(problems(state.contact_errors)) == {"password"}


async def test_the_family_plan_is_chosen_until_another_is():
    state = await at_plan()
    assert state.plan == "family"
    for plan in ("solo", "free"):
        state.choose_plan(plan)
        assert state.plan == "solo"
    assert redirected(await answer(state.complete())) == "/dashboard"


async def test_a_one_time_fill_asks_for_the_same_contact_without_a_password():
    state = await opened()
    form = contact_form()
    assert focused(state.submit_contact(contact_form(email="ada"))) == "contact_email"
    await run(state.edit_contact(form))
    assert problems(state.contact_errors) == {}
    assert redirected(state.submit_contact(form)) == "/one-time-fill/vehicle"
    assert (state.contact_given, state.password_given) == (True, False)
