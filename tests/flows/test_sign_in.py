"""Signing in by name, with a second step, and after a forgotten password."""

import json
import sqlite3
import uuid
from contextlib import closing
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect
from pyotp import random_base32
from pyotp.totp import TOTP

from fuel_app.accounts.rules import Purpose
from fuel_app.accounts.state.sign_in_pages import PASSWORD_CHANGED
from fuel_app.kit import secrets
from tests.flows.conftest import Visit, Witness
from tests.helpers.people import PASSWORD
from tests.site import Site
from tests.staff import QUICK

PHONE = {"width": 360, "height": 740}
NEW = "seven pelicans & a 12 oz cup"


@pytest.fixture
def email() -> str:
    return f"ada.{uuid.uuid4().hex}@example.com"


def a_person(site: Site, email: str, seed: str = "") -> None:
    """Store a customer with `PASSWORD`, and an authenticator app where there is a `seed`."""
    now, key = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f"), str(uuid.uuid4())
    row = {
        "id": key,
        "email": email,
        "first_name": "Ada",
        "last_name": "Lovelace",
        "phone": "",
        "password_hash": QUICK.hash(PASSWORD),
        "totp_seed": secrets.encrypt(seed) if seed else None,
        "totp_confirmed_at": now if seed else None,
        "totp_last_step": 0,
        "sms_codes": False,
        "passkey_user": key,
        "email_verified_at": now,
        "created_at": now,
    }
    with closing(sqlite3.connect(site.database)) as connection, connection:
        marks = ", ".join(f":{name}" for name in row)
        connection.execute(f"INSERT INTO people ({', '.join(row)}) VALUES ({marks})", row)
        connection.execute("INSERT INTO person_roles VALUES (?, 'customer')", (key,))


def sign_in(page: Page, email: str, password: str = PASSWORD) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign In", exact=True).click()


def test_a_wrong_password_is_refused_and_the_right_one_goes_on(site, visit, email):
    a_person(site, email)
    page = visit("/sign-in?next=/notifications", viewport=PHONE)
    password = page.get_by_label("Password")
    password.fill("wrong")
    page.get_by_role("button", name="Show password").press("Enter")
    expect(password).to_have_attribute("type", "text")
    page.get_by_role("button", name="Hide password").click()
    expect(password).to_have_attribute("type", "password")
    page.get_by_role("button", name="Show password").click()
    sign_in(page, email, "wrong")
    expect(page.get_by_text("The email or password is not right.")).to_be_visible()
    expect(password).to_be_focused()
    expect(password).to_have_attribute("type", "password")  # since it was sent
    sign_in(page, email)
    expect(page).to_have_url(f"{site.url}/notifications")
    page.goto("/sign-in")
    expect(page).to_have_url(f"{site.url}/dashboard")


def test_the_keyboard_finishes_a_second_step(site, visit, email):
    seed = random_base32()
    a_person(site, email, seed)
    page = visit("/sign-in", viewport=PHONE)
    sign_in(page, email)
    code = page.get_by_label("Code", exact=True)
    expect(code).to_be_focused()
    page.keyboard.type("000000")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This code is not right.")).to_be_visible()
    expect(code).to_be_focused()
    code.fill(TOTP(seed).now())
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/dashboard")


def test_a_forgotten_password_is_replaced_once_and_ends_all_sessions(site, visit, email):
    a_person(site, email)
    elsewhere = visit("/sign-in?next=/notifications")
    sign_in(elsewhere, email)
    expect(elsewhere).to_have_url(f"{site.url}/notifications")

    page = visit("/sign-in", viewport=PHONE)
    page.get_by_role("link", name="Forgot password?").click()
    expect(page.get_by_role("heading", name="Forgot password?")).to_be_visible()
    page.get_by_label("Email").fill(email)
    page.get_by_role("button", name="Send Link").click()
    expect(page.get_by_role("main")).to_contain_text(
        f"If an account exists for {email}, we have sent a link."
    )
    asked = [
        (key, json.loads(data))
        for key, data in site.rows("SELECT id, data FROM challenges WHERE purpose = 'reset'")
    ]
    [challenge] = [key for key, data in asked if data["email"] == email]
    link = f"/reset-password/{secrets.token(Purpose.RESET, challenge)}"

    for password, problem in (("short1!", "at least 8"), ("password1!", "easy to guess")):
        page.goto(link)
        page.get_by_label("New Password").fill(password)
        page.get_by_role("button", name="Set Password").click()
        expect(page.get_by_text(problem)).to_be_visible()
    page.get_by_label("New Password").fill(NEW)
    page.get_by_role("button", name="Set Password").click()
    expect(page).to_have_url(f"{site.url}/sign-in")
    expect(page.get_by_text(PASSWORD_CHANGED, exact=True)).to_be_visible()
    assert site.rows(
        "SELECT count(*) FROM sessions WHERE person_id IS NOT NULL "
        "AND person_id = (SELECT id FROM people WHERE email = ?)",
        email,
    ) == [(0,)]
    sign_in(page, email, NEW)
    expect(page).to_have_url(f"{site.url}/dashboard")

    page.goto(link)
    expect(page.get_by_role("heading", name="This link does not work any more")).to_be_visible()
    page.get_by_role("link", name="Send a New Link").click()
    expect(page).to_have_url(f"{site.url}/forgot-password")
    assert link.rpartition("/")[2] not in site.process.log.read_text()


def test_a_password_sent_before_the_page_is_alive_stays_out_of_the_address(
    site: Site, visit: Visit, witness: Witness
) -> None:
    page = visit("/")
    witness.expected += ["Failed to load resource", "Failed to fetch dynamically imported module"]
    page.route("**/assets/*.js", lambda route: route.abort())
    page.goto("/sign-in")
    page.get_by_label("Email").fill("ada@example.com")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password", exact=True).press("Enter")
    expect(page.get_by_label("Password", exact=True)).to_have_value(PASSWORD)
    expect(page).to_have_url(f"{site.url}/sign-in")
