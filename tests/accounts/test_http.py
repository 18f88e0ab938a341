"""The cookie of a signed-in browser: how it comes, what it opens, how it goes."""

import asyncio
import re

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from fuel_app.accounts.http import staff_only
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.db.session import transaction
from tests.helpers.signed_in import a_person
from tests.staff import HERE, PASSWORD, a_token

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")


async def a_ticket() -> str:
    return (await sessions.sign_in_shared(PASSWORD, HERE)).ticket


async def test_a_ticket_is_exchanged_for_an_http_only_cookie(browser):
    answer = await browser.post("/api/session", content=await a_ticket())
    assert answer.status_code == 204
    assert answer.headers["cache-control"] == "no-store"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert cookie.partition(";")[2] == " HttpOnly; Path=/; SameSite=lax"
    assert await sessions.find_by_token(browser.cookies[COOKIE])


async def test_a_cookie_is_kept_while_its_session_is_used(browser):
    """The session is extended with each use, the cookie is not."""
    person_id = await a_person()
    async with transaction() as writing:
        ticket = (await sessions.start(writing, person_id=person_id)).ticket
    answer = await browser.post("/api/session", content=ticket)
    kept = re.search(r"Max-Age=(\d+)", answer.headers["set-cookie"])
    assert kept
    assert int(kept[1]) == 400 * 24 * 60 * 60


@pytest.mark.parametrize(
    ("ticket", "status"), [(b"", 410), (b"made up", 410), (b"\xff", 410), (b"x" * 10**6, 413)]
)
async def test_an_invalid_ticket_sets_no_cookie(browser, ticket, status):
    answer = await browser.post("/api/session", content=ticket)
    assert (answer.status_code, "set-cookie" in answer.headers) == (status, False)


async def test_a_slowly_sent_ticket_times_out(browser, monkeypatch):
    monkeypatch.setattr("fuel_app.kit.http._WEBHOOK_S", 0.01)

    async def drops():
        yield b"x"
        await asyncio.Event().wait()

    answer = await browser.post("/api/session", content=drops())
    assert (answer.status_code, "set-cookie" in answer.headers) == (408, False)


async def test_signing_out_ends_the_session_and_deletes_the_cookie(browser):
    token = await a_token()
    browser.cookies.set(COOKIE, token)
    answer = await browser.post("/api/session/end")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert f'{COOKIE}=""' in answer.headers["set-cookie"]
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert await sessions.find_by_token(token) is None


async def _secrets(request: Request):
    return PlainTextResponse(request.state.session.id)


def _request(cookie: str) -> Request:
    return Request({"type": "http", "headers": [(b"cookie", cookie.encode("latin-1"))]})


async def test_a_guarded_endpoint_knows_the_session():
    token = await a_token()
    theirs = await sessions.find_by_token(token)
    assert theirs
    answer = await staff_only(_secrets)(_request(f"{COOKIE}={token}"))
    assert (answer.status_code, answer.body) == (200, theirs.id.encode())


@pytest.mark.parametrize("cookie", ["", f"{COOKIE}=", f"{COOKIE}=made-up", "other=x", "\xff=\xff"])
async def test_a_guarded_endpoint_refuses_others(cookie):
    await a_token()
    answer = await staff_only(_secrets)(_request(cookie))
    assert (answer.status_code, answer.body) == (401, b"Please sign in.")
    assert answer.headers["cache-control"] == "no-store"
