"""Strangers at the staff's doors: raw events and plain requests against the running site."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from aiohttp import ClientSession
from reflex.state import OnLoadInternalState, UpdateVarsInternalState

from fuel_app.accounts.state.session import StaffState
from fuel_app.accounts.state.sign_in import StaffLoginState
from tests.hardening.strangers import (
    FORGED,
    PAGE,
    Attempt,
    answered,
    arrive,
    cookie_of_staff,
    hydrate,
    try_addresses,
    try_events,
    visitor,
    visitor_as,
)
from tests.site import STAFF_PASSWORD, Site, served
from tests.waiting import came_true
from tests.websocket import MESSAGE, Visitor

T = TypeVar("T")
navigate = OnLoadInternalState.event_handlers["on_load_internal"]
store = UpdateVarsInternalState.event_handlers["update_vars_internal"]
every_stranger = pytest.mark.parametrize("cookie", FORGED.values(), ids=FORGED)


def finished(talk: Coroutine[Any, Any, T]) -> T:
    """Beside the browser tests, which keep this thread's event loop for themselves."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, talk).result()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site of their own, whose rows nobody else changes."""
    with served(tmp_path_factory.mktemp("strangers")) as running:
        yield running


@every_stranger
def test_no_event_of_the_staff_tells_a_stranger_or_changes_anything(site, cookie):
    attempts = finished(try_events(site, cookie))
    assert len(attempts) > 3
    assert [attempt for attempt in attempts if not attempt.held] == []


@every_stranger
def test_no_address_of_the_staff_tells_a_stranger_or_changes_anything(site, cookie):
    assert [a for a in finished(try_addresses(site, cookie)) if not a.held] == []


def test_the_same_calls_by_staff_tell_and_change(site):
    async def work() -> list[Attempt]:
        return await try_events(site, await cookie_of_staff(site))

    attempts = {attempt.door: attempt for attempt in finished(work())}
    assert attempts["LeadsState.load"].told
    assert attempts["LeadsState.set_status"].changed


def test_no_script_of_the_page_is_told_the_cookie(site):
    async def enter() -> None:
        cookie = await cookie_of_staff(site)
        async with visitor(site, cookie=cookie) as tab:
            await arrive(tab)
            assert cookie.partition("=")[2] not in json.dumps(tab.state)

    finished(enter())


def test_a_ticket_is_worth_nothing_the_second_time(site):
    async def replay() -> list[int]:
        async with ClientSession() as session, Visitor(session, site.url) as tab:
            await tab.send(StaffLoginState.login, form={"password": STAFF_PASSWORD})
            await tab.until(lambda: bool(tab.value(StaffLoginState, "ticket")))
            ticket = tab.value(StaffLoginState, "ticket")
            answers = [await session.post(f"{site.url}/api/session", data=ticket) for _ in "12"]
            return [answer.status for answer in answers]

    assert finished(replay()) == [204, 410]


def test_who_knows_the_name_of_a_tab_has_not_signed_in(site):
    """The name is in the address of its websocket, so it is in the logs of proxies."""

    async def impersonate() -> bool:
        async with visitor(site, cookie=await cookie_of_staff(site)) as tab:
            await tab.send(hydrate)
            await tab.until(lambda: tab.value(StaffState, "signed_in") is True)
        async with visitor_as(tab, site) as thief:
            await thief.send(hydrate)
            await thief.until(lambda: thief.value(StaffState, "signed_in") is not None)
            return thief.value(StaffState, "signed_in")

    assert finished(impersonate()) is False


def test_another_sites_page_cannot_open_a_websocket(site):
    async def connect() -> None:
        cookie = await cookie_of_staff(site)
        with pytest.raises(Exception, match="403"):
            async with visitor(site, cookie=cookie, origin="https://evil.example"):
                pass

    finished(connect())


@pytest.mark.parametrize(
    "name", ["reset", "dict", "get_state", "get_delta", "_look", "_forget", "_open_to", "setvar"]
)
def test_what_is_no_event_cannot_be_called(site, name):
    async def call() -> Any:
        async with visitor(site) as tab:
            await tab.send(f"{StaffState.get_full_name()}.{name}", var_name="signed_in", value=True)
            await tab.send(hydrate)
            await tab.until(lambda: tab.value(StaffState, "signed_in") is not None)
            return tab.value(StaffState, "signed_in")

    assert finished(call()) is False


