"""Links to join, made in tabs that reached the site at different addresses."""

from collections.abc import Callable

import pytest

from fuel_app.areas.service import places as areas
from fuel_app.kit.ui import button
from fuel_app.neighborhoods.state import NeighborhoodsState
from tests.helpers import neighborhood_screen, tabs
from tests.helpers.neighborhoods import neighborhood
from tests.helpers.staff_tab import StaffTab
from tests.helpers.tabs import run
from tests.helpers.visitors import a_neighborhood, on_the_list

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")

VISITED = "http://192.168.0.7:4000"


@pytest.fixture(params=[("", VISITED), ("https://fuel.example", "https://fuel.example")])
def site(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    configure: Callable[..., None],
) -> str:
    """The address in links: the visited one, unless the settings name another."""
    site_url, expected = request.param
    monkeypatch.setattr(tabs, "SITE", VISITED)
    configure(button, site_url=site_url)
    return expected


class Staff(StaffTab[NeighborhoodsState]):
    """A signed-in tab on the table of neighborhoods."""

    state = NeighborhoodsState


async def test_confirmation_links_use_the_configured_or_the_visited_address(site):
    palm = await a_neighborhood()
    state = await on_the_list()
    await run(state.choose(palm.id))
    await run(state.join())
    assert state.join_link == f"{site}/join-neighborhood/{palm.id}"
    assert state.referral_link == f"{site}/?ref={state._submission_id}"


async def test_links_in_the_table_use_the_configured_or_the_visited_address(site, monkeypatch):
    monkeypatch.setattr(areas, "zip_positions", dict)
    palm = await neighborhood("Palm Court")
    (row,) = (await (await Staff.at("/neighborhoods")).screen()).rows
    assert row.join_link == f"{site}/join-neighborhood/{palm}"


async def test_a_neighborhoods_link_uses_the_configured_or_the_visited_address(site):
    palm = await neighborhood("Palm Court")
    shown = await (await neighborhood_screen.Staff.on(palm)).screen()
    assert shown.join_link == f"{site}/join-neighborhood/{palm}"
