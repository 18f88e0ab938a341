"""The first admin's form, and the way in for staff once there is one."""

import pytest

from fuel_app.accounts.state.people import FirstAdminState
from tests.accounts.test_state_people import shared_tab
from tests.accounts.test_state_session import login_of
from tests.helpers.members import ADMIN_FORM, an_admin
from tests.helpers.screens import PAGE, fire, opened
from tests.helpers.tabs import go_to, problems, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


async def test_a_weak_password_stays_refused_until_it_is_another():
    tab = await shared_tab()
    weak = ADMIN_FORM | {"password": "password1!"}
    assert await tab.fire(FirstAdminState.submit, weak) == ["first_admin_password"]
    shown = await tab.screen(FirstAdminState)
    await tab.fire(FirstAdminState.edit, weak)  # the button loses the focus
    assert "easy to guess" in problems(shown.errors)["password"]
    await tab.fire(FirstAdminState.edit, ADMIN_FORM)
    assert not problems(shown.errors)


async def test_named_accounts_sign_in_on_their_page_and_come_back():
    await an_admin()
    tab = tab_at(f"{PAGE}?page=2")
    to_sign_in = "/sign-in?next=%2Fsubmissions%3Fpage%3D2"
    assert redirected((await opened(tab))[0]) == to_sign_in
    login = await login_of(tab)
    assert not login.opened
    await run(login.show(True))  # by the footer's link
    assert (login.retired, redirected(login.to_sign_in_page())) == (True, "/sign-in")
    go_to(tab, PAGE)
    await fire(tab, "plain")  # as where a session has ended under an open page
    assert login.opened
    assert redirected(login.to_sign_in_page()) == "/sign-in?next=%2Fsubmissions"
