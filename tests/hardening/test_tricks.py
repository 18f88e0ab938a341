"""Attack: every HTTP address with forged headers and paths."""

import re
from collections import defaultdict
from itertools import product

import pytest

from fuel_app.accounts.http import GUARDED_ENDPOINTS
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from tests.helpers.staff_access import addresses, guarded_addresses
from tests.staff import a_token

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")

EVIL = "evil.example"
HEADERS = {
    "another host": {"host": EVIL},
    "a host with a port of letters": {"host": f"{EVIL}:x@y"},
    "no host": {"host": ""},
    "two hosts": {"host": f"testserver, {EVIL}"},
    "a forwarded host": {"x-forwarded-host": EVIL, "forwarded": f"host={EVIL}"},
    "a forwarded address": {"x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1"},
    "another scheme": {"x-forwarded-proto": f"https://{EVIL}/"},
    "another method": {"x-http-method-override": "POST", "x-method-override": "DELETE"},
    "another address": {"x-original-url": "/api/leads/export", "x-rewrite-url": "/metrics"},
    "an endless coding": {"accept-encoding": "br;q=" + "9" * 9000},
    "many parts": {"range": "bytes=" + ",".join(f"{n}-{n + 1}" for n in range(1000))},
    "a part before the start": {"range": "bytes=-999999999999"},
    "a long content type": {"content-type": "multipart/form-data; boundary=" + "x" * 4000},
    "a length of letters": {"content-length": "abc"},
    "a nonsense origin": {"origin": "http://[x"},
    "empty credentials": {"authorization": "Bearer ", "cookie": f"{COOKIE}=; {COOKIE}=x"},
    "a line more": {"x-request-id": "x\tSet-Cookie: a=b"},
}
UP = "." * 2
PATHS = [
    "/",
    "/fleet/",
    f"//{EVIL}/fleet/",
    f"/\\{EVIL}/{UP}",
    f"/{UP}/{UP}/etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..%5c..%5cetc/passwd",
    "/assets/%2e%2e/%2e%2e/index.html",
    f"/assets/{UP}/favicon.svg",
    "/%00",
    "/%0d%0aSet-Cookie:a=b",
    "/fleet/%0d%0aSet-Cookie:a=b/",
    "/fleet/?x=%0d%0aSet-Cookie:a=b",
    "/%ff%fe",
    "/.env",
    "/data/fuel.db",
    "/fleet.html",
    "/__spa-fallback.html",
    "/" + "x" * 8000,
]
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "FOO")
ROUTES = [re.sub(r"{[^}]*}", "nonsense", route.path) for route in addresses()]
GUARDED = {re.sub(r"{[^}]*}", "nonsense", route.path) for route in guarded_addresses()}


def check(answer, asked: str) -> None:
    """Assert no failure, no reflected input and no redirect to another host."""
    assert answer.status_code < 500, asked
    assert EVIL not in answer.text, asked
    assert not any(EVIL in value for value in answer.headers.values()), asked
    assert answer.headers.get("location", "/").startswith("/"), asked
    assert not answer.headers.get("location", "/").startswith("//"), asked
    assert COOKIE not in answer.headers.get("set-cookie", ""), asked
    assert "a=b" not in answer.headers.get("set-cookie", ""), asked
    assert "root:" not in answer.text, asked


@pytest.mark.parametrize("trick", HEADERS)
async def test_no_header_opens_or_breaks_any_address(browser, trick):
    for address, method in product([*ROUTES, "/", "/fleet", "/nope"], ("GET", "POST")):
        if address == "/api/session/end" and method == "POST":
            continue  # it takes the cookie away, which is all that it does
        answer = await browser.request(method, address, headers=HEADERS[trick])
        check(answer, f"{method} {address}")
        if address in GUARDED:
            assert answer.status_code in {400, 401, 403, 405}, f"{method} {address}"


@pytest.mark.parametrize("path", PATHS)
async def test_no_path_traversal(browser, path):
    answer = await browser.get(path)
    check(answer, path)
    assert answer.headers["content-security-policy"]


async def test_other_methods_are_refused(browser):
    token = await a_token()
    browser.cookies.set(COOKIE, token)
    taken = defaultdict[str, set[str]](set)
    for route in addresses():
        taken[route.path] |= route.methods or {"GET", "HEAD"}
    for known, method in product(taken, METHODS):
        path = re.sub(r"{[^}]*}", "nonsense", known)
        if method not in taken[known]:
            answer = await browser.request(method, f"{path}?_method=POST")
            assert answer.status_code == 405, f"{method} {path}"
    assert await sessions.find_by_token(token)


async def test_after_signing_out_the_cookie_opens_nothing_over_http(browser):
    token = await a_token()
    guarded = [route for route in addresses() if route.endpoint in GUARDED_ENDPOINTS]
    assert len(guarded) > 3
    theirs = {"cookie": f"{COOKIE}={token}"}
    assert (await browser.get("/metrics", headers=theirs)).status_code == 200
    await browser.post("/api/session/end", headers=theirs)
    for route in guarded:
        path = re.sub(r"{[^}]*}", "nonsense", route.path)
        (method,) = (route.methods or {"GET"}) - {"HEAD"}
        answer = await browser.request(method, path, headers=theirs)
        assert (method, path, answer.status_code) == (method, path, 401)
