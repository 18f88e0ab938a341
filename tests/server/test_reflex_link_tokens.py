"""The token in a link's address: events read it, the tab's state never holds it."""

import pickle
from typing import Any, cast

import pytest
import reflex as rx
from reflex.istate.data import RouterData

from fuel_app import routes
from fuel_app.fuel_app import app
from fuel_app.server.reflex.private_tabs import LinkTokens, link_token
from tests.helpers.tabs import SITE, tab_at

TOKEN = "0b8f1c1e-5a5e-4a0e-9a2c-1d2f3a4b5c6d.sg8fK2vQ3hXw9LwB7pM0aT4rN6yE1uC5iO2dJ8zVxQs"
LINK = f"/reset-password/{TOKEN}"


def sent_from(tab: rx.State, path: str, pattern: str = "/reset-password/[link]") -> None:
    """Set the address as Reflex does before each event."""
    query = {"link": path.rpartition("/")[2]} if "[" in pattern else {}
    data = {"asPath": path, "pathname": pattern, "query": query, "headers": {"origin": SITE}}
    tab.router_data = data
    tab.router = RouterData.from_router_data(data)


async def before_an_event(tab: rx.State) -> None:
    await LinkTokens().preprocess(cast(Any, app), tab, cast(Any, None))


@pytest.mark.parametrize("path", [LINK, f"{LINK}/", f"/invitation/{TOKEN}", f"/undo-email/{TOKEN}"])
async def test_an_event_reads_the_token_and_the_state_does_not_hold_it(path):
    tab = tab_at("/")
    sent_from(tab, path)
    await before_an_event(tab)
    assert link_token(tab) == TOKEN
    kept = [tab.dict(), tab.get_delta(), tab.router_data, tab.router]
    assert TOKEN not in repr(kept) + repr(pickle.dumps(tab))
    assert tab.router.url.path == f"/{path.split('/')[1]}/link"


async def test_an_event_that_begins_another_passes_the_token_on():
    tab = tab_at("/")
    sent_from(tab, LINK)
    await before_an_event(tab)
    await before_an_event(tab)  # the address is cut off already
    assert link_token(tab) == TOKEN


@pytest.mark.parametrize("name", routes.VISITS)
async def test_visit_to_the_providers_page_stays_in_the_address_of_who_returns(name):
    tab = tab_at("/")
    sent_from(tab, f"/manage/{TOKEN}?{name}=cs_test_1&next=/account", "/manage/[link]")
    await before_an_event(tab)
    assert dict(tab.router.url.query_parameters) == {name: "cs_test_1"}
    assert TOKEN not in repr([tab.dict(), tab.router_data, tab.router])


async def test_another_page_has_no_token():
    tab = tab_at("/")
    sent_from(tab, LINK)
    await before_an_event(tab)
    sent_from(tab, "/sign-in?next=/account", "/sign-in")
    await before_an_event(tab)
    assert link_token(tab) == ""
    assert tab.router.url.path == "/sign-in"
    assert tab.router.url.query == "next=/account"


def test_it_runs_before_all_that_reads_the_address():
    names = [type(middleware).__name__ for middleware in app._middlewares]
    assert names.index("LinkTokens") < names.index("ConnectHook")
