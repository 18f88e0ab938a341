"""Signing up for an account in one tab, once the company is open."""

import asyncio
import json
from typing import Any

import pytest
import reflex as rx

from fuel_app.accounts.state.session import CookieState
from fuel_app.accounts.tables import SignUp
from fuel_app.customers.rules.sign_up import PASSWORD_AGAIN
from fuel_app.customers.service import sign_up
from fuel_app.customers.state.customer import WE_HAVE_OPENED
from fuel_app.customers.state.sign_up import FAILED, SignupState
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.db.session import transaction
from tests.factories import signup_form
from tests.hardening.nasty import NASTY
from tests.helpers.customers import said
from tests.helpers.open_area import ELSEWHERE_ZIP, ZIP, open_area
from tests.helpers.sign_ups import mails, rows
from tests.helpers.tabs import answer, focused, go_to, problems, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

PASSWORD = "engine-1843-loom"


def form(**differs: Any) -> dict[str, Any]:
    return signup_form(password=PASSWORD, zip_code=ZIP) | differs


async def opened(tab: rx.State | None = None) -> SignupState:
    await open_area()
    state = await (tab or tab_at("/onboarding")).get_state(SignupState)
    await run(state.arrive())
    return state


async def at_plan() -> SignupState:
    tab = tab_at("/onboarding")
    state = await opened(tab)
    assert redirected(await answer(state.submit_signup(form()))) == "/onboarding/plan"
    go_to(tab, "/onboarding/plan")
    assert redirected(await state.arrive()) is None
    return state


async def test_the_form_is_empty_and_asks_for_the_zip():
    state = await opened()
    assert set(state.contact.values()) == {state.suggested_password} == {""}
    assert (state.ready, state.opens_account, "zip_code" in state.contact) == (True, True, True)


async def test_completing_stores_the_sign_up_and_signs_the_browser_in():
    state = await at_plan()
    state.choose_plan("solo")
    await run(state.complete())
    cookie = await state.get_state(CookieState)
    assert cookie.ticket
    (stored,) = await rows(SignUp)
    assert (stored.plan_id, stored.phone, stored.zip_code) == ("solo", "9415550123", ZIP)
    assert redirected(await cookie.fetched(True)) == "/dashboard"


async def test_a_double_click_completes_once():
    state = await at_plan()
    await run(state.complete())
    assert await run(state.complete()) == []
    assert len(await mails()) == 1


async def test_a_cookie_that_does_not_come_can_be_fetched_again():
    state = await at_plan()
    cookie = await state.get_state(CookieState)
    for _ in range(2):
        await run(state.complete())
        await cookie.fetched(False)
    await run(state.complete())
    assert redirected(await cookie.fetched(True)) == "/dashboard"
    assert (len(await mails()), len(await rows(SignUp))) == (1, 1)


async def test_a_completed_sign_up_leaves_an_empty_form():
    state = await at_plan()
    await run(state.complete())
    go_to(state, "/onboarding")
    await run(state.arrive())
    assert set(state.contact.values()) == {""}
    assert (state.ready, state.contact_given) == (True, False)


async def test_a_wrong_form_stores_nothing_and_points_at_its_first_problem():
    state = await opened()
    sent = await answer(state.submit_signup(form(zip_code="3", password="Lovelace1!")))
    assert focused(sent) == "contact_zip_code"
    assert problems(state.contact_errors) == {"zip_code": "ZIP code must be 5 digits"}
    sent = await answer(state.submit_signup(form(password="Lovelace1!")))
    assert focused(sent) == "contact_password"
    assert (state.busy, await rows(SignUp)) == (False, [])
    go_to(state, "/onboarding/plan")
    assert redirected(await state.arrive()) == "/onboarding"


async def test_an_easy_password_keeps_its_message_until_it_is_a_better_one():
    state = await opened()
    await run(state.submit_signup(form(password="Lovelace1!")))
    await run(state.edit_contact(form(password="Lovelace12!")))
    assert "easy to guess" in state.contact_errors["password"]
    await run(state.edit_contact(form()))
    assert problems(state.contact_errors) == {}


