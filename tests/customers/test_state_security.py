"""Privacy & Security of a signed-in person, in a tab without a browser."""

from collections.abc import MutableMapping
from typing import Any

import pytest

from fuel_app.accounts.rules import Purpose, Role
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import security, sessions
from fuel_app.accounts.state.session import COOKIE, SessionState
from fuel_app.accounts.tables import Passkey
from fuel_app.customers.state.security import (
    FactorsState,
    OwnSecurityState,
    PasswordState,
    ReauthenticationState,
)
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.messages import service as messages
from fuel_app.preview.state.account import SecurityState
from tests.customers.owner import PAGE, Owner
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.signed_in import a_person, person_row, seen, session_of
from tests.helpers.tabs import focused, go_to, redirected, run, tab_at
from tests.staff import a_token

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.mark.parametrize("is_open", [False, True])
async def test_a_person_sees_their_own_security_whether_or_not_the_company_is_open(is_open):
    if is_open:
        await open_area("34236")
    owner = await Owner.signed_in(Role.DISPATCHER)
    screen = await owner.screen(OwnSecurityState)
    assert (screen.is_own, screen.lacks_factor) == (True, False)
    assert screen.card.password.startswith("Last changed ")
    assert [row.is_this for row in screen.card.sessions] == [True]
    assert screen.card.recovery == "None yet"


@pytest.mark.usefixtures("password")
async def test_a_visitor_and_the_shared_password_see_the_preview():
    for cookie in ("", f"{COOKIE}={await a_token()}"):
        tab = tab_at(PAGE, cookie=cookie)
        own = await tab.get_state(OwnSecurityState)
        await run(own.arrive())
        assert not own.is_own
        preview = await tab.get_state(SecurityState)
        await run(preview.set_up())
        assert preview.setting_up


async def test_nothing_of_it_is_sent_to_another_connection():
    owner = await Owner.signed_in()
    go_to(owner.tab, PAGE, connection="another")
    assert "Chrome" not in repr(await owner.tab._get_resolved_delta())


async def test_an_admin_without_a_factor_is_told_until_one_is_on():
    owner = await Owner.signed_in(Role.ADMIN)
    screen = await owner.screen(OwnSecurityState)
    assert screen.lacks_factor
    await owner.with_app()
    assert not screen.lacks_factor
    assert (await owner.screen(SessionState)).is_admin


class TestAuthenticator:
    async def test_it_is_chosen_confirmed_and_removed(self):
        owner = await Owner.signed_in()
        factors = await owner.screen(FactorsState)
        await owner.fire(FactorsState.set_up)
        assert factors.choosing
        await owner.fire(FactorsState.choose, "app")
        assert (factors.app_waits, factors.setup) == (True, 1)
        await owner.fire(FactorsState.confirm, {"code": " "})
        assert factors.code_error == "Enter the 6 digits."
        wrong = await owner.fire(FactorsState.confirm, {"code": "000000"})
        assert factors.code_error == "This code is not right. Check it and try again."
        assert focused(wrong[-1]) == "factor_code"
        code = (await owner.app()).at(clock.now())
        await owner.fire(FactorsState.confirm, {"code": code})
        assert ((await owner.card()).has_app, factors.choosing, factors.busy) == (
            True,
            False,
            False,
        )
        await owner.fire(FactorsState.remove, "app")
        assert not (await owner.card()).has_app
        assert await owner.said() == ["Second factor added.", "Second factor removed."]

    async def test_neither_seed_nor_code_is_in_the_tab(self):
        owner = await Owner.signed_in()
        await owner.fire(FactorsState.choose, "app")
        app = await owner.app()
        await owner.fire(FactorsState.confirm, {"code": app.at(clock.now())})
        kept = repr([vars(state) for state in _states(owner.tab)])
        assert app.secret not in kept
        assert app.at(clock.now()) not in kept

    async def test_closing_the_setup_keeps_an_app_that_another_tab_has_turned_on(self):
        owner = await Owner.signed_in()
        await owner.fire(FactorsState.choose, "app")
        code = (await owner.app()).at(clock.now())
        await security.confirm_app(await seen(owner.token), code, Visitor())
        await owner.fire(FactorsState.set_up)
        assert (await person_row(owner.id)).totp_confirmed_at
        assert not (await owner.screen(FactorsState)).choosing

    async def test_closing_the_setup_later_asks_for_no_password(self):
        owner = await Owner.signed_in()
        await owner.fire(FactorsState.choose, "app")
        await owner.forget_reauthentication()
        await owner.fire(FactorsState.set_up)
        assert not (await owner.screen(ReauthenticationState)).opened

    async def test_an_admins_last_factor_stays_and_the_reason_is_told(self):
        owner = await (await Owner.signed_in(Role.ADMIN)).with_app()
        await owner.fire(FactorsState.remove, "app")
        assert (await owner.card()).has_app
        assert (await owner.said())[-1].startswith("An admin needs a second factor")


