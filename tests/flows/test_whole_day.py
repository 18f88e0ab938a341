"""A whole day with three browsers: dispatcher, a technician's phone in a tunnel, a customer."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests import seed_day, servers
from tests.deployment import Deployment, deployed
from tests.flows.checks import assert_accessible
from tests.flows.company import Browse, arrive, company_site
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.visitor import modal
from tests.pictures import as_file, noise
from tests.site import Site, seeded
from tests.waiting import came_true

SOON_S = 20
FUEL, FEE, TOTAL = "$33.21", "$15.00", "$48.21"  # 9.6 gallons at $3.459


@dataclass
class Play:
    """A site on which a day is seeded, and the browsers of the people in it."""

    site: Site | Deployment
    seeded: dict[str, Any]
    browse: Browse

    def open_browser(self, viewport: dict[str, int], token: str) -> Page:
        return self.browse(self.site, viewport, token)

    def rows(self, query: str) -> list[tuple]:
        return self.site.rows(query)

    def customer_of(self, booking_id: str) -> Page:
        """Return a phone on which a booking's customer is signed in."""
        number = self.seeded["bookings"].index(booking_id)
        return self.open_browser(PHONE, self.seeded["customers"][number])


@pytest.fixture(
    params=["SQLite", "PostgreSQL", pytest.param("two processes", marks=pytest.mark.long)]
)
def play(request, midday: None, tmp_path: Path, browse: Browse) -> Iterator[Play]:
    begin = {
        "SQLite": company_site,
        "PostgreSQL": _on_postgresql,
        "two processes": _two_processes,
    }
    with begin[request.param](tmp_path) as site:
        yield Play(site, seeded(site.database_url, seed_day.seed(3)), browse)


@contextmanager
def _on_postgresql(folder: Path) -> Iterator[Deployment]:
    with servers.postgres() as url, company_site(folder, FUEL_DATABASE_URL=url) as site:
        yield Deployment(site.url, site.url, [site.process], url, redis_url="")


@contextmanager
def _two_processes(folder: Path) -> Iterator[Deployment]:
    with deployed(folder, FUEL_RATE_LIMITS="off", FUEL_TILE_URL="") as site:
        yield site


def test_day_is_planned_driven_through_a_tunnel_tracked_and_paid(play):
    office = play.open_browser(DESKTOP, play.seeded["dispatcher"])
    put_a_truck_on_shift(office)
    plan_and_publish(office)
    phone = play.open_browser(PHONE, play.seeded["technician"])
    start_driving(phone)
    customer = follow_the_technician(play)
    names = fill_two_cars_in_a_tunnel(phone)
    board_shows_what_was_done(office, names)
    expect(customer.get_by_text(re.compile("is filled|Done at|was filled"))).to_be_visible()
    cannot_fuel_the_last(phone)
    all_is_there_once(play)
    receipts_are_right(play)


def put_a_truck_on_shift(office: Page) -> None:
    arrive(office, "/dispatch")
    expect(office.get_by_role("heading", name="No truck is on shift this day")).to_be_visible()
    office.get_by_role("button", name="Add a shift").click()
    modal(office).get_by_role("button", name="Add shift").click()
    modal(office).get_by_label("Truck").select_option("Truck 1")
    modal(office).get_by_label("Technician").select_option("Dana Lovelace")
    modal(office).get_by_label("Starts").fill("10:00")
    modal(office).get_by_label("Ends").fill("22:00")
    modal(office).get_by_role("button", name="Save shift").click()
    expect(modal(office).get_by_text("The shift is saved.")).to_be_visible()
    office.keyboard.press("Escape")
    expect(office.get_by_text("Dana Lovelace").first).to_be_visible()


def plan_and_publish(office: Page) -> None:
    unassigned = office.get_by_role("list", name="Unassigned", exact=True)
    expect(unassigned.get_by_role("listitem")).to_have_count(3)
    office.get_by_role("button", name="Plan the day").click()
    route = office.get_by_role("list", name="Stops of Truck 1")
    expect(route.get_by_role("listitem")).to_have_count(3, timeout=30_000)
    expect(unassigned).to_be_hidden()
    office.get_by_role("button", name="Publish").click()
    expect(office.get_by_text("Published", exact=True)).to_be_visible()
    assert_accessible(office)


def start_driving(phone: Page) -> None:
    phone.clock.install()
    phone.goto("/drive")
    expect(phone.get_by_text("All sent")).to_be_visible()
    expect(phone.get_by_text("Stop 1 of 3")).to_be_visible()
    phone.get_by_role("button", name="Start driving").click()
    expect(phone.get_by_role("button", name="I'm here")).to_be_visible()
    expect(phone.get_by_text("All sent")).to_be_visible()
    assert_accessible(phone)


def follow_the_technician(play: Play) -> Page:
    """Let the customer of the first stop track it. Return the page."""
    first = play.rows("SELECT booking_id FROM route_stops WHERE driving_at IS NOT NULL")[0][0]
    customer = play.customer_of(first)
    arrive(customer, f"/bookings/{first}")
    customer.get_by_role("button", name="Track").first.click()
    expect(customer.get_by_text(re.compile("Dana is on the way"))).to_be_visible()
    assert_accessible(customer)
    return customer


