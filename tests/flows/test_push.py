"""A customer's notifications: the switch, this device, and a push from the site to the screen."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from fuel_app.messages.rules.push import WORDS
from tests import seed_day, seed_push
from tests.flows.checks import assert_accessible
from tests.flows.company import arrive, company_site
from tests.flows.conftest import PHONE
from tests.flows.pushes import PushedWorker, play_subscriptions
from tests.helpers.push_service import KEY, PushBrowser, PushService, push_service
from tests.site import Site, seeded
from tests.waiting import came_true

DEVICE = PushBrowser()


@pytest.fixture(scope="module")
def service() -> Iterator[PushService]:
    with push_service() as running:
        yield running


@pytest.fixture(scope="module")
def company(
    tmp_path_factory: pytest.TempPathFactory, service: PushService
) -> Iterator[tuple[Site, dict[str, Any]]]:
    """A site that can send notifications, with two customers."""
    settings = {"FUEL_VAPID_PRIVATE_KEY": KEY, "FUEL_PUSH_TEST_SERVICE": service.address}
    with company_site(tmp_path_factory.mktemp("push"), **settings) as site:
        yield site, seeded(site.database_url, seed_day.seed(2))


@pytest.fixture
def open_page(company, service, browse):
    """Return a function that opens the settings of a customer, by number."""
    site, known = company

    def opened(number: int, permission: str = "default") -> Page:
        page = browse(site, PHONE, known["customers"][number])
        keys = DEVICE.subscription("")["keys"]
        play_subscriptions(page.context, keys, endpoint=f"{service.address}/{number}")
        page.context.add_init_script(
            f"localStorage.getItem('test-permission') ??"
            f" localStorage.setItem('test-permission', '{permission}')"
        )
        arrive(page, "/notifications")
        return page

    return opened


def switch(page: Page) -> Locator:
    return page.get_by_role("switch", name="Push")


_OWN = "SELECT count(*) FROM push_subscriptions WHERE endpoint LIKE '%/1'"


def _count_devices(site: Site) -> int:
    with closing(sqlite3.connect(site.database)) as connection:
        return connection.execute(_OWN).fetchone()[0]


def test_a_customer_is_notified_on_the_device_that_they_turned_on(open_page, company, service):
    site, known = company
    page = open_page(0)
    expect(switch(page)).not_to_be_checked()
    switch(page).click()
    expect(page.get_by_text("Turn on notifications on this device first.")).to_be_visible()
    expect(page.locator("#device")).to_be_focused()
    assert_accessible(page)
    page.get_by_role("button", name=WORDS["turn_on"]).click()
    expect(switch(page)).to_be_checked()
    expect(page.get_by_text(WORDS["is_on"])).to_be_visible()
    expect(page.get_by_text("Turn on notifications on this device first.")).to_be_hidden()
    assert_accessible(page)
    assert page.evaluate("navigator.serviceWorker.controller") is None  # no page has the worker

    seeded(site.database_url, seed_push.notify(known["bookings"][0]))
    assert came_true(lambda: "/0" in service.paths, within=30)
    [body] = [body for path, _, body in service.pushes if path == "/0"]
    said = DEVICE.read(body)
    worker = PushedWorker(page, "/notifications-here/worker.js")
    worker.stand_in()
    [shown] = worker.deliver("/notifications-here/", json.dumps(said))
    assert (shown["title"], shown["body"]) == ("Gulfside Fuel", said["body"])
    assert said["body"] == "Joe has arrived to fill your 2022 Toyota Camry."
    address = f"{site.url}/bookings/{known['bookings'][0]}"
    assert worker.click(said["url"]) == ["closed", address]

    switch(page).click()
    expect(switch(page)).not_to_be_checked()
    switch(page).click()  # the device is still known
    expect(switch(page)).to_be_checked()
    page.reload()
    turn_off = page.get_by_role("button", name=WORDS["turn_off"])
    turn_off.click()
    expect(page.get_by_role("button", name=WORDS["turn_on"])).to_be_visible()
    expect(switch(page)).not_to_be_checked()


def test_signing_out_ends_it_on_this_device(open_page, company):
    site, _ = company
    page = open_page(1)
    page.get_by_role("button", name=WORDS["turn_on"]).click()
    expect(switch(page)).to_be_checked()
    assert _count_devices(site) == 1
    page.evaluate("fetch('/api/session/end', { method: 'POST' })")
    assert came_true(lambda: _count_devices(site) == 0, within=10)


def test_blocked_notifications_are_explained(open_page):
    page = open_page(0, "denied")
    expect(page.get_by_text("are blocked on this device")).to_be_visible()
    expect(page.get_by_role("button", name=WORDS["turn_on"])).to_have_count(0)
    assert_accessible(page)


def test_an_iphone_is_told_to_put_the_page_on_its_home_screen(company, browser):
    site, known = company
    context = browser.new_context(
        base_url=site.url,
        viewport=PHONE,
        user_agent="Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1",
    )
    context.add_init_script("delete window.PushManager;")
    cookie = {"name": "fuel-session", "value": known["customers"][0], "url": site.url}
    context.add_cookies([cookie])
    page = context.new_page()
    arrive(page, "/notifications")
    expect(page.get_by_text("Add to Home Screen")).to_be_visible()
    context.close()
