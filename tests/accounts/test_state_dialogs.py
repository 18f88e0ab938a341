"""Every dialog: closed once its page is loaded anew."""

import pytest
import reflex as rx

import fuel_app.fuel_app  # noqa: F401 (imports every state)
from fuel_app.accounts.state.dialogs import StaffDialog
from fuel_app.accounts.state.session import SessionState

# Forms of visitors stay open over a reload, with what is typed.
KEPT = {
    "WaitlistState",
    "FleetQuoteState",
    "BusinessQuoteState",
    "StaffLoginState",
}
DIALOGS = [
    state
    for state in sorted(rx.State.get_substates(), key=lambda each: each.__name__)
    if "opened" in state.base_vars and state.base_vars["opened"]._var_type is bool
]


@pytest.mark.usefixtures("sqlite_database")
@pytest.mark.parametrize("state", DIALOGS, ids=lambda state: state.__name__)
async def test_no_dialog_is_open_once_its_page_is_loaded_anew(state):
    tab = rx.State()
    dialog = await tab.get_state(state)
    dialog.opened = True
    await (await tab.get_state(SessionState))._greet(open_already=True)  # a lost connection
    assert dialog.opened
    await (await tab.get_state(SessionState))._greet(open_already=False)
    assert dialog.opened == (state.__name__ in KEPT)


def test_the_dialogs_of_the_staff_are_among_them():
    assert {state for state in rx.State.get_substates() if issubclass(state, StaffDialog)} <= {
        *DIALOGS
    }
    assert {state.__name__ for state in DIALOGS} >= KEPT