async def test_a_zip_elsewhere_leads_to_the_prefilled_waitlist():
    state = await opened()
    sent = await answer(state.submit_signup(form(zip_code=ELSEWHERE_ZIP)))
    assert redirected(sent) == "/?waitlist=true"
    waitlist = await state.get_state(WaitlistState)
    assert waitlist.form == {
        "first_name": "Ada",
        "last_name": "Lovelace",
        "email": "ada@example.com",
        "phone_number": "(941) 555-0123",
        "zip_code": ELSEWHERE_ZIP,
    }
    assert waitlist.reason == (
        f"We do not serve {ELSEWHERE_ZIP} yet. "
        "Join the waitlist and we write to you when we open there."
    )
    await run(waitlist.show(False))
    assert waitlist.reason == ""
    assert await rows(SignUp) == []


async def test_a_visitor_who_is_on_the_waitlist_keeps_their_entry():
    state = await opened()
    waitlist = await state.get_state(WaitlistState)
    waitlist.stage = "joined"
    await run(state.submit_signup(form(zip_code=ELSEWHERE_ZIP)))
    assert (waitlist.stage, set(waitlist.form.values())) == ("joined", {""})


async def test_going_back_to_correct_the_contact_replaces_the_sign_up():
    state = await at_plan()
    await run(state.edit_contact(form(email="ada.l@example.com", password="")))
    assert redirected(await state.arrive()) == "/onboarding"
    sent = await answer(state.submit_signup(form(email="ada.l@example.com", password="")))
    assert redirected(sent) == "/onboarding/plan"
    (stored,) = await rows(SignUp)
    assert stored.email == "ada.l@example.com"


async def forget_sign_ups() -> None:
    async with transaction() as session:
        for row in await rows(SignUp):
            await session.delete(row)


async def test_a_lapsed_sign_up_asks_for_the_password_again():
    state = await at_plan()
    await forget_sign_ups()
    sent = await answer(state.submit_signup(form(password="")))
    assert focused(sent) == "contact_password"
    assert problems(state.contact_errors) == {"password": PASSWORD_AGAIN}


async def test_a_sign_up_that_lapses_before_its_end_begins_anew():
    state = await at_plan()
    await forget_sign_ups()
    assert redirected(await answer(state.complete())) == "/onboarding"
    assert await said(state) == ["Your sign-up has expired. Please sign up again."]
    assert redirected(await state.arrive()) == "/onboarding"


async def test_too_many_sign_ups_say_when_to_come_back():
    state = await opened()
    for _ in range(21):
        await run(state.submit_signup(form()))
    assert "Too many attempts" in state.refusal
    await run(state.arrive())
    assert state.refusal == ""


@pytest.mark.parametrize("failing", [("beginning",), ("begin", "complete")])
async def test_a_failing_database_says_so(failing, monkeypatch):
    state = await at_plan()

    async def gone(*_: object, **__: object):
        raise ConnectionError

    for name in failing:
        monkeypatch.setattr(sign_up, name, gone)
    for event in (state.submit_signup(form()), state.complete()):
        state.refusal = ""
        await run(event)
        assert (state.refusal, state.busy) == (FAILED, False)


async def test_a_forged_plan_is_refused():
    state = await at_plan()
    state.plan = "free"
    await run(state.complete())
    assert state.refusal == "Please choose a plan."


@pytest.mark.parametrize("event", ["submit", "complete"])
async def test_a_preview_that_is_open_when_the_company_opens_begins_anew(event):
    state = await tab_at("/onboarding").get_state(SignupState)
    await run(state.arrive())
    await run(state.submit_signup(form()))
    await open_area()
    sent = await answer(state.complete() if event == "complete" else state.submit_signup(form()))
    assert sent.handler.fn.__qualname__ == "SignupState.arrive"
    await run(state.arrive())
    assert set(state.contact.values()) == {""}
    assert state.edition == 1  # the fields, which hold the sample, start anew
    assert await said(state) == [WE_HAVE_OPENED]
    assert await rows(SignUp) == []


async def test_the_password_is_nowhere_afterwards():
    state = await at_plan()
    told = [
        await run(state.edit_contact(form())),
        await run(state.submit_signup(form(email="ada"))),
        await run(state.submit_signup(form())),
        await run(state.complete()),
    ]
    root = state._get_root_state()
    held = [root.dict(), *(part._backend_vars for part in root.substates.values())]
    assert PASSWORD not in json.dumps(held, default=repr) + repr(told)


@pytest.mark.parametrize("value", list(NASTY.values()), ids=list(NASTY))
async def test_odd_values_are_refused(value):
    state = await opened()
    for sent in (value, dict.fromkeys(form(), value)):
        await run(state.edit_contact(sent))
        await run(state.submit_signup(sent))
    state.choose_plan(value)
    await asyncio.wait_for(run(state.complete()), 10)
    assert await rows(SignUp) == []
