"""The second step on the sign-in page: what it asks for, and when it is dropped."""

import pytest
from pyotp.totp import TOTP

from fuel_app.accounts.state.session import CookieState
from fuel_app.accounts.state.sign_in_pages import ResetPasswordState
from tests.accounts.test_state_sign_in_page import at_second_step, end_second_steps
from tests.helpers.tabs import focused, run

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.mark.parametrize("form", [{}, None, {"code": " "}])
async def test_an_empty_code_is_asked_for_and_counts_as_no_try(form):
    state, seed = await at_second_step()
    sent = [await run(state.finish(form)) for _ in range(8)][-1]
    assert (state.code_error, state.methods) == ("Enter the 6 digits.", ["app"])
    assert focused(sent[-1]) == "second_step_code"
    await run(state.finish({"code": TOTP(seed).now()}))
    assert (await state.get_state(CookieState)).ticket


async def test_opening_a_link_of_a_reset_drops_it():
    state, _seed = await at_second_step()
    await run((await state.get_state(ResetPasswordState)).arrive())
    assert (state.methods, state.error) == ([], "")


async def test_a_second_step_outlives_a_lost_connection_until_it_is_over():
    state, _seed = await at_second_step()
    await run(state.arrive())
    assert state.methods == ["app"]
    await end_second_steps()
    await run(state.arrive())
    assert (state.methods, state._challenge) == ([], "")
