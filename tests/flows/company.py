"""Sites of an open company, the people who are signed in there, and how a company is opened."""

import os
import re
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from zoneinfo import TZPATH, ZoneInfo

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pyotp.totp import TOTP

from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.clock import NEW_YORK
from tests import seed, seed_day
from tests.deployment import Deployment
from tests.flows.conftest import DESKTOP, alive
from tests.flows.visitor import escape, modal
from tests.site import STAFF_PASSWORD, Site, seeded, served

ADMIN, CUSTOMER = "grace@example.com", "ada@example.com"
SECRETS = {ADMIN: "a plain gull 7 over the bay!", CUSTOMER: "engine-1843-loom"}
Browse = Callable[..., Page]


def company_site(folder: Path, **settings: str) -> AbstractContextManager[Site]:
    return served(folder, **{"FUEL_RATE_LIMITS": "off", "FUEL_TILE_URL": ""} | settings)


@pytest.fixture(scope="module")
def midday(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let it be about noon in New York, here and in every process that begins meanwhile.

    A day that is played through does not end in between. The clock is the real one: the zone is
    another, by a file as RFC 9636 has it.
    """
    hours = 12 - datetime.now(UTC).hour
    zone = struct.pack(">4s16x6llbb4s", b"TZif", 0, 0, 0, 0, 1, 4, hours * 3600, 0, 0, b"EST")
    folder = tmp_path_factory.mktemp("zones")
    (folder / "America").mkdir()
    (folder / "America" / "New_York").write_bytes(zone)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONTZPATH", os.pathsep.join([str(folder), *TZPATH]))
        here = ZoneInfo.from_file(BytesIO(zone), "America/New_York")
        ours = [it for name, it in sys.modules.items() if name.startswith(("fuel_app", "tests"))]
        for module in [each for each in ours if vars(each).get("NEW_YORK") is NEW_YORK]:
            patch.setattr(module, "NEW_YORK", here)
        yield


@pytest.fixture
def browse(browser: Browser) -> Iterator[Browse]:
    """Return a function that opens a browser at a site, signed in by a session's token."""
    contexts: list[BrowserContext] = []

    def open_browser(
        site: Site | Deployment, viewport: dict[str, int] = DESKTOP, token: str = ""
    ) -> Page:
        context = browser.new_context(
            viewport=viewport,  # type: ignore[arg-type]
            base_url=site.url,
            reduced_motion="reduce",
            ignore_https_errors=True,
        )
        contexts.append(context)
        if token:
            is_https = site.url.startswith("https")
            name = f"__Host-{COOKIE}" if is_https else COOKIE
            cookie = {"name": name, "value": token, "url": site.url, "secure": is_https}
            context.add_cookies([cookie])  # type: ignore[list-item]
        return context.new_page()

    yield open_browser
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, Any]]]:
    """A site with a published day of three bookings, whose customers have begun to sign up."""
    with company_site(tmp_path_factory.mktemp("office")) as site:
        known = seeded(site.database_url, seed_day.seed(3, published=True))
        site.write(
            "INSERT INTO subscriptions"
            " (person_id, plan_id, state, wording, cancel_at_period_end, created_at)"
            " SELECT person_id, 'solo', 'incomplete', '', 0, created_at FROM customers"
        )
        yield site, known


@pytest.fixture
def dispatcher(office: tuple[Site, dict[str, Any]], browse: Browse) -> Browse:
    """Return a function that opens an address as a dispatcher."""
    site, known = office

    def open_page(address: str, viewport: dict[str, int] = DESKTOP) -> Page:
        page = browse(site, viewport, known["dispatcher"])
        arrive(page, address)
        return page

    return open_page


@pytest.fixture
def closed_site(tmp_path: Path) -> Iterator[Site]:
    """A site on which nothing has happened yet."""
    with company_site(tmp_path) as site:
        yield site


@pytest.fixture
def open_browser(closed_site: Site, browse: Browse) -> Browse:
    """Return a function that opens a browser at that site."""
    return lambda viewport=DESKTOP, token="": browse(closed_site, viewport, token)


def arrive(page: Page, address: str) -> None:
    page.goto(address)
    alive(page)


