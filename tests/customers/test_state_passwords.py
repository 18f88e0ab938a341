"""The password on the screen: given again before changes, and changed."""

from typing import Any

import pytest

from fuel_app.accounts.service import sessions
from fuel_app.customers.state.security import (
    FactorsState,
    OwnSecurityState,
    PasswordState,
    ReauthenticationState,
)
from tests.customers.owner import Owner
from tests.helpers.people import PASSWORD
from tests.helpers.signed_in import session_of
from tests.helpers.tabs import focused

pytestmark = pytest.mark.usefixtures("sqlite_database")

NEW_PASSWORD = "gannets-dive-41-deep"


async def events(owner: Owner) -> list[str]:
    """Return the Login History."""
    await owner.fire(OwnSecurityState.arrive)
    return [line.event for line in (await owner.card()).history]


class TestReauthentication:
    async def test_a_change_asks_for_the_password_and_goes_on(self):
        owner = await Owner.signed_in()
        await owner.forget_reauthentication()
        assert await owner.fire(FactorsState.choose, "app") == []  # its field is not there
        proof, factors = await owner.screen(ReauthenticationState), await owner.screen(FactorsState)
        assert (proof.opened, factors.app_waits) == (True, False)
        wrong = await owner.fire(ReauthenticationState.confirm, {"password": "wrong"})
        assert proof.error == "This is not your current password."
        assert focused(wrong[-1]) == "reauthentication_password"
        sent = await owner.fire(ReauthenticationState.confirm, {"password": PASSWORD})
        assert (proof.opened, proof.busy) == (False, False)
        step = sent[-1]
        assert step.handler.fn is FactorsState.choose.fn
        await owner.fire(FactorsState.choose, "app")
        assert factors.app_waits

    @pytest.mark.parametrize("agrees", ["yes", ""])
    async def test_a_code_is_texted_once_the_password_is_given(self, agrees):
        owner = await Owner.signed_in()
        await owner.forget_reauthentication()
        await owner.fire(FactorsState.choose, "sms")
        form = {"phone": "9415550199", "agrees": agrees}
        again: Any = FactorsState.send_code(form)
        await owner.fire(FactorsState.send_code, form)
        assert not (await owner.screen(FactorsState)).code_sent
        *_, step = await owner.fire(ReauthenticationState.confirm, {"password": PASSWORD})
        assert (step.handler.fn, str(step.args)) == (again.handler.fn, str(again.args))
        await owner.fire(FactorsState.send_code, form)
        assert (await owner.screen(FactorsState)).code_sent

    async def test_closing_the_dialog_gives_the_change_up(self):
        owner = await Owner.signed_in()
        await owner.forget_reauthentication()
        await owner.fire(FactorsState.remove, "sms")
        proof = await owner.screen(ReauthenticationState)
        await owner.fire(ReauthenticationState.show, True)
        assert proof.opened
        await owner.fire(ReauthenticationState.show, False)
        await owner.fire(ReauthenticationState.confirm, {"password": PASSWORD})
        assert (proof.opened, proof._then) == (False, ())
        await owner.fire(FactorsState.remove, "sms")
        assert proof.opened

    async def test_a_change_that_nothing_follows_can_ask_too(self):
        owner = await Owner.signed_in()
        (await owner.screen(ReauthenticationState))._ask()
        sent = await owner.fire(ReauthenticationState.confirm, {"password": PASSWORD})
        assert sent == [None]
        assert not (await owner.screen(ReauthenticationState)).opened

    async def test_an_empty_password_is_no_failure(self):
        owner = await Owner.signed_in()
        (await owner.screen(ReauthenticationState))._ask()
        for form in ({}, None, {"password": ""}):
            await owner.fire(ReauthenticationState.confirm, form)
        assert (await owner.screen(ReauthenticationState)).error == "Password is required"
        assert await events(owner) == []

    async def test_guessing_is_throttled(self):
        owner = await Owner.signed_in()
        (await owner.screen(ReauthenticationState))._ask()
        for _ in range(6):
            await owner.fire(ReauthenticationState.confirm, {"password": "wrong"})
        proof = await owner.screen(ReauthenticationState)
        await owner.fire(ReauthenticationState.confirm, {"password": PASSWORD})
        assert proof.opened
        assert "password" not in proof.error

    @pytest.mark.parametrize("name", ["name_passkey", "offer_codes"])
    async def test_the_forms_of_passkeys_and_codes_open_after_it(self, name):
        owner = await Owner.signed_in()
        event = getattr(FactorsState, name)
        await owner.forget_reauthentication()
        await owner.fire(event, True)
        factors = await owner.screen(FactorsState)
        assert (factors.naming, factors.codes_offered) == (False, False)
        (sent, step) = await owner.fire(ReauthenticationState.confirm, {"password": PASSWORD})
        assert sent is None
        assert step.handler.fn is event.fn
        await owner.fire(event, True)
        assert factors.naming != factors.codes_offered
        await owner.fire(event, False)
        assert (factors.naming, factors.codes_offered) == (False, False)


class TestPassword:
    async def test_it_is_changed_and_other_sessions_end(self):
        owner = await Owner.signed_in()
        other = await session_of(owner.id)
        password = await owner.screen(PasswordState)
        await owner.fire(PasswordState.show, True)
        await owner.fire(PasswordState.change, {"current": PASSWORD, "new": NEW_PASSWORD})
        assert (password.opened, password.busy) == (False, False)
        assert await sessions.find(other.id) is None
        assert await owner.said() == ["Password changed. You are signed out everywhere else."]

    @pytest.mark.parametrize(
        ("form", "field"),
        [
            ({"current": "wrong", "new": NEW_PASSWORD}, "current"),
            ({"current": PASSWORD, "new": "short"}, "new"),
        ],
    )
    async def test_what_is_wrong_is_said_beside_its_field(self, form, field):
        owner = await Owner.signed_in()
        await owner.fire(PasswordState.show, True)
        sent = await owner.fire(PasswordState.change, form)
        password = await owner.screen(PasswordState)
        assert [name for name, said in password.errors.items() if said] == [field]
        assert focused(sent[-1]) == f"password_{field}"
        assert password.opened

    @pytest.mark.parametrize("form", [{}, None, {"current": "", "new": ""}, {"current": 7}])
    async def test_empty_fields_are_named_and_are_no_failure(self, form):
        owner = await Owner.signed_in()
        await owner.fire(PasswordState.show, True)
        sent = [await owner.fire(PasswordState.change, form) for _ in range(7)][-1]
        password = await owner.screen(PasswordState)
        assert password.errors == {
            "current": "Current password is required",
            "new": "New password is required",
        }
        assert (focused(sent[-1]), password.error) == ("password_current", "")
        assert await events(owner) == []

    async def test_a_closed_form_changes_nothing(self):
        owner = await Owner.signed_in()
        await owner.fire(PasswordState.change, {"current": PASSWORD, "new": NEW_PASSWORD})
        assert await owner.said() == []

    async def test_guessing_is_throttled(self):
        owner = await Owner.signed_in()
        await owner.fire(PasswordState.show, True)
        for _ in range(7):
            await owner.fire(PasswordState.change, {"current": "x", "new": NEW_PASSWORD})
        assert (await owner.screen(PasswordState)).error