def test_a_browser_writes_nothing_into_the_staffs_states(site):
    """The framework lets it write what it stores there itself, and these are not of that kind."""

    async def write() -> list[Any]:
        name = StaffState.get_full_name()
        written = {f"{name}.signed_in": True, f"{name}._session_id": "x", f"{name}._told_to": "x"}
        async with visitor(site) as tab:
            await tab.send(hydrate, vars=written)
            await tab.send(store, vars=written)
            await tab.send(hydrate)
            await answered(tab)
            return [tab.value(StaffState, "signed_in"), tab.value(StaffState, "_session_id")]

    assert finished(write()) == [False, None]


def test_the_sixth_wrong_password_of_an_address_has_to_wait(tmp_path):
    async def guess(site: Site) -> str:
        async with ClientSession() as session, Visitor(session, site.url) as tab:
            for number in range(5):
                # Once believed, and each guess came from somewhere else.
                elsewhere = {"asgi.scope": {"headers": [], "client": [f"192.0.2.{number}", 1]}}
                await tab._socket.send_str(MESSAGE + json.dumps(["connect", elsewhere]))
                await tab.send(StaffLoginState.login, form={"password": "wrong"})
            await tab.send(StaffLoginState.login, form={"password": STAFF_PASSWORD})
            await tab.until(lambda: "Too" in (tab.value(StaffLoginState, "error") or ""))
            return tab.value(StaffLoginState, "error")

    with served(tmp_path, FUEL_RATE_LIMITS="on") as site:
        assert finished(guess(site)) == "Too many attempts. Try again in 15 minutes."
        assert STAFF_PASSWORD not in site.process.log.read_text()


def test_where_the_site_is_https_the_cookie_is_its_own_alone(tmp_path):
    async def sign_in(site: Site) -> str:
        async with ClientSession() as session, Visitor(session, site.url) as tab:
            await tab.send(StaffLoginState.login, form={"password": STAFF_PASSWORD})
            await tab.until(lambda: bool(tab.value(StaffLoginState, "ticket")))
            ticket = tab.value(StaffLoginState, "ticket")
            answer = await session.post(f"{site.url}/api/session", data=ticket)
            return answer.headers["set-cookie"]

    with served(tmp_path, FUEL_SITE_URL="https://fuel.example") as site:
        name, *flags = finished(sign_in(site)).replace("=", "; ", 1).split("; ")
    assert name == "__Host-fuel-staff"
    assert set(flags[1:]) == {"HttpOnly", "Path=/", "SameSite=lax", "Secure"}


def test_a_session_outlives_the_server(tmp_path):
    async def opens(site: Site, cookie: str) -> None:
        async with visitor(site, cookie=cookie) as tab:
            await tab.send(hydrate)
            await tab.until(lambda: tab.value(StaffState, "signed_in") is True)

    with served(tmp_path) as site:
        cookie = finished(cookie_of_staff(site))
    with served(tmp_path) as site:
        finished(opens(site, cookie))


Leaving = Callable[[Visitor], Awaitable[None]]


async def goes_elsewhere(tab: Visitor) -> None:
    tab.go_to("/")
    await tab.send(navigate)


async def closes(tab: Visitor) -> None:
    await tab.__aexit__()


@pytest.mark.parametrize("leaves", [goes_elsewhere, closes])
def test_nothing_follows_for_a_tab_that_has_left_the_page(site, leaves):
    async def leave() -> None:
        cookie = await cookie_of_staff(site)
        async with ClientSession() as session:
            tab = await Visitor(session, site.url, path=PAGE, cookie=cookie).__aenter__()
            before = _ended(site.process.log)
            await arrive(tab)
            await answered(tab)
            await leaves(tab)
            assert await asyncio.to_thread(
                came_true, lambda: _ended(site.process.log) > before, within=20
            )
            await tab.__aexit__()

    finished(leave())


def _ended(log: Path) -> int:
    """How often following has ended because the framework ended it."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line[:1] == "{"]
    ends = [line for line in lines if line.get("handler") == "staff_state.follow"]
    return sum(line["outcome"] == "cancelled" for line in ends)
