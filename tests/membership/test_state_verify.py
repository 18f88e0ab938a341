"""The card that asks for the code of the verification mail."""

import json
from typing import Any

import pytest

from fuel_app.accounts.rules import Session
from fuel_app.accounts.service import sessions, sign_up
from fuel_app.accounts.state.session import COOKIE, CookieState, SessionState
from fuel_app.accounts.tables import Person
from fuel_app.customers.tables import StoredCustomer
from fuel_app.membership import service as membership
from fuel_app.membership.state import VERIFY_FAILED, VerifyState
from tests.hardening.nasty import NASTY
from tests.helpers.open_area import open_area
from tests.helpers.sign_ups import EMAIL, begun, code_of, complete, mails, rows
from tests.helpers.tabs import focused, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

SENT_AGAIN = "We have sent a new code. The one before no longer works."


async def signed_up() -> tuple[VerifyState, Session]:
    await open_area()
    signed_in = await complete(await begun())
    cookie = await sessions.redeem_ticket(signed_in.ticket)
    assert cookie
    session = await sessions.find_by_token(cookie.token)
    assert session
    state = await tab_at("/dashboard", cookie=f"{COOKIE}={cookie.token}").get_state(VerifyState)
    await run(state.arrive())
    return state, session


async def verified(state: VerifyState, code: Any) -> list[Any]:
    return await run(state.verify({"code": code}))


async def test_a_sign_up_is_asked_for_the_code_of_its_mail():
    state, _ = await signed_up()
    assert state.email == EMAIL


async def test_the_right_code_makes_a_customer_and_signs_them_in():
    state, session = await signed_up()
    await verified(state, await code_of(session))
    cookie = await state.get_state(CookieState)
    assert (state.email, state.verified, state.busy) == ("", True, False)
    assert redirected(await cookie.fetched(True)) == "/dashboard"
    (customer,), (person,) = await rows(StoredCustomer), await rows(Person)
    assert customer.person_id == person.id
    await run(state.arrive())
    seen = (await state.get_state(SessionState))._session
    assert seen
    assert (seen.person_id, state.email) == (person.id, "")


async def test_a_wrong_code_is_refused_beside_the_field():
    state, _ = await signed_up()
    sent = await verified(state, "12")
    assert [each for each in map(focused, sent) if each] == ["verify_code"]
    assert state.error == "This code is not right. Check it and try again."
    assert (state.email, state.busy) == (EMAIL, False)


async def test_an_empty_code_counts_as_no_try():
    state, session = await signed_up()
    for empty in ["", " ", None] * 4:
        await verified(state, empty)
        assert (state.error, state.busy) == ("Enter the 6 digits.", False)
    await verified(state, await code_of(session))
    assert state.verified


async def test_a_code_is_sent_again_and_then_has_to_wait():
    state, _ = await signed_up()
    for _ in range(3):
        await run(state.resend())
        assert (state.notice, state.error) == (SENT_AGAIN, "")
    await run(state.resend())
    assert (state.notice, state.error) == ("", "Too many attempts. Try again in 15 minutes.")
    assert (len(await mails()), state.sending) == (4, False)


async def test_a_second_press_finds_the_card_gone():
    state, session = await signed_up()
    code = await code_of(session)
    await verified(state, code)
    cookie = await state.get_state(CookieState)
    await cookie.fetched(True)
    (sent,) = await verified(state, code)
    assert redirected(sent) == "/dashboard"
    assert len(await rows(Person)) == 1


@pytest.mark.parametrize("event", ["verify", "resend"])
async def test_others_are_led_to_the_dashboard(event):
    await open_area()
    state = await tab_at("/dashboard").get_state(VerifyState)
    await run(state.arrive())
    assert state.email == ""
    (sent,) = await run(state.verify({"code": "1"}) if event == "verify" else state.resend())
    assert redirected(sent) == "/dashboard"
    assert await mails() == []


async def test_a_failing_database_says_so(monkeypatch):
    state, _ = await signed_up()

    async def gone(*_: object, **__: object):
        raise ConnectionError

    monkeypatch.setattr(membership, "verify", gone)
    monkeypatch.setattr(sign_up, "resend", gone)
    for event in (state.verify({"code": "1"}), state.resend()):
        state.error = ""
        await run(event)
        assert (state.error, state.busy, state.sending) == (VERIFY_FAILED, False, False)


async def test_the_code_is_nowhere_afterwards():
    state, session = await signed_up()
    code = await code_of(session)
    told = [await verified(state, f"{code} 7"), await verified(state, code)]
    root = state._get_root_state()
    held = [root.dict(), *(part._backend_vars for part in root.substates.values())]
    assert code not in json.dumps(held, default=repr) + repr(told)


@pytest.mark.parametrize("value", list(NASTY.values()), ids=list(NASTY))
async def test_odd_values_are_refused(value):
    state, _ = await signed_up()
    for sent in (value, {"code": value}):
        await run(state.verify(sent))
        assert state.error
    assert await rows(Person) == []
