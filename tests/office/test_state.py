"""A customer's dashboard as the staff see it, in a tab without a browser."""

import pytest

from fuel_app.accounts.state.session import COOKIE
from fuel_app.customers.service import account as customers
from fuel_app.office.state import CustomerDashboardState
from tests.helpers.tabs import go_to, redirected, run, tab_at
from tests.staff import a_token

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")

SCREEN = "/customer-dashboard"


async def opened(
    query: str = "", *, typed: tuple[str, ...] = (), signed_in: bool = True
) -> CustomerDashboardState:
    """The screen at an address, to which what was `typed` before may have led."""
    cookie = f"{COOKIE}={await a_token()}" if signed_in else ""
    tab = tab_at(SCREEN, cookie=cookie)
    state = await tab.get_state(CustomerDashboardState)
    if typed:
        await run(CustomerDashboardState.load.fn(state))  # type: ignore[attr-defined]
    for text in typed:
        await leads_to(state, "look_for", text)
    go_to(tab, f"{SCREEN}{query}", cookie=cookie)
    await run(CustomerDashboardState.load.fn(state))  # type: ignore[attr-defined]
    return state


async def leads_to(state: CustomerDashboardState, event: str, argument: object) -> str | None:
    (sent,) = await run(getattr(CustomerDashboardState, event).fn(state, argument))
    return redirected(sent)


async def test_the_list_comes_first_and_nobody_is_chosen():
    shown = await opened()
    assert [line.name for line in shown.found] == ["Sarah Johnson"]
    assert (shown.card.name, shown.missing, shown.loading) == ("", False, False)


async def test_choosing_a_customer_shows_their_month():
    shown = await opened()
    assert await leads_to(shown, "choose", shown.found[0].id) == f"{SCREEN}?customer=sample"
    chosen = await opened("?customer=sample")
    assert (chosen.card.name, chosen.card.fills_remaining) == ("Sarah Johnson", "3")


async def test_a_search_stands_in_the_address_and_keeps_who_is_chosen():
    shown = await opened("?customer=sample")
    assert await leads_to(shown, "look_for", "sa & b") == f"{SCREEN}?q=sa+%26+b&customer=sample"
    none = await opened("?q=nobody&customer=sample")
    assert (none.search, none.found, none.card.name) == ("nobody", [], "Sarah Johnson")


async def test_the_box_follows_an_address_that_it_has_not_made_itself():
    shown = await opened("?q=sarah")
    assert (shown.search, shown.search_epoch) == ("sarah", 1)
    await run(CustomerDashboardState.load.fn(shown))  # type: ignore[attr-defined]
    assert shown.search_epoch == 1


async def test_a_slow_line_does_not_take_letters_back():
    shown = await opened("?q=s", typed=("s", "sa"))
    assert (shown.search, shown.search_epoch) == ("s", 0)


async def test_choosing_right_after_typing_keeps_what_is_typed():
    shown = await opened()
    await leads_to(shown, "look_for", "sarah")
    assert await leads_to(shown, "choose", "sample") == f"{SCREEN}?q=sarah&customer=sample"
    late = await leads_to(shown, "look_for", "sarah j")
    assert late == f"{SCREEN}?q=sarah+j&customer=sample"
    assert await leads_to(shown, "look_for", "sarah j") is None


async def test_an_unknown_customer_is_said():
    shown = await opened("?customer=<b>nobody</b>")
    assert (shown.missing, shown.card.name) == (True, "")


async def test_a_read_that_fails_shows_nobody(monkeypatch):
    async def fails(_: object) -> None:
        raise RuntimeError("gone")

    monkeypatch.setattr(customers, "find", fails)
    shown = await opened("?customer=sample")
    assert (shown.found, shown.card.name, shown.loading) == ([], "", False)


async def test_a_stranger_sees_nobody():
    shown = await opened("?customer=sample", signed_in=False)
    assert (shown.found, shown.card.name) == ([], "")
