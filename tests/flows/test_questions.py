"""Staff answer what technicians' phones leave open: on the dashboard, at both sizes."""

import re
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Playwright, expect

from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from tests import seed_day
from tests.flows.checks import assert_accessible, assert_fits
from tests.flows.company import arrive, company_site
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.visitor import modal
from tests.site import Site, seeded

CANCELLED = "UPDATE bookings SET state = 'cancelled', revision = revision + 1 WHERE id = ?"


def send(playwright: Playwright, site: Site, cookie: str, person: str, *fills: Any) -> list[str]:
    """Send fills as a technician's phone does. Return what it hears of each."""
    actions = [
        {
            "id": str(uuid.uuid4()),
            "stop": stop,
            "kind": "complete",
            "data": {
                "meter_start": start,
                "meter_end": end,
                "ticket": ticket,
                "confirmed": True,
            },
            "at": round(time.time() * 1000),
        }
        for stop, start, end, ticket in fills
    ]
    request = playwright.request.new_context(
        base_url=site.url, extra_http_headers={"cookie": f"{COOKIE}={cookie}", "origin": site.url}
    )
    answer = request.post(routes.TECHNICIAN_ACTIONS, data={"person": person, "actions": actions})
    assert answer.ok
    heard = [each["refused"] for each in answer.json()["heard"]]
    request.dispose()
    return heard


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, Any]]]:
    with company_site(tmp_path_factory.mktemp("questions")) as site:
        yield site, seeded(site.database_url, seed_day.seed(6, published=True))


def entry(page: Page, customer: str) -> Locator:
    listed = page.get_by_role("list", name="Fills to decide about").get_by_role("listitem")
    return listed.filter(has_text=customer)


@pytest.mark.parametrize(("viewport", "first"), [(PHONE, 1), (DESKTOP, 4)], ids=["360", "1280"])
def test_charge_and_waive_from_the_dashboard(desk, playwright, browse, viewport, first):
    site, known = desk
    three = known["bookings"][first - 1 : first + 2]
    charged, waived, doubtful = (f"Ada{number}" for number in range(first, first + 3))
    for booking_id in three[:2]:
        site.write(CANCELLED, booking_id)
    [(person,)] = site.rows("SELECT id FROM people WHERE email = 'dana@example.com'")
    fills = (
        (three[0], "100", "105", f"T-{first}0"),
        (three[1], "105", "110", f"T-{first}1"),
        (three[2], "110", "310", f"T-{first}2"),
    )
    heard = send(playwright, site, known["technician"], person, *fills)
    assert [each.partition(".")[0] for each in heard] == [
        "This stop was cancelled",
        "This stop was cancelled",
        "This is more than the tank holds",
    ]
    page = browse(site, viewport, known["dispatcher"])
    arrive(page, routes.DISPATCH)
    page.get_by_role("link", name="Needs an answer (").click()
    expect(entry(page, charged)).to_contain_text("5.000 gallons")
    # The number stands in the navigation of each screen, here beside the menu on a phone.
    count = page.get_by_role("link", name=re.compile("^Needs an answer [0-9]"))
    expect(count.filter(visible=True)).to_have_count(1)
    morning = page.get_by_role("region", name="This morning")
    expect(morning.get_by_text("Cards declined")).to_be_visible()
    expect(morning.get_by_role("table", name="Gallons")).to_be_visible()
    expect(morning.get_by_text("Margin yesterday")).to_have_count(0)  # of a dispatcher
    assert_fits(page)
    assert_accessible(page)
    expect(entry(page, doubtful)).to_contain_text("only an admin can answer")
    expect(entry(page, doubtful).get_by_role("button", name="Confirm gallons")).to_have_count(0)
    entry(page, charged).get_by_role("button", name="Charge").click()
    modal(page).get_by_role("button", name="Charge").click()
    expect(modal(page).get_by_text("Reason is required")).to_be_visible()
    assert_fits(page)
    assert_accessible(page)
    modal(page).get_by_label("Reason").fill("Agreed by phone")
    modal(page).get_by_role("button", name="Charge").click()
    expect(entry(page, charged)).to_have_count(0)
    entry(page, waived).get_by_role("button", name="Waive").click()
    modal(page).get_by_label("Reason").fill("Our mistake")
    modal(page).get_by_role("button", name="Waive").click()
    expect(entry(page, waived)).to_have_count(0)
    found = site.rows(
        "SELECT b.id, state, total_cents IS NOT NULL FROM bookings b JOIN fills f "
        "ON booking_id = b.id"
    )
    ends = {booking_id: (state, is_billed) for booking_id, state, is_billed in found}
    assert [ends[each] for each in three] == [
        ("completed", 1),
        ("cancelled", 0),
        ("completed", 0),
    ]
