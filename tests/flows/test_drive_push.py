"""Notifications on the technician's phone: allowed at a press, shown by the worker, opened."""

import json

import pytest
from playwright.sync_api import expect

from fuel_app.messages.rules.push import WORDS
from tests.flows.pushes import ENDPOINT, PushedWorker, play_subscriptions
from tests.flows.technician_phone import office, phone
from tests.helpers.push_service import PushBrowser

__all__ = ["office", "phone"]

KEY = PushBrowser().subscription("")["keys"]
NEWS = {"title": "Gulfside Fuel", "body": "1 new stop.", "url": "/drive", "tag": "a-tag"}


@pytest.fixture
def offered(office, phone):
    """A phone whose site can send notifications."""
    office.push_key = KEY["p256dh"]
    play_subscriptions(phone.context, KEY)
    return phone


def open_again(phone, permission: str = "default") -> None:
    phone.page.evaluate("(said) => localStorage.setItem('test-permission', said)", permission)
    phone.page.reload()
    phone.expect_ready()


def test_notifications_are_turned_on_and_off_at_a_press(offered, office):
    open_again(offered)
    turn_on = offered.page.get_by_role("button", name=WORDS["turn_on"])
    turn_off = offered.page.get_by_role("button", name=WORDS["turn_off"])
    expect(turn_on).to_be_visible()
    assert office.devices == []
    turn_on.click()
    expect(turn_off).to_be_visible()
    expect(offered.page.get_by_text(WORDS["is_on"])).to_be_visible()
    assert office.devices == [ENDPOINT]
    open_again(offered, "granted")
    expect(turn_off).to_be_visible()
    turn_off.click()
    expect(turn_on).to_be_visible()
    assert office.devices == []


def test_a_failure_is_said_and_the_button_stays(offered, office):
    open_again(offered)
    button = offered.page.get_by_role("button", name=WORDS["turn_on"])
    offered.page.route("**/api/notifications/devices", lambda route: route.abort())
    button.click()
    expect(offered.page.get_by_text(WORDS["failed"])).to_be_visible()
    expect(button).to_be_visible()


def test_blocked_notifications_are_explained_and_nothing_is_offered_without_a_key(offered, office):
    open_again(offered, "denied")
    expect(offered.page.get_by_text("are blocked on this device")).to_be_visible()
    expect(offered.page.get_by_role("button", name=WORDS["turn_on"])).to_be_hidden()
    office.push_key = ""
    open_again(offered)
    expect(offered.page.locator("#notify")).to_be_hidden()
    expect(offered.page.locator("#notices")).to_be_hidden()


def test_a_push_is_shown_at_once_opens_the_page_and_fetches_the_day(offered, office):
    open_again(offered)
    worker = PushedWorker(offered.page, "/technician-worker.js")
    worker.stand_in()
    office.stop(2)["state"] = "gone"
    office.stop(2)["gone"] = "This stop was cancelled."
    [shown] = worker.deliver("/drive", json.dumps(NEWS))
    assert (shown["title"], shown["body"], shown["tag"]) == tuple(
        NEWS[name] for name in ("title", "body", "tag")
    )
    assert (shown["renotify"], shown["data"]) == (True, {"url": "/drive"})
    expect(offered.page.locator("#changes")).to_be_visible()  # without waiting for 20 s
    assert worker.click("/drive") == ["closed", f"focus {offered.address}/drive"]
    assert worker.click("/bookings/1") == ["closed", f"{offered.address}/bookings/1"]
    assert worker.click("https://attacker.example/") == ["closed"]
    assert worker.deliver("/drive", "no JSON")[-1]["title"] == "localhost"
