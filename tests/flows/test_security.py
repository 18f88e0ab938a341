"""Privacy & Security of a signed-in person, with a virtual authenticator."""

import sqlite3
import time
from contextlib import closing
from itertools import count

import pytest
from playwright.sync_api import Page, expect
from pyotp.totp import TOTP

from tests.flows.checks import assert_accessible
from tests.flows.conftest import PHONE, alive
from tests.flows.visitor import modal

PASSWORD = "gannets-dive-41-deep"
_numbers = count(1)
KEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def page(visit, site) -> Page:
    """A person at /security on a phone that has an authenticator."""
    email = f"owner.{next(_numbers)}@example.com"
    site.add_person(email, PASSWORD)
    page = visit("/sign-in?next=/security", PHONE)
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In", exact=True).click()
    expect(page.get_by_role("heading", name="Passkeys")).to_be_visible()
    return page


def test_a_passkey_is_added_and_signs_in(page):
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_label("Name").fill("My phone")
    page.locator("form").get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_text("Passkey added.", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Remove My phone")).to_be_visible()
    assert_accessible(page)
    # Half faded, it would lack contrast on the next page.
    expect(page.get_by_text("Passkey added.", exact=True)).to_be_hidden(timeout=30_000)
    page.get_by_role("button", name="Sign out everywhere", exact=True).click()
    page.wait_for_url("/")
    page.goto("/sign-in?next=/security")
    alive(page)
    assert_accessible(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url("**/security")
    alive(page)
    expect(page.get_by_text("Last used").first).to_be_visible()
    page.get_by_role("button", name="Remove My phone").click()
    expect(page.get_by_text("Passkey removed.", exact=True)).to_be_visible()


def test_an_authenticator_app_is_set_up_and_recovery_codes_are_shown_once(page):
    page.get_by_role("button", name="Setup").click()
    page.get_by_text("Authenticator App").click()
    page.get_by_role("button", name="Continue").click()
    picture = page.get_by_role("img", name="QR code for your authenticator app")
    expect(picture).to_be_visible()
    expect(page.get_by_label("Code", exact=True)).to_be_focused()
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0
    assert_accessible(page)
    key = page.request.get("/api/account/authenticator/key").text()
    app = TOTP(key.replace(" ", ""))
    page.get_by_label("Code", exact=True).fill(app.at(time.time()))
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("Second factor added.", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Remove Authenticator App")).to_be_visible()
    page.get_by_role("button", name="Get codes").click()
    page.get_by_role("button", name="Show new codes").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    expect(page.locator("ol li")).to_have_count(10)
    assert_accessible(page)
    page.get_by_role("link", name="Back to Privacy & Security").click()
    expect(page.get_by_text("10 of 10 left")).to_be_visible()
    page.get_by_role("button", name="Remove Authenticator App").click()
    expect(page.get_by_text("Second factor removed.", exact=True)).to_be_visible()


def test_the_password_is_asked_for_again_after_ten_minutes(page, site):
    with closing(sqlite3.connect(site.database)) as connection, connection:
        connection.execute("UPDATE sessions SET proved_at = NULL WHERE person_id IS NOT NULL")
    page.get_by_role("button", name="Add a passkey").click()
    expect(modal(page).get_by_role("heading", name="Confirm it is you")).to_be_visible()
    assert_accessible(page)
    modal(page).get_by_label("Password").fill(PASSWORD)
    modal(page).get_by_role("button", name="Confirm").click()
    expect(page.get_by_label("Name")).to_be_focused()