def totp(page: Page) -> TOTP:
    """Set an authenticator up on /security. Return it."""
    page.get_by_role("button", name="Setup").click()
    page.get_by_label("Authenticator App").click()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    key = page.request.get("/api/account/authenticator/key").text()
    app = TOTP(key.replace(" ", "").strip())
    page.get_by_label("Code").fill(app.now())
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("Second factor added.", exact=True)).to_be_visible()
    return app


def message(page: Page, what: str) -> str:
    """Return the text of the newest message of a kind, as the admin's screen shows it."""
    arrive(page, "/settings/messages")
    page.get_by_role("button", name=what).first.click()
    text = modal(page).inner_text()
    escape(page)
    return text


def create_first_admin(page: Page) -> None:
    arrive(page, "/")
    page.get_by_role("button", name="Staff Login").click()
    modal(page).get_by_label("Password").fill(STAFF_PASSWORD)
    modal(page).get_by_role("button", name="Login").click()
    expect(page).to_have_url(re.compile("/dashboard$"))
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="People").click()
    page.get_by_label("First name").fill("Grace")
    page.get_by_label("Last name").fill("Hopper")
    page.get_by_label("Email").fill(ADMIN)
    page.get_by_label("Password").fill(SECRETS[ADMIN])
    page.get_by_role("button", name="Create admin").click()
    expect(page).to_have_url(re.compile("/security$"))
    expect(page.get_by_text("Admins need a second factor")).to_be_visible()
    totp(page)
    expect(page.get_by_text("Admins need a second factor")).to_be_hidden()


def open_an_area(page: Page) -> None:
    arrive(page, "/settings/areas")
    page.get_by_role("button", name="New area").click()
    modal(page).get_by_label("Area name").fill("Sarasota")
    modal(page).get_by_label("ZIP codes").fill("34236 34237")
    modal(page).get_by_role("button", name="Save area").click()
    page.get_by_role("button", name="Open").click()
    modal(page).get_by_role("button", name="Open without them").click()
    expect(page.get_by_text("Sarasota is open", exact=True)).to_be_visible()


def set_a_price(page: Page) -> None:
    arrive(page, "/settings/prices")
    page.get_by_label("New price of Regular, Sarasota").fill("3.459")
    page.get_by_label("Source").fill("Our supplier")
    page.get_by_role("button", name="Save prices").click()
    expect(page.get_by_text("1 price set", exact=True)).to_be_visible()


def sign_up(page: Page, office: Page) -> None:
    arrive(page, "/onboarding")
    page.get_by_label("First name").fill("Ada")
    page.get_by_label("Last name").fill("Lovelace")
    page.get_by_label("Email").fill(CUSTOMER)
    page.get_by_label("Phone").fill("(941) 555-0123")
    page.get_by_label("ZIP").fill("34236")
    page.get_by_label("Password").fill(SECRETS[CUSTOMER])
    page.get_by_role("button", name="Next Step").click()
    expect(page.get_by_role("heading", name="Choose Your Plan")).to_be_visible()
    verify_email(page, office)


def verify_email(page: Page, office: Page) -> None:
    """Complete the sign-up with the code of the newest message."""
    page.get_by_role("button", name="Complete Signup").click()
    expect(page.get_by_role("heading", name="Verify your email", exact=True)).to_be_visible()
    code = re.search(r"\b\d{6}\b", message(office, "Verify"))
    assert code
    verify = page.get_by_role("button", name="Verify")
    page.get_by_label("Code").fill("12345")
    verify.click()
    wrong = page.get_by_text("This code is not right.")
    expect(wrong).to_be_visible()
    page.get_by_label("Code").fill(code.group())
    expect(wrong).to_be_visible()
    verify.click()
    expect(page.get_by_role("heading", name="Next: Add a card")).to_be_visible()


def customer_and_office(
    open_browser: Browse, site: Site, viewport: dict[str, int]
) -> tuple[Page, Page]:
    """Open the company with a price. Return a customer who has just signed up, and the office."""
    known = seeded(site.database_url, seed.company())
    office = open_browser(DESKTOP, known["admin"])
    customer = open_browser(viewport, known["customer"])
    arrive(customer, "/dashboard")
    expect(customer.get_by_role("heading", name="Next: Add a card")).to_be_visible()
    return customer, office
