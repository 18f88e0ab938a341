"""The way of a newcomer: from the shared password to the open company and its first people."""

import re

from playwright.sync_api import Page, expect

from tests.flows.company import (
    CUSTOMER,
    SECRETS,
    arrive,
    create_first_admin,
    message,
    open_an_area,
    sign_up,
    totp,
)
from tests.flows.conftest import PHONE

DISPATCHER, DISPATCHERS_PASSWORD = "dana@example.com", "nine routes & 4 trucks"
NEW_PASSWORD = "tide 12 beneath the pier?"


def sign_in(page: Page, email: str, password: str) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign In", exact=True).click()


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
    expect(page).to_have_url(re.compile(r"\d/$"))
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
    page.get_by_label("Password").fill(DISPATCHERS_PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page).to_have_url(re.compile("/sign-in|/dashboard"))
    if page.url.endswith("/sign-in"):
        sign_in(page, DISPATCHER, DISPATCHERS_PASSWORD)
    expect(page.get_by_role("link", name="Submissions").first).to_be_visible()
    expect(page.get_by_role("link", name="Settings")).to_have_count(0)
