"""Releases of the technician's page: taken whole or not at all, and never over what is typed."""

import pytest
from playwright.sync_api import expect

from fuel_app.dispatch import http
from fuel_app.dispatch.rules.phones import WORDS
from fuel_app.server.pages import Page as Document
from tests.flows.technician_phone import office, phone

__all__ = ["office", "phone"]

NEW = "Begin to drive"
# Ask for the new worker. Answers when it has taken over or is given up.
_UPDATE = """async () => {
  const registration = await (await navigator.serviceWorker.ready).update();
  const worker = registration.installing ?? registration.waiting;
  const isOver = () => !worker || ["activated", "redundant"].includes(worker.state);
  await new Promise((done) => {
    if (isOver()) done();
    else worker.addEventListener("statechange", () => isOver() && done());
  });
}"""


@pytest.fixture
def release(monkeypatch):
    """Return a function that releases the page with another word, or only its worker."""

    def published(*, page: bool = True) -> None:
        kept = Document.of(http.document({**WORDS, "go_drive": NEW}))
        monkeypatch.setattr(http, "_WORKER", http.worker_for(kept))
        if page:
            monkeypatch.setattr(http, "PAGE", kept)

    return published


def test_a_release_is_shown_soon_after_opening(phone, release):
    release()
    phone.page.goto("/drive")
    expect(phone.go).to_have_text(NEW)


def test_a_release_waits_while_something_is_typed(phone, release):
    phone.press("Start driving", "I'm here")
    phone.tick_all()
    release()
    phone.page.goto("/drive")
    phone.page.evaluate(_UPDATE)
    expect(phone.page.get_by_role("checkbox", name="engine")).to_be_checked()
    phone.press("Undo last step", "Undo last step")
    expect(phone.go).to_have_text("Start driving")
    phone.page.goto("/drive")
    expect(phone.go).to_have_text(NEW)


@pytest.mark.parametrize("fault", ["page fails", "page of another release"])
def test_a_release_that_is_not_whole_leaves_the_one_before(phone, office, release, fault):
    release(page=fault == "page fails")
    office.page_status = 503 if fault == "page fails" else 200
    phone.page.evaluate(_UPDATE)
    for is_up in (True, False):
        phone.line(is_up=is_up)
        phone.page.reload()
        expect(phone.go).to_have_text("Start driving")
    office.page_status = 200
    phone.line(is_up=True)
    release()
    phone.page.goto("/drive")
    expect(phone.go).to_have_text(NEW)
    assert phone.page.evaluate("caches.keys().then((names) => names.length)") == 1


def test_the_worker_has_the_technicians_page_alone(phone):
    phone.page.goto("/")
    assert phone.page.evaluate("navigator.serviceWorker.controller") is None


def test_a_worker_that_unregisters_gives_the_page_back_to_the_network(phone, monkeypatch):
    """Follow the emergency procedure of docs/decisions/drive.md."""
    leaving = """
        self.addEventListener("install", () => self.skipWaiting());
        self.addEventListener("activate", () => self.registration.unregister());
    """
    monkeypatch.setattr(http, "_WORKER", leaving)
    monkeypatch.setattr(http, "PAGE", Document.of("<!DOCTYPE html><h1>Call the office</h1>"))
    phone.page.evaluate(_UPDATE)
    phone.page.goto("/drive")
    expect(phone.page.get_by_role("heading", name="Call the office")).to_be_visible()
