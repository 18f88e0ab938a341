"""Unauthorized raw events and HTTP requests against the running site."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from reflex.state import OnLoadInternalState, UpdateVarsInternalState

from fuel_app.accounts.state.session import SessionState
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
from tests.site import Site, run, served
from tests.waiting import came_true
from tests.websocket import Visitor

navigate = OnLoadInternalState.event_handlers["on_load_internal"]
store = UpdateVarsInternalState.event_handlers["update_vars_internal"]


QUICK = ("no cookie", "a made-up one", "nonsense")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve a site whose rows no other test changes."""
    with served(tmp_path_factory.mktemp("strangers")) as running:
        yield running


@pytest.mark.parametrize(
    "cookie", ["no cookie", pytest.param("a made-up one", marks=pytest.mark.long)]
)
def test_no_staff_event_answers_or_changes_anything_for_a_stranger(site, cookie):
    attempts = run(try_events(site, FORGED[cookie]))
    assert len(attempts) > 3
    assert [attempt for attempt in attempts if not attempt.refused] == []


@pytest.mark.parametrize(
    "cookie",
    [pytest.param(each, marks=[] if each in QUICK else pytest.mark.long) for each in FORGED],
)
def test_no_staff_address_answers_or_changes_anything_for_a_stranger(site, cookie):
    attempts = run(try_addresses(site, FORGED[cookie]))
    assert [attempt for attempt in attempts if not attempt.refused] == []


def test_the_same_events_of_staff_answer_and_change(site):
    async def work() -> list[Attempt]:
        return await try_events(site, await cookie_of_staff(site))

    attempts = {attempt.target: attempt for attempt in run(work())}
    assert attempts["LeadsState.load"].disclosed
    assert attempts["LeadsState.set_status"].changed


def test_scripts_of_the_page_cannot_read_the_cookie(site):
    async def enter() -> None:
        cookie = await cookie_of_staff(site)
        async with visitor(site, cookie=cookie) as tab:
            await arrive(tab)
            assert cookie.partition("=")[2] not in json.dumps(tab.state)

    run(enter())


def test_a_stolen_tab_token_is_not_signed_in(site):
    """The token is in the address of the websocket, and so in the logs of proxies."""

    async def impersonate() -> bool:
        async with visitor(site, cookie=await cookie_of_staff(site)) as tab:
            await tab.send(hydrate)
            await tab.until(lambda: tab.value(SessionState, "is_staff") is True)
        async with visitor_as(tab, site) as thief:
            await thief.send(hydrate)
            await thief.until(lambda: thief.value(SessionState, "is_staff") is not None)
            return thief.value(SessionState, "is_staff")

    assert run(impersonate()) is False


@pytest.mark.parametrize(
    "name", ["reset", "dict", "get_state", "get_delta", "_look", "_forget", "_open_to", "setvar"]
)
def test_methods_that_are_no_events_cannot_be_called(site, name):
    async def call() -> Any:
        async with visitor(site) as tab:
            await tab.send(
                f"{SessionState.get_full_name()}.{name}", var_name="is_staff", value=True
            )
            await tab.send(hydrate)
            await tab.until(lambda: tab.value(SessionState, "is_staff") is not None)
            return tab.value(SessionState, "is_staff")

    assert run(call()) is False


def test_a_browser_cannot_write_staff_states(site):
    """The framework accepts values of browser storage; these are not of that kind."""

    async def write() -> list[Any]:
        name = SessionState.get_full_name()
        written = {f"{name}.signed_in": True, f"{name}._session_id": "x", f"{name}._shown_to": "x"}
        async with visitor(site) as tab:
            await tab.send(hydrate, vars=written)
            await tab.send(store, vars=written)
            await tab.send(hydrate)
            await answered(tab)
            return [tab.value(SessionState, "is_staff"), tab.value(SessionState, "_session_id")]

    assert run(write()) == [False, None]


async def goes_elsewhere(tab: Visitor) -> None:
    tab.go_to("/")
    await tab.send(navigate)


async def closes(tab: Visitor) -> None:
    await tab.__aexit__()


@pytest.mark.parametrize("leaves", [goes_elsewhere, closes])
def test_live_updates_end_when_a_tab_leaves_the_page(site, leaves):
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

    run(leave())


def _ended(log: Path) -> int:
    """Count live updates that were cancelled."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line[:1] == "{"]
    ends = [line for line in lines if line.get("handler") == "page_state.follow"]
    return sum(line["outcome"] == "cancelled" for line in ends)
