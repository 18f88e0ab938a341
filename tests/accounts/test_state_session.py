"""Who may use the staff's screens."""

import asyncio

import pytest

from fuel_app.accounts import service as staff
from fuel_app.accounts.state.session import COOKIE, StaffState
from fuel_app.accounts.state.sign_in import StaffLoginState
from fuel_app.kit.signals import Changes, MemorySignals, signals
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
from tests.helpers.tabs import go_to, redirected, run, tab_at
from tests.staff import PASSWORD, a_token

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")

every_kind = pytest.mark.parametrize("event", EVENTS)


async def end_session(tab) -> None:
    door = await tab.get_state(StaffState)
    await door._look()
    await staff.sign_out(door._session_id)


async def login_of(tab) -> StaffLoginState:
    return await tab.get_state(StaffLoginState)


async def sign_in(tab) -> str | None:
    """Through the modal, on the connection that the tab has; returns where it leads."""
    login = await login_of(tab)
    await run(login.login({"password": PASSWORD}))
    assert await staff.redeem(login.ticket)
    return redirected(login.enter(True))


async def connect(tab, *, loading: bool) -> dict:
    """What a tab is told when it connects."""
    await (await tab.get_state(StaffState))._greet(open_already=not loading)
    return tab.dict()


@every_kind
async def test_staff_use_events_of_every_kind(event):
    tab = await staff_tab()
    await fire(tab, event)
    assert await secrets_of(tab) == [SECRET + "!"]


@every_kind
async def test_strangers_use_none_of_them(event):
    tab = tab_at(PAGE)
    assert await fire(tab, event) == []
    assert await secrets_of(tab) == []
    assert (await login_of(tab)).opened


@every_kind
async def test_a_session_that_has_ended_opens_nothing_more(event):
    tab = await staff_tab()
    await fire(tab, "plain")
    await end_session(tab)
    (await tab.get_state(SecretsState)).shown = []
    assert await fire(tab, event) == []
    assert await secrets_of(tab) == []


async def test_what_an_event_answers_reaches_the_browser():
    assert "plain" in repr(await fire(await staff_tab(), "plain"))


@pytest.mark.parametrize("damage", [str.upper, lambda token: token[:-1], lambda token: token + "x"])
async def test_a_cookie_that_was_tampered_with_opens_nothing(damage):
    tab = await staff_tab(token=damage(await a_token()))
    await fire(tab, "plain")
    assert await secrets_of(tab) == []


@pytest.mark.parametrize("cookie", ["", COOKIE, f"{COOKIE}=", f"{COOKIE}=\xff;;=;", "a=b; c"])
async def test_a_broken_cookie_is_none(cookie):
    tab = tab_at(PAGE, cookie=cookie)
    await fire(tab, "plain")
    assert await secrets_of(tab) == []


async def test_a_stranger_goes_to_the_login_and_then_to_what_they_asked_for():
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
async def test_a_sign_in_leads_to_pages_of_the_staff_alone(address):
    tab = tab_at(address)
    await (await tab.get_state(StaffState))._ask()
    assert await sign_in(tab) == "/dashboard"


async def test_a_sign_in_counts_for_its_own_connection_alone():
    """Who knows a tab's name and connects as that tab has not signed in."""
    tab = tab_at("/")
    await sign_in(tab)
    await fire(tab, "plain")
    assert await secrets_of(tab) == [SECRET + "!"]
    go_to(tab, PAGE, connection="another")
    assert SECRET not in repr(await connect(tab, loading=True))
    (await tab.get_state(SecretsState)).shown = []
    await fire(tab, "plain")
    assert await secrets_of(tab) == []


async def test_a_tab_without_a_connection_is_nobodys():
    tab = tab_at("/", connection="")
    await sign_in(tab)
    assert not await (await tab.get_state(StaffState))._look()


async def test_a_session_that_expires_in_the_middle_of_an_edit_costs_nothing_that_was_typed():
    tab = await staff_tab()
    await opened(tab)
    await fire(tab, "plain")
    await end_session(tab)
    await fire(tab, "stepwise")
    login = await login_of(tab)
    assert (login.opened, login.over_page) == (True, True)
    assert await secrets_of(tab) == [SECRET + "!"]
    assert await sign_in(tab) == PAGE
    assert redirected((await opened(tab))[0]) is None
    assert not login.opened


async def test_a_lost_connection_tells_a_tab_nothing_until_it_has_signed_in_again():
    """The page in the browser stays as it was; the server keeps its side of it."""
    tab = await staff_tab()
    await opened(tab)
    await fire(tab, "plain")
    await end_session(tab)
    go_to(tab, PAGE, connection="another")
    assert SECRET not in repr(await connect(tab, loading=False))
    assert redirected((await opened(tab))[0]) is None
    await sign_in(tab)
    assert SECRET in repr(await connect(tab, loading=False))


async def test_a_page_that_is_loaded_after_its_session_ended_is_left():
    tab = await staff_tab()
    await opened(tab)
    await end_session(tab)
    await connect(tab, loading=True)
    assert redirected((await opened(tab))[0]) == "/"


async def test_closing_the_login_over_a_page_leaves_the_page():
    tab = await staff_tab()
    await opened(tab)
    await end_session(tab)
    await fire(tab, "plain")
    assert redirected((await login_of(tab)).show(False)) == "/"


async def test_a_tab_that_is_signed_in_is_told_what_it_holds():
    tab = await staff_tab()
    await fire(tab, "plain")
    assert SECRET in repr(await connect(tab, loading=True))


async def test_a_database_that_is_gone_keeps_nobody_from_the_pages(monkeypatch):
    async def gone(_token):
        raise ConnectionError

    tab = await staff_tab()
    await fire(tab, "plain")
    monkeypatch.setattr(staff, "find_by_token", gone)
    assert SECRET not in repr(await connect(tab, loading=True))
    assert not await signed_in(tab)


@pytest.fixture
def asked(monkeypatch) -> asyncio.Event:
    """Set whenever somebody waits for a change."""
    waiting, real = asyncio.Event(), Changes.next

    async def next_one(self: Changes, seconds: float | None = None) -> frozenset[str]:
        waiting.set()
        return await real(self, seconds)

    monkeypatch.setattr(Changes, "next", next_one)
    return waiting


async def follow(tab) -> list:
    state = await tab.get_state(StaffState)
    return await run(StaffState.event_handlers["follow"].fn(state))


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


async def test_somebody_elses_sign_out_changes_nothing(asked):
    tab = await staff_tab()
    task = await following(tab, asked)
    await end_session(await staff_tab())
    await asked.wait()
    assert await signed_in(tab)
    task.cancel()
    await asyncio.wait([task])


async def test_a_page_for_everybody_stays_open_after_signing_out(asked):
    tab = await staff_tab("/dashboard")
    task = await following(tab, asked)
    await end_session(tab)
    assert await task == []
    assert not await signed_in(tab)


async def test_an_open_page_asks_for_the_password_when_its_session_expires(monkeypatch):
    tab = await staff_tab()
    await opened(tab)

    async def expired(_token):
        return None

    monkeypatch.setattr(staff, "find_by_token", expired)
    assert await follow(tab) == []
    login = await login_of(tab)
    assert (login.opened, login.over_page) == (True, True)


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


async def test_nobody_listens_any_more_when_a_tab_is_gone(asked):
    task = await following(await staff_tab(), asked)
    assert listeners() == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert listeners() == 0


def listeners() -> int:
    hub = signals()
    assert isinstance(hub, MemorySignals)
    return hub.listeners
