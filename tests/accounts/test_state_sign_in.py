"""The staff login modal, from the password to the page that was asked for."""

from typing import Any

import pytest

from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import SIGN_IN_FAILED, CookieState, StaffLoginState
from tests.helpers.tabs import run, tab_at, unavailable

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")


async def login(typed: Any, address: str = "/") -> StaffLoginState:
    state = await tab_at(address).get_state(StaffLoginState)
    await state.show(True)
    await run(state.login({"password": typed}))
    return state


async def cookie_of(state: StaffLoginState) -> CookieState:
    return await state.get_state(CookieState)


@pytest.mark.parametrize("typed", ["wrong", None])
async def test_a_wrong_password_is_refused(typed):
    state = await login(typed)
    assert (state.error, state.busy) == ("Invalid password", False)
    assert (await cookie_of(state)).ticket == ""


async def test_the_right_password_gives_a_ticket_and_then_the_dashboard(password):
    state = await login(password)
    cookie = await cookie_of(state)
    assert cookie.fetching
    assert await sessions.redeem_ticket(cookie.ticket)
    went = await cookie.fetched(True)
    assert (state.opened, cookie.fetching, cookie.ticket) == (False, False, "")
    assert "/dashboard" in repr(went)


async def test_a_missing_cookie_shows_an_error(password):
    state = await login(password)
    cookie = await cookie_of(state)
    await cookie.fetched(False)
    assert (state.opened, cookie.fetching, cookie.error) == (True, False, SIGN_IN_FAILED)
    assert cookie._signed_in_here() == ""


async def test_an_unavailable_database_is_not_a_wrong_password(password, monkeypatch):

    monkeypatch.setattr("fuel_app.accounts.service.sessions.sign_in_shared", unavailable)
    state = await login(password)
    assert (state.error, state.busy) == (SIGN_IN_FAILED, False)


async def test_the_password_is_not_stored_in_the_state(password):
    state = await login(password)
    assert password not in repr(state.dict()) + repr(state._backend_vars)