class TestTextMessages:
    async def test_a_phone_is_verified_and_agrees_to_other_messages(self):
        owner = await Owner.signed_in()
        factors = await owner.screen(FactorsState)
        await owner.fire(FactorsState.choose, "sms")
        wrong = await owner.fire(FactorsState.send_code, {"phone": "12"})
        assert factors.phone_error
        assert focused(wrong[-1]) == "factor_phone"
        await owner.fire(FactorsState.send_code, {"phone": "(941) 555-0199", "agrees": "yes"})
        assert (factors.code_sent, factors.phone_error) == (True, "")
        for _ in range(6):
            await owner.fire(FactorsState.confirm, {"code": ""})
        assert factors.code_error == "Enter the 6 digits."
        await owner.fire(FactorsState.confirm, {"code": "no code"})
        assert factors.code_error == "This code is not right. Check it and try again."
        await owner.fire(FactorsState.confirm, {"code": await owner.code(Purpose.PHONE)})
        card = await owner.card()
        assert (card.has_sms, card.phone) == (True, "(941) 555-0199")
        assert await messages.text_refusal("9415550199") is None
        await owner.fire(FactorsState.remove, "sms")
        assert not (await owner.card()).has_sms

    async def test_a_phone_that_has_sent_stop_is_told_to_send_start(self):
        owner = await Owner.signed_in()
        await messages.receive_text("+19415550199", "STOP")
        await owner.fire(FactorsState.choose, "sms")
        done = await owner.fire(FactorsState.send_code, {"phone": "9415550199"})
        factors = await owner.screen(FactorsState)
        assert factors.phone_error.startswith("Text START to ")
        assert (factors.code_sent, focused(done[-1])) == (False, "factor_phone")
        await messages.receive_text("+19415550199", "START")
        await owner.fire(FactorsState.send_code, {"phone": "9415550199"})
        assert (factors.code_sent, factors.phone_error) == (True, "")

    async def test_too_many_codes_are_refused_with_the_reason(self):
        owner = await Owner.signed_in()
        await owner.fire(FactorsState.choose, "sms")
        for _ in range(4):
            await owner.fire(FactorsState.send_code, {"phone": "9415550199"})
        factors = await owner.screen(FactorsState)
        assert factors.problem.startswith("Too many")


class TestSessions:
    async def test_another_one_is_signed_out(self):
        owner = await Owner.signed_in()
        other = await session_of(owner.id, device="Edge on Windows")
        stranger = await session_of(await a_person())
        await owner.fire(OwnSecurityState.sign_out, stranger.id)
        assert await sessions.find(stranger.id)
        await owner.fire(OwnSecurityState.sign_out, other.id)
        assert await owner.said() == ["Signed out there."]
        card = await owner.card()
        assert len(card.sessions) == 1
        assert card.history[0].event == "Signed out: the session in Edge on Windows"

    async def test_all_others_are_signed_out(self):
        owner = await Owner.signed_in()
        await session_of(owner.id)
        await owner.fire(OwnSecurityState.sign_out_others)
        assert len((await owner.card()).sessions) == 1

    async def test_signing_out_everywhere_empties_the_tab(self):
        owner = await Owner.signed_in()
        sent = await owner.fire(OwnSecurityState.sign_out_everywhere)
        assert redirected(sent[-1]) == "/"
        screen = await owner.screen(OwnSecurityState)
        assert (screen.is_own, screen.card.sessions) == (False, [])
        assert await owner.fire(OwnSecurityState.arrive) == []


class TestPasskeys:
    async def test_an_added_one_is_shown_and_its_owner_alone_removes_it(self):
        owner, other = await Owner.signed_in(), await Owner.signed_in()
        async with transaction() as session:
            row = Passkey(person_id=owner.id, credential_id="c", public_key="k", name="My phone")
            session.add(row)
        await owner.fire(FactorsState.passkey_added)
        (shown,) = (await owner.card()).passkeys
        assert (shown.name, shown.used) == ("My phone", "Not used yet")
        await other.fire(FactorsState.remove_passkey, row.id)
        assert len(await rows(Passkey)) == 1
        assert await other.said() == ["This is not set up any more."]
        await owner.fire(FactorsState.remove_passkey, row.id)
        assert (await owner.card()).passkeys == []


EVENTS = [
    (state, name)
    for state in (OwnSecurityState, PasswordState, ReauthenticationState, FactorsState)
    for name in state.event_handlers
    if name != "setvar"
]


@pytest.mark.parametrize("given", [None, 7, "x", [], {}, {"code": []}, "\ud800"])
async def test_any_argument_is_survived(given, logged: list[MutableMapping[str, Any]]):
    owner = await Owner.signed_in()
    for state, name in EVENTS:
        if name == "sign_out_everywhere":
            continue
        handler = state.event_handlers[name]
        wants = handler.fn.__wrapped__.__code__.co_argcount - 1
        await owner.fire(getattr(state, name), *[given] * wants)
    assert not [entry for entry in logged if entry["log_level"] == "error"]


async def test_a_stranger_gets_no_answer():
    tab = tab_at(PAGE)
    for state, name in EVENTS:
        handler = state.event_handlers[name]
        wants = handler.fn.__wrapped__.__code__.co_argcount - 1
        assert await run(handler.fn(await tab.get_state(state), *["x"] * wants)) == []


def _states(state: Any) -> list[Any]:
    return [state, *(each for child in state.substates.values() for each in _states(child))]
