"""The way of a newcomer: from the shared password to the open company and its first people."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pyotp.totp import TOTP

from tests.flows.conftest import DESKTOP, PHONE, alive
from tests.flows.visitor import escape, modal
from tests.site import STAFF_PASSWORD, Site, served

ADMIN, CUSTOMER, DISPATCHER = "grace@example.com", "ada@example.com", "dana@example.com"
SECRETS = {  # passwords of their owners
    ADMIN: "a plain gull 7 over the bay!",
    CUSTOMER: "engine-1843-loom",
    DISPATCHER: "nine routes & 4 trucks",
}
NEW_PASSWORD = "tide 12 beneath the pier?"


@pytest.fixture
def closed_site(tmp_path: Path) -> Iterator[Site]:
    """A site on which nothing has happened yet."""
    with served(tmp_path, FUEL_RATE_LIMITS="off") as site:
        yield site


@pytest.fixture
def open_browser(browser: Browser, closed_site: Site) -> Iterator:
    contexts: list[BrowserContext] = []

    def browse(viewport=DESKTOP) -> Page:
        contexts.append(
            browser.new_context(
                viewport=viewport, base_url=closed_site.url, reduced_motion="reduce"
            )
        )
        return contexts[-1].new_page()

    yield browse
    for context in contexts:
        context.close()


def arrive(page: Page, address: str) -> None:
    page.goto(address)
    alive(page)


def sign_in(page: Page, email: str, password: str) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign In", exact=True).click()


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


def link_in(text: str, path: str) -> str:
    found = re.search(rf"http://\S+({path}/\S+)", text)
    assert found, text
    return found.group(1)


def test_a_newcomer_opens_the_company_and_meets_its_first_people(open_browser):
    office = open_browser()
    create_first_admin(office)
    open_an_area(office)
    customer = open_browser(PHONE)
    sign_up(customer, office)
    secure(customer)
    reset_the_password(customer, office)
    invite_a_dispatcher(office, open_browser())


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


def secure(page: Page) -> None:
    """Add a passkey and an authenticator, sign out everywhere, and come back with the passkey."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    device = {
        **{"protocol": "ctap2", "transport": "internal", "hasResidentKey": True},
        **{"hasUserVerification": True, "isUserVerified": True},
        "automaticPresenceSimulation": True,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": device})
    arrive(page, "/security")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_label("Name").fill("My phone")
    page.get_by_role("button", name="Add a passkey").last.click()
    expect(page.get_by_text("My phone").first).to_be_visible()
    totp(page)
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("button", name="Staff Login")).to_be_visible()
    arrive(page, "/sign-in")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()


def reset_the_password(page: Page, office: Page) -> None:
    arrive(page, "/forgot-password")
    page.get_by_label("Email").fill(CUSTOMER)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text(f"If an account exists for {CUSTOMER}")).to_be_visible()
    arrive(page, link_in(message(office, "Password reset"), "/reset-password"))
    page.get_by_label("New Password").fill(NEW_PASSWORD)
    page.get_by_role("button", name="Set Password").click()
    expect(page).to_have_url(re.compile("/sign-in"))
    sign_in(page, CUSTOMER, SECRETS[CUSTOMER])
    expect(page.get_by_text("The email or password is not right.")).to_be_visible()
    sign_in(page, CUSTOMER, NEW_PASSWORD)
    expect(page.get_by_label("Code")).to_be_visible()


def invite_a_dispatcher(office: Page, page: Page) -> None:
    arrive(office, "/settings/people")
    office.get_by_label("Email").fill(DISPATCHER)
    office.get_by_label("Dispatcher").check()
    office.get_by_role("button", name="Send invitation").click()
    expect(office.get_by_role("row").filter(has_text=DISPATCHER)).to_be_visible()
    arrive(page, link_in(message(office, "Invitation"), "/invitation"))
    page.get_by_label("First name").fill("Dana")
    page.get_by_label("Last name").fill("Scully")
    page.get_by_label("Password").fill(SECRETS[DISPATCHER])
    page.get_by_role("button", name="Create account").click()
    expect(page).to_have_url(re.compile("/sign-in|/dashboard"))
    if page.url.endswith("/sign-in"):
        sign_in(page, DISPATCHER, SECRETS[DISPATCHER])
    expect(page.get_by_role("link", name="Submissions").first).to_be_visible()
    expect(page.get_by_role("link", name="Settings")).to_have_count(0)
