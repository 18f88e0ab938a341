"""A customer tracks a fill on its way, and staff see the real day on the dashboard."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from tests import seed_day
from tests.flows.checks import assert_accessible, assert_accessible_at_every_size
from tests.flows.company import arrive, company_site
from tests.flows.conftest import DESKTOP, PHONE
from tests.site import Site, seeded

_NOW = "strftime('%Y-%m-%d %H:%M:%S.000000', 'now')"


@dataclass
class Road:
    """A site on which three bookings are on the route of a published day."""

    site: Site
    seeded: dict[str, Any]

    def at(self, booking: int, state: str, column: str) -> None:
        """Let a booking be as a technician's step leaves it, and the truck near."""
        booking_id = self.seeded["bookings"][booking]
        self.site.write("UPDATE bookings SET state = ? WHERE id = ?", state, booking_id)
        stop = f"UPDATE route_stops SET {column} = {_NOW} WHERE booking_id = ?"
        self.site.write(stop, booking_id)
        self.site.write(f"UPDATE shifts SET lat = 27.35, lng = -82.52, position_at = {_NOW}")


@pytest.fixture(scope="module")
def road(midday: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Road]:
    with company_site(tmp_path_factory.mktemp("road")) as site:
        yield Road(site, seeded(site.database_url, seed_day.seed(3, published=True)))


def test_staff_see_the_real_day(road, browse):
    office = browse(road.site, DESKTOP, road.seeded["dispatcher"])
    arrive(office, "/dashboard")
    main = office.get_by_role("main")
    stops = main.get_by_role("list", name="Stops by time").get_by_role("listitem")
    expect(stops).to_have_count(3)
    expect(main.get_by_text("Sample data")).to_have_count(0)
    expect(main.get_by_text("Next Destination")).to_be_visible()
    expect(main.get_by_text("Revenue by day")).to_be_visible()
    expect(main.get_by_role("link", name="Open dispatch")).to_be_visible()
    stops.nth(1).get_by_role("button").click()
    expect(main.get_by_role("heading", name="2. Ada2 Lovelace")).to_be_visible()
    for viewport in (PHONE, DESKTOP):
        office.set_viewport_size(viewport)  # type: ignore[arg-type]
        assert_accessible(office)


def test_customer_tracks_the_technician_from_planned_to_arrived(road, browse):
    customer = browse(road.site, PHONE, road.seeded["customers"][1])
    arrive(customer, f"/bookings/{road.seeded['bookings'][1]}")
    customer.get_by_role("button", name="Track").click()
    expect(customer.get_by_text("Dana is 1 stop away")).to_be_visible()
    expect(customer.get_by_text("1 stop before you")).to_be_visible()
    assert_accessible_at_every_size(customer)
    road.at(1, "en_route", "driving_at")
    visitor = browse(road.site, PHONE)  # by the link alone
    arrive(visitor, customer.url)
    expect(visitor.get_by_text("Dana is on the way to you")).to_be_visible()
    expect(visitor.get_by_role("region", name="Map of your technician's way")).to_be_visible()
    assert_accessible_at_every_size(visitor)
    assert road.seeded["bookings"][1] not in visitor.get_by_role("main").inner_html()
    road.at(1, "arrived", "arrived_at")
    visitor.reload()
    expect(visitor.get_by_text("Dana has arrived")).to_be_visible()
    expect(visitor.locator("[aria-current=step]")).to_contain_text("Arrived")


def test_unknown_link_is_a_calm_page(visit, witness):
    witness.expected.append("404 (Not Found)")
    page = visit("/track/forged", PHONE, reduced_motion="reduce")
    expect(page.get_by_text("This tracking link has ended.")).to_be_visible()
    expect(page.get_by_role("link", name="To the dashboard")).to_be_visible()
    assert_accessible_at_every_size(page)
