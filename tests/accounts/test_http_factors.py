"""Secrets that are shown once: the authenticator's code and key, and the recovery codes."""

import pytest
from pyotp.totp import TOTP

from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import security
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit import clock, secrets
from tests.helpers.signed_in import a_person, cookie_for, person_row, seen

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")

SETUP = [
    "/api/account/authenticator.svg",
    "/api/account/authenticator/key",
    "/api/account/authenticator/open",
]
CODES = "/api/account/recovery-codes"


async def _seed(person_id: str) -> str:
    return secrets.decrypt((await person_row(person_id)).totp_seed or "") or ""


@pytest.fixture
async def owner(browser) -> str:
    """A person whose authenticator is being set up in this browser."""
    person_id = await a_person(email="ada@example.com")
    token = await cookie_for(person_id)
    browser.cookies.set(COOKIE, token)
    await security.start_app_setup(await seen(token))
    return person_id


async def _with_app(browser, person_id: str) -> None:
    session = await seen(browser.cookies[COOKIE])
    code = TOTP(await _seed(person_id)).at(clock.now())
    await security.confirm_app(session, code, Visitor())


async def test_the_setup_is_shown_as_a_code_a_key_and_an_address(browser, owner):
    seed = await _seed(owner)
    picture, key, opened = [await browser.get(address) for address in SETUP]
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.text.startswith("<svg")
    assert "style=" not in picture.text
    assert key.headers["content-type"].startswith("text/plain")
    assert key.text.replace(" ", "") == seed
    assert opened.status_code == 303
    assert opened.headers["location"].startswith("otpauth://totp/")
    assert f"secret={seed}" in opened.headers["location"]
    for answer in (picture, key, opened):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("address", SETUP)
async def test_nothing_is_shown_once_it_is_on(browser, owner, address):
    await _with_app(browser, owner)
    answer = await browser.get(address)
    assert (answer.status_code, "secret" in answer.text) == (404, False)


@pytest.mark.parametrize("address", SETUP)
async def test_nothing_is_shown_without_a_proof(browser, owner, address, at):
    seed = await _seed(owner)
    at(minutes=11)
    answer = await browser.get(address)
    assert (answer.status_code, seed in answer.text) == (403, False)


async def test_new_recovery_codes_are_a_page_that_nothing_keeps(browser, owner):
    await _with_app(browser, owner)
    answer = await browser.post(CODES)
    assert answer.status_code == 200
    assert answer.text.count("<li><code>") == 10
    assert answer.headers["cache-control"] == "no-store"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "'sha256-" in policy
    assert 'href="/security"' in answer.text


async def test_recovery_codes_need_a_proof(browser, owner, at):
    await _with_app(browser, owner)
    at(minutes=11)
    answer = await browser.post(CODES)
    assert (answer.status_code, answer.headers["location"]) == (303, "/security")
