"""The day's route while tiles, the map's code or the whole network fail."""

import re

from playwright.sync_api import expect

from tests.flows.checks import assert_accessible
from tests.flows.day_route import (
    GRANTED,
    pin,
    popup,
    row,
    rows,
    see_route,
    show_admin_view,
    the_map,
    tiles_shown,
)

CHUNK = re.compile(r"/assets/leaflet-src-[^/]*\.js")
NO_TILES = "The map's background cannot be loaded."


def test_map_works_without_tiles_until_the_network_returns(visit, witness):
    witness.expected += ["net::ERR_FAILED", "net::ERR_INTERNET_DISCONNECTED"]
    page = see_route(visit)
    expect(tiles_shown(page).first).to_be_visible()
    page.context.set_offline(True)
    the_map(page).get_by_role("button", name="Zoom out").click()
    expect(page.get_by_text(NO_TILES)).to_be_visible()
    row(page, "Sofia Marin").click()
    expect(popup(page)).to_contain_text("Sofia Marin")
    assert_accessible(page)
    page.context.set_offline(False)
    expect(page.get_by_text(NO_TILES)).to_have_count(0)
    expect(tiles_shown(page).first).to_be_visible()


def test_failed_map_offers_a_retry(visit, witness):
    witness.expected.append("net::ERR_FAILED")
    page = visit("/dashboard", **GRANTED)
    page.route(CHUNK, lambda route: route.abort())
    show_admin_view(page)
    alert = page.get_by_role("alert").filter(has_text="Failed to load OpenStreetMap: ")
    expect(alert.get_by_role("heading", name="Error")).to_be_visible()
    expect(rows(page)).to_have_count(9)
    page.unroute(CHUNK)
    alert.get_by_role("button", name="Retry").click()
    expect(pin(page, 1)).to_be_visible()
