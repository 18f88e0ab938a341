"""Links to join, made in tabs that reached the site at different addresses."""

import pytest

from fuel_app.areas.service import places as areas
from fuel_app.kit.ui import button
from fuel_app.neighborhoods.state import NeighborhoodsState
from tests.helpers import neighborhood_screen, tabs
from tests.helpers.staff_tab import StaffTab
from tests.helpers.tabs import run
from tests.helpers.visitors import a_neighborhood, on_the_list

VISITED = "http://192.168.0.7:4000"


class Staff(StaffTab[NeighborhoodsState]):
    """A signed-in tab on the table of neighborhoods."""

    state = NeighborhoodsState


@pytest.mark.parametrize(
    ("site_url", "site"), [("", VISITED), ("https://fuel.example", "https://fuel.example")]
)
async def test_links_use_the_configured_or_the_visited_address(
    sqlite_database, password, monkeypatch, configure, site_url, site
):
    monkeypatch.setattr(tabs, "SITE", VISITED)
    monkeypatch.setattr(areas, "zip_positions", dict)
    configure(button, site_url=site_url)
    palm = await a_neighborhood()
    state = await on_the_list()
    await run(state.choose(palm.id))
    await run(state.join())
    assert state.referral_link == f"{site}/?ref={state._submission_id}"
    (row,) = (await (await Staff.at("/neighborhoods")).screen()).rows
    detail = await (await neighborhood_screen.Staff.on(palm.id)).screen()
    for link in (state.join_link, row.join_link, detail.join_link):
        assert link == f"{site}/join-neighborhood/{palm.id}"
