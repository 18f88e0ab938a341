"""Values of staff screens are sent to signed-in connections only."""

import pytest

from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import (
    SIGN_IN_FAILED,
    CookieState,
    SessionState,
    StaffLoginState,
)
from tests.helpers.screens import PAGE, SECRET, SecretsState, fire, secrets_of, staff_tab
from tests.helpers.staff_access import STAFF_STATES
from tests.helpers.tabs import go_to, run, tab_at
from tests.staff import PASSWORD

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")


async def sent(tab) -> str:
    """Return what the browser gets after an event."""
    delta = await tab._get_resolved_delta()
    tab._clean()
    return repr(delta)


async def write(tab, suffix: str) -> None:
    """Write as an event does that began earlier."""
    (await tab.get_state(SecretsState)).shown = [SECRET + suffix]


async def look(tab) -> None:
    await (await tab.get_state(SessionState))._look()


async def end_session(tab) -> None:
    current = (await tab.get_state(SessionState))._session
    assert current
    await sessions.sign_out(current.id)
    await look(tab)


async def test_results_are_not_sent_to_a_stolen_token():
    tab = await staff_tab()
    await fire(tab, "plain")
    await sent(tab)
    # The connection is known before its first event, which has its own headers.
    go_to(tab, PAGE, cookie=tab.router.headers.cookie, connection="another")
    await write(tab, " is late")
    assert SECRET not in await sent(tab)


async def test_an_emptied_screen_is_sent():
    tab = await staff_tab()
    await fire(tab, "plain")
    await sent(tab)
    await end_session(tab)
    await (await tab.get_state(SessionState))._forget()
    assert "'shown_rx_state_': []" in await sent(tab)


async def test_results_after_signing_out_are_sent_only_after_signing_in_again():
    tab = await staff_tab()
    await fire(tab, "plain")
    await end_session(tab)
    await sent(tab)
    await write(tab, " is late")
    assert SECRET not in await sent(tab)
    await run((await tab.get_state(StaffLoginState)).login({"password": PASSWORD}))
    cookie = await tab.get_state(CookieState)
    await cookie.fetched(True)
    await look(tab)
    assert f"{SECRET} is late" in await sent(tab)


async def test_a_sign_in_finished_by_another_connection_is_void():
    tab = tab_at("/", connection="one")
    await run((await tab.get_state(StaffLoginState)).login({"password": PASSWORD}))
    cookie = await tab.get_state(CookieState)
    go_to(tab, "/", connection="another")
    await cookie.fetched(True)
    assert cookie.error == SIGN_IN_FAILED
    await fire(tab, "plain")
    assert await secrets_of(tab) == []


async def test_a_stolen_token_does_not_get_the_ticket():
    tab = tab_at("/", connection="one")
    await run((await tab.get_state(StaffLoginState)).login({"password": PASSWORD}))
    cookie = await tab.get_state(CookieState)
    ticket = cookie.ticket
    go_to(tab, "/", connection="another")
    await (await tab.get_state(SessionState))._greet(open_already=False)
    assert ticket not in repr(tab.dict())
    assert not cookie.fetching


@pytest.mark.parametrize("state", STAFF_STATES, ids=lambda state: state.__name__)
def test_no_staff_value_is_recomputed_with_every_event(state):
    """It would be sent with every event, of any visitor."""
    assert not state._always_dirty_computed_vars
    assert not state._interval_computed_var_names
