"""Access to the staff's screens."""

import asyncio

import pytest

from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE, CookieState, SessionState, StaffLoginState
from fuel_app.kit.signals import Changes, signals
from tests.helpers.members import an_admin
from tests.helpers.screens import (
    EVENTS,
    PAGE,
    SECRET,
    SecretsState,
    fire,
    opened,
    secrets_of,
    signed_in,
    staff_tab,
)
from tests.helpers.tabs import go_to, redirected, run, tab_at, unavailable
from tests.staff import PASSWORD, a_token

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")

every_kind = pytest.mark.parametrize("event", EVENTS)


async def end_session(tab) -> None:
    staff_state = await tab.get_state(SessionState)
    await staff_state._look()
    assert staff_state._session
    await sessions.sign_out(staff_state._session.id)


async def login_of(tab) -> StaffLoginState:
    return await tab.get_state(StaffLoginState)


async def sign_in(tab) -> str | None:
    """Through the modal, on the connection that the tab has; returns where it leads."""
    await run((await login_of(tab)).login({"password": PASSWORD}))
    cookie = await tab.get_state(CookieState)
    assert await sessions.redeem_ticket(cookie.ticket)
    return redirected(await cookie.fetched(True))


async def connect(tab, *, loading: bool) -> dict:
    """Return what a tab gets when it connects."""
    await (await tab.get_state(SessionState))._greet(open_already=not loading)
    return tab.dict()


@every_kind
async def test_staff_can_use_guarded_events_of_every_kind(event):
    tab = await staff_tab()
    await fire(tab, event)
    assert await secrets_of(tab) == [SECRET + "!"]


@every_kind
async def test_strangers_cannot_use_guarded_events(event):
    tab = tab_at(PAGE)
    assert await fire(tab, event) == []
    assert await secrets_of(tab) == []
    assert (await login_of(tab)).opened


@every_kind
async def test_an_ended_session_opens_nothing(event):
    tab = await staff_tab()
    await fire(tab, "plain")
    await end_session(tab)
    (await tab.get_state(SecretsState)).shown = []
    assert await fire(tab, event) == []
    assert await secrets_of(tab) == []


@pytest.mark.parametrize("cookie", ["", COOKIE, f"{COOKIE}=", f"{COOKIE}=\xff;;=;", "a=b; c"])
async def test_a_malformed_cookie_opens_nothing(cookie):
    tab = tab_at(PAGE, cookie=cookie)
    await fire(tab, "plain")
    assert await secrets_of(tab) == []


async def test_the_login_leads_to_the_requested_page():
    tab = tab_at(f"{PAGE}?type=fleet&page=2")
    assert redirected((await opened(tab))[0]) == "/"
    login = await login_of(tab)
    assert (login.opened, login.over_page) == (True, False)
    go_to(tab, "/")
    assert await sign_in(tab) == f"{PAGE}?type=fleet&page=2"
    go_to(tab, f"{PAGE}?type=fleet&page=2")
    assert redirected((await opened(tab))[0]) is None
    await fire(tab, "plain")
    assert await secrets_of(tab) == [SECRET + "!"]


@pytest.mark.parametrize("address", ["/", "/dashboard", "//evil.example", "/fleet?to=/submissions"])
async def test_the_login_leads_to_staff_pages_alone(address):
    tab = tab_at(address)
    await (await tab.get_state(SessionState))._ask()
    assert await sign_in(tab) == "/dashboard"


async def test_a_sign_in_counts_for_its_own_connection_alone():
    """A connection with a stolen tab token is not signed in."""
    tab = tab_at("/")
    await sign_in(tab)
    await fire(tab, "plain")
    assert await secrets_of(tab) == [SECRET + "!"]
    go_to(tab, PAGE, connection="another")
    assert SECRET not in repr(await connect(tab, loading=True))
    (await tab.get_state(SecretsState)).shown = []
    await fire(tab, "plain")
    assert await secrets_of(tab) == []


async def test_an_expired_session_keeps_what_was_typed():
    tab = await staff_tab()
    await opened(tab)
    await fire(tab, "plain")
    await end_session(tab)
    await fire(tab, "yielding")
    login = await login_of(tab)
    assert (login.opened, login.over_page) == (True, True)
    assert await secrets_of(tab) == [SECRET + "!"]
    assert await sign_in(tab) == PAGE
    assert redirected((await opened(tab))[0]) is None
    assert not login.opened


async def test_closing_the_login_over_a_page_leaves_the_page():
    tab = await staff_tab()
    await opened(tab)
    await end_session(tab)
    await fire(tab, "plain")
    assert redirected(await (await login_of(tab)).show(False)) == "/"


async def test_an_unavailable_database_does_not_block_pages(monkeypatch):

    tab = await staff_tab()
    await fire(tab, "plain")
    monkeypatch.setattr(sessions, "find_by_token", unavailable)
    assert SECRET not in repr(await connect(tab, loading=True))
    assert not await signed_in(tab)


@pytest.fixture
def asked(monkeypatch) -> asyncio.Event:
    """Set whenever a listener waits for a change."""
    waiting, real = asyncio.Event(), Changes.next

    async def next_one(self: Changes, seconds: float | None = None) -> frozenset[str]:
        waiting.set()
        return await real(self, seconds)

    monkeypatch.setattr(Changes, "next", next_one)
    return waiting


async def follow(tab) -> list:
    state = await tab.get_state(SessionState)
    return await run(SessionState.event_handlers["follow"].fn(state))


async def following(tab, asked: asyncio.Event) -> asyncio.Task:
    """The event that a page of the staff starts, when it listens."""
    task = asyncio.create_task(follow(tab))
    await asked.wait()
    asked.clear()
    return task


async def test_signing_out_in_one_tab_empties_the_others_at_once(asked):
    token = await a_token()
    one, other = await staff_tab(token=token), await staff_tab(token=token)
    await opened(other)
    await fire(other, "plain")
    task = await following(other, asked)
    await end_session(one)
    (sent,) = await task
    assert redirected(sent) == "/"
    assert not await signed_in(other)
    assert await secrets_of(other) == []


async def test_a_public_page_stays_open_after_signing_out(asked):
    tab = await staff_tab("/dashboard")
    task = await following(tab, asked)
    await end_session(tab)
    assert await task == []
    assert not await signed_in(tab)


async def test_an_open_page_shows_the_login_when_its_session_expires(monkeypatch):
    tab = await staff_tab()
    await opened(tab)

    async def expired(_token):
        return None

    monkeypatch.setattr(sessions, "find_by_token", expired)
    assert await follow(tab) == []
    login = await login_of(tab)
    assert (login.opened, login.over_page) == (True, True)


@pytest.mark.slow
async def test_a_screen_follows_its_topics_until_the_session_ends(asked):
    tab = await staff_tab()
    task = asyncio.create_task(fire(tab, "follow"))
    for seen in range(3):
        await asked.wait()
        asked.clear()
        assert await secrets_of(tab) == [SECRET] * seen
        await signals().publish("secrets")
    await asked.wait()
    await end_session(tab)
    await task
    assert await secrets_of(tab) == [SECRET] * 3


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
