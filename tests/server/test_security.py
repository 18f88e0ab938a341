"""Security headers, and requests from other sites."""

import pytest

from fuel_app.server import security


@pytest.mark.parametrize("path", ["/", "/nope", "/ping", "/favicon.svg", "/robots.txt", "/broken"])
async def test_every_answer_carries_the_headers(browser, path):
    headers = (await browser.get(path)).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "strict-origin-when-cross-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "strict-transport-security" not in headers


def test_only_an_https_site_sends_hsts(configure):
    configure(security, site_url="https://fuel.example")
    assert security.security_headers()["Strict-Transport-Security"] == "max-age=31536000"


@pytest.mark.parametrize(
    ("tiles", "source"),
    [
        ("https://tile.example.org/{z}/{x}/{y}.png", "https://tile.example.org"),
        ("https://{s}.tiles.example:8443/{z}/{x}/{y}.png", "https://*.tiles.example:8443"),
    ],
)
def test_a_page_may_show_map_tiles(configure, tiles, source):
    configure(security, tile_url=tiles)
    policy = security.page_policy(security.Inline())
    assert f"img-src 'self' data: blob: {source};" in policy


async def greeted(app, headers: dict[str, str]) -> bool:
    """Return whether a websocket's handshake is accepted; a refused one never reaches the app."""
    sent = []

    async def send(message):
        sent.append(message["type"])

    async def receive():
        return {"type": "websocket.connect"}

    raw = {"host": "testserver"} | headers
    scope = {
        "type": "websocket",
        "path": "/_event/",
        "query_string": b"token=00000000-0000-4000-8000-000000000000",
        "headers": [(name.encode(), value.encode()) for name, value in raw.items()],
    }
    await app(scope, receive, send)
    assert sent[0] in {"websocket.accept", "websocket.close"}
    return sent[0] == "websocket.accept"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://testserver"},
        {"origin": "http://FUEL.example", "host": "fuel.example"},
        {"origin": "http://localhost:3000"},
    ],
)
async def test_our_own_pages_and_monitors_may_open_a_websocket(app, headers):
    assert await greeted(app, headers)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://testserver.evil.example"},
        {"origin": "https://testserver"},
        {"origin": "null"},
        {"origin": "http://[nonsense"},
        {"origin": "https://evil.example", "x-forwarded-host": "evil.example"},
    ],
)
async def test_another_site_may_not_open_a_websocket(app, headers):
    assert not await greeted(app, headers)


async def test_a_trusted_proxys_forwarded_host_is_accepted(app, configure):
    headers = {"origin": "https://fuel.example", "x-forwarded-host": "fuel.example, inner"}
    headers |= {"x-forwarded-proto": "https, http"}
    assert not await greeted(app, headers)
    configure(security, trusted_proxy_hops=1)
    assert await greeted(app, headers)
    assert not await greeted(app, headers | {"x-forwarded-proto": "http"})
    configure(security, trusted_proxy_hops=1, site_url="https://www.fuel.example")
    assert await greeted(app, headers | {"x-forwarded-proto": ""})


async def test_plain_http_is_a_foreign_origin_of_an_https_site(browser, configure):
    configure(security, site_url="https://testserver")
    assert (await browser.post("/ping", headers={"origin": "https://testserver"})).is_success
    refused = await browser.post("/ping", headers={"origin": "http://testserver"})
    assert refused.status_code == 403


async def test_another_site_may_not_write(browser):
    foreign = {"origin": "https://evil.example"}

    assert (await browser.post("/ping", headers=foreign)).status_code == 403
    assert (await browser.get("/_event/?transport=polling", headers=foreign)).status_code == 403
    assert (await browser.get("/ping", headers=foreign)).status_code == 200
    assert (await browser.post("/ping", headers={"origin": "http://testserver"})).is_success
    assert (await browser.post("/ping")).is_success