def fill_two_cars_in_a_tunnel(phone: Page) -> list[str]:
    """Fill without a line; what was done is sent, in order, when it is back. Return the names."""
    phone.context.set_offline(True)
    names = []
    for number in (1, 2):
        if number == 2:
            phone.get_by_role("button", name="Start driving").click()
        names.append(phone.locator("#customer").inner_text())
        phone.get_by_role("button", name="I'm here").click()
        boxes = phone.get_by_role("group", name="Safety check").get_by_role("checkbox")
        expect(boxes.first).to_be_visible()
        for box in boxes.all():
            box.check()
        phone.get_by_role("button", name="Start fueling").click()
        phone.get_by_label("Meter at the start").fill(f"{number}000")
        phone.get_by_label("Meter at the end").fill(f"{number}009.6")
        phone.get_by_label("Ticket number").fill(f"T-{number}")
        picture = FilePayload(
            name="meter.jpg", mimeType="image/jpeg", buffer=as_file(noise((1200, 900)))
        )
        phone.get_by_label("Take a photo").set_input_files(picture)
        expect(phone.get_by_text("Photos taken: 1")).to_be_visible()
        phone.get_by_role("button", name="Done", exact=True).click()
        expect(phone.get_by_text(f"Stop {number + 1} of 3")).to_be_visible()
    expect(phone.get_by_text(re.compile(r"Saved on this phone · \d+ to send"))).to_be_visible()
    phone.context.set_offline(False)
    expect(phone.get_by_text("All sent")).to_be_visible(timeout=30_000)
    return names


def board_shows_what_was_done(office: Page, names: list[str]) -> None:
    """The dispatcher has not touched the board since it was published."""
    office.get_by_text(f"{len(names)} done").click()
    route = office.get_by_role("list", name="Stops of Truck 1 that have ended")
    for name in names:
        stop = route.get_by_role("listitem").filter(has_text=name)
        expect(stop.get_by_text("Done")).to_be_visible()


def cannot_fuel_the_last(phone: Page) -> None:
    phone.get_by_role("button", name="Start driving").click()
    phone.get_by_role("button", name="I'm here").click()
    phone.get_by_role("button", name="Can't fuel").click()
    phone.get_by_label("Reason").select_option("Unsafe place")
    picture = FilePayload(
        name="place.jpg", mimeType="image/jpeg", buffer=as_file(noise((1200, 900)))
    )
    phone.get_by_label("Take a photo").set_input_files(picture)
    expect(phone.get_by_text("Photos taken: 1")).to_be_visible()
    phone.get_by_role("button", name="Can't fuel this stop").click()
    expect(phone.get_by_text("That was the last stop of this route.")).to_be_visible()
    phone.clock.fast_forward(20_000)  # in which it can be undone
    expect(phone.locator("#line")).to_have_text("All sent")


def all_is_there_once(play: Play) -> None:
    actions = play.rows("SELECT kind, refused FROM technician_actions ORDER BY number")
    fill = ["arrive", "fuel", "photo", "complete"]
    assert [kind for kind, _ in actions] == [
        *("drive", *fill, "drive", *fill),
        *("drive", "arrive", "photo", "fail"),
    ]
    assert {refused for _, refused in actions} == {""}
    assert play.rows("SELECT count(*) FROM fill_photos WHERE file IS NOT NULL") == [(3,)]
    states = play.rows("SELECT state, count(*) FROM bookings GROUP BY state ORDER BY state")
    assert states == [("completed", 2), ("failed", 1)]
    sent = "SELECT count(*) FROM messages WHERE kind = 'on_the_way' AND channel = 'mail'"
    assert play.rows(sent) == [(3,)]


def receipts_are_right(play: Play) -> None:
    """Let the 15 minutes pass in which a fill can be corrected, and read a receipt."""
    _due(play, "billing.open_fill")
    paid = "SELECT state, total_cents FROM invoices WHERE kind = 'fill'"
    is_paid = lambda: play.rows(paid) == [("paid", 4821), ("paid", 4821)]  # noqa: E731
    assert came_true(is_paid, within=SOON_S), play.rows(paid)
    filled = play.rows("SELECT booking_id FROM invoices WHERE kind = 'fill'")[0][0]
    page = play.customer_of(filled)
    arrive(page, "/billing")
    page.get_by_role("link", name=re.compile("Fill-up")).first.click()
    for amount in (FUEL, FEE, TOTAL):
        expect(page.get_by_text(amount).first).to_be_visible()


def _due(play: Play, kind: str) -> None:
    if isinstance(play.site, Site):
        due = "datetime('now', '-1 minute')"
        play.site.write(f"UPDATE jobs SET run_at = {due} WHERE kind = ? AND ended_at IS NULL", kind)
    else:
        due = "UPDATE jobs SET run_at = now() - interval '1 minute' WHERE kind = $1"
        play.site.rows(f"{due} AND ended_at IS NULL RETURNING id", kind)
