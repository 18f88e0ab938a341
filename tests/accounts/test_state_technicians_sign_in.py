"""Technicians sign in, and come to their own page alone."""

from urllib.parse import quote

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import CookieState
from fuel_app.accounts.state.sign_in_pages import SignInState
from tests.accounts.test_state_sign_in_page import a_cookie, opened, signs_in, then
from tests.helpers.people import a_person
from tests.helpers.tabs import redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.mark.parametrize("asked", ["/drive", "/account", "/dashboard", "/submissions"])
async def test_a_technicians_browser_loads_the_page_that_the_router_does_not_have(asked):
    await a_person(Role.TECHNICIAN)
    state = await opened(f"{routes.SIGN_IN}?next={quote(asked, safe='')}")
    await signs_in(state)
    assert await then(state) is None
    cookie = await state.get_state(CookieState)
    assert cookie.leave_for == routes.DRIVE
    cookie._greet()  # the tab connects anew
    assert cookie.leave_for == ""


async def test_a_signed_in_technician_is_led_to_their_page_and_may_accept_an_invitation():
    await a_person(Role.TECHNICIAN)
    cookie = await a_cookie()
    state = await opened(cookie=cookie)
    assert (await state.get_state(CookieState)).leave_for == routes.DRIVE
    state = await opened(f"{routes.SIGN_IN}?next=/account", cookie)
    assert (await state.get_state(CookieState)).leave_for == routes.DRIVE
    state = tab_at(f"{routes.SIGN_IN}?next=/invitation", cookie=cookie)
    arrived = (await state.get_state(SignInState)).arrive()
    assert redirected((await run(arrived))[-1]) == routes.INVITATION


async def test_a_technician_who_is_a_customer_too_comes_to_their_route_unless_they_ask_for_more():
    await a_person(Role.TECHNICIAN, Role.CUSTOMER)
    state = await opened()
    await signs_in(state)
    assert await then(state) is None
    assert (await state.get_state(CookieState)).leave_for == routes.DRIVE
    state = await opened(f"{routes.SIGN_IN}?next=/account")
    await signs_in(state)
    assert await then(state) == routes.ACCOUNT


async def test_others_who_ask_for_the_technicians_page_come_to_their_own():
    await a_person()
    state = await opened(f"{routes.SIGN_IN}?next=/drive")
    await signs_in(state)
    assert await then(state) == routes.DASHBOARD
    tab = tab_at(f"{routes.SIGN_IN}?next=/drive", cookie=await a_cookie())  # signed in already
    arrived = (await tab.get_state(SignInState)).arrive()
    assert redirected((await run(arrived))[-1]) == routes.DASHBOARD
