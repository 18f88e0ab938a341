"""Passkeys as the page uses them: two requests for each ceremony."""

from typing import Any

import pytest

from fuel_app.accounts import http
from fuel_app.accounts.state.session import COOKIE
from tests.helpers.signed_in import a_person, cookie_for, seen
from tests.helpers.soft_key import SoftKey

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")

ORIGIN = "http://localhost:3000"
REGISTER, SIGN_IN = "/api/passkeys/register", "/api/passkeys/sign-in"


async def _answered(browser, address: str, ask, **more: Any):
    begun = (await browser.post(f"{address}/options")).json()
    sent = {"challenge": begun["challenge"], "answer": ask(begun["options"])}
    return await browser.post(address, json=sent | more, headers={"origin": ORIGIN})


async def _registered(browser, person_id: str) -> SoftKey:
    key = SoftKey(ORIGIN)
    browser.cookies.set(COOKIE, await cookie_for(person_id))
    answer = await _answered(browser, REGISTER, key.create, name="My phone")
    assert answer.status_code == 204
    browser.cookies.clear()
    return key


async def test_a_passkey_signs_in_with_a_cookie(browser):
    person_id = await a_person()
    key = await _registered(browser, person_id)
    answer = await _answered(browser, SIGN_IN, key.get)
    assert (answer.status_code, answer.headers["cache-control"]) == (204, "no-store")
    assert "HttpOnly" in answer.headers["set-cookie"]
    session = await seen(browser.cookies[COOKIE])
    assert (session.person_id, session.second_factor) == (person_id, True)


async def test_a_wrong_passkey_sets_no_cookie(browser):
    await _registered(browser, await a_person())
    answer = await _answered(browser, SIGN_IN, SoftKey(ORIGIN).get)
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
    assert answer.json() == {"message": http.PasskeyRefused.message, "prove": False}


@pytest.mark.parametrize(
    "body", [b"", b"x", b"[]", b"{}", b"\xff", b"[" * 15_000, b"x" * 10**6, b'{"challenge":7}']
)
async def test_anything_else_is_refused_alike(browser, body):
    answer = await browser.post(SIGN_IN, content=body)
    assert (answer.status_code, answer.json()["message"]) == (
        403,
        http.PasskeyRefused.message,
    )


async def test_adding_one_needs_a_proof(browser, at):
    browser.cookies.set(COOKIE, await cookie_for(await a_person()))
    at(minutes=11)
    answer = await browser.post(f"{REGISTER}/options")
    assert (answer.status_code, answer.json()["prove"]) == (403, True)


async def test_a_passkey_needs_a_name(browser):
    browser.cookies.set(COOKIE, await cookie_for(await a_person()))
    answer = await _answered(browser, REGISTER, SoftKey(ORIGIN).create, name=" ")
    assert (answer.status_code, answer.json()["message"]) == (403, "Name is required")
