"""The address wins over what a tab has shown before, on every screen of the staff that names what
it shows in its address."""

from dataclasses import fields
from typing import Any

import pytest
import reflex as rx

import fuel_app.fuel_app  # noqa: F401 (every screen)
from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.screens import StaffList
from fuel_app.accounts.state.session import Arriving, SessionState
from fuel_app.companies.state.company import CompanyState
from fuel_app.dispatch.state.board import BoardState
from tests.factories import UNKNOWN_ID
from tests.helpers.admins import AdminTab
from tests.helpers.open_area import open_area
from tests.helpers.tabs import go_to, run

SCREENS = sorted(rx.State.get_substates(), key=lambda each: each.__name__)
LISTS = [each for each in SCREENS if issubclass(each, StaffList)]
MIRRORED = [each for each in SCREENS if "address_replaces" in each.get_fields()]


@pytest.fixture(autouse=True)
async def _open(sqlite_database):
    await open_area()


def path_of(screen: type[StaffList]) -> str:
    if screen is CompanyState:
        return routes.company(UNKNOWN_ID)
    return getattr(screen, "PATH", "") or routes.neighborhood(UNKNOWN_ID)


def addresses(screen: type[StaffList]) -> list[str]:
    """Return an address for each field of the list's question that differs from its default."""
    question: Any = screen.get_fields()["question"].default_value()
    values = {"sort": f"-{question.sort.removeprefix('-')}", "page": "1", "first": "2026-11-01"}
    found = [path_of(screen)]
    for each in fields(question):
        for value in (
            values.get(each.name),
            question.sort.removeprefix("-"),
            "x",
            "fleet",
            "sites",
        ):
            asked = question.parse({each.name: value})
            if asked != question:
                found.append(routes.asking(path_of(screen), asked.parameters()))
                break
    return found


async def goes(tab: AdminTab, address: str) -> None:
    go_to(tab.tab, address, cookie=tab.tab.router.headers.raw_headers["cookie"])


def test_every_screen_that_mirrors_its_address_waits_for_it():
    assert {BoardState, *LISTS} == set(MIRRORED)
    assert all(issubclass(each, Arriving) for each in MIRRORED)


@pytest.mark.parametrize("screen", LISTS)
async def test_a_link_shows_what_it_names_and_nothing_before(screen: Any):
    before, *others = addresses(screen)
    assert others
    tab = await AdminTab.at(before, Role.ADMIN)
    shown = await tab.screen(screen)
    for address in [*others, before, others[0]]:
        await goes(tab, address)
        asked, arrival = shown.question.parse(tab.tab.router.url.query_parameters), shown.arrival
        async for _ in screen.load.fn(shown):
            assert shown.question == asked
            assert shown.arrival == arrival or shown._answered == asked or not shown.loading
        assert shown.question == asked
        assert shown.address == address
        assert shown.arrival != arrival
        assert shown.arrival.endswith(f" {address}")


@pytest.mark.parametrize("screen", MIRRORED)
async def test_a_page_that_is_loaded_anew_waits_for_its_address(screen: Any):
    tab = await AdminTab.at(
        routes.DISPATCH if screen is BoardState else path_of(screen), Role.ADMIN
    )
    await run(screen.load.fn(await tab.screen(screen)))
    session, shown = await tab.screen(SessionState), await tab.screen(screen)
    arrival = shown.arrival
    await session._greet(open_already=True)
    assert shown.arrival == arrival != ""
    await session._greet(open_already=False)
    assert shown.arrival == ""
