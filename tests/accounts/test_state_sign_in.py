"""The staff login modal, from the password to the page that was asked for."""

from typing import Any

import pytest

from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.sign_in import FAILED, StaffLoginState
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")


async def login(typed: Any, address: str = "/") -> StaffLoginState:
    state = await tab_at(address).get_state(StaffLoginState)
    state.show(True)
    await run(state.login({"password": typed}))
    return state


@pytest.mark.parametrize("typed", ["wrong", None])
async def test_a_wrong_password_is_refused(typed):
    state = await login(typed)
    assert (state.error, state.busy, state.ticket) == ("Invalid password", False, "")


async def test_the_right_password_gives_a_ticket_and_then_the_dashboard(password):
    state = await login(password)
    assert state.busy
    assert await sessions.redeem(state.ticket)
    went = state.enter(True)
    assert (state.opened, state.busy, state.ticket) == (False, False, "")
    assert "/dashboard" in repr(went)


async def test_a_missing_cookie_shows_an_error(password):
    state = await login(password)
    state.enter(False)
    assert (state.opened, state.busy, state.error) == (True, False, FAILED)
    assert state._signed_in_here() == ""


async def test_entering_needs_the_password():
    state = await login("wrong")
    assert state.enter(True) is None
    assert state._signed_in_here() == ""


async def test_closing_the_modal_clears_its_error():
    state = await login("wrong")
    state.show(False)
    assert (state.opened, state.error) == (False, "")


async def test_an_unavailable_database_is_not_a_wrong_password(password, monkeypatch):
    async def gone(*_: object, **__: object):
        raise ConnectionError

    monkeypatch.setattr("fuel_app.accounts.service.shared_password.sign_in", gone)
    state = await login(password)
    assert (state.error, state.busy) == (FAILED, False)


async def test_the_password_is_not_stored_in_the_state(password):
    state = await login(password)
    assert password not in repr(state.dict()) + repr(state._backend_vars)
