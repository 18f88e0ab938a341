"""Photo uploads: scaled down and returned, or refused unread."""

import asyncio

import httpx
import pytest

from fuel_app.customers import http
from fuel_app.customers.rules.vehicles import PHOTO_SENT_MAX, check_photo
from fuel_app.kit import http as visitor
from fuel_app.settings import Settings
from tests.pictures import as_file, from_a_phone, two_colors

LARGE = "The photo must be 10 MB or smaller."
NONE = "The photo must be an image: JPEG, PNG or WebP."


async def sent(browser: httpx.AsyncClient, body, **headers: str) -> httpx.Response:
    return await browser.post("/api/photos", content=body, headers=headers)


async def test_a_photo_comes_back_small(browser):
    answer = await sent(browser, from_a_phone())
    assert answer.status_code == 200
    assert check_photo(answer.text) == answer.text != ""
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("body", [b"", b"hello", b"<script>"])
async def test_a_body_that_is_no_photo_is_refused(browser, body):
    answer = await sent(browser, body, **{"content-type": "image/png"})
    assert (answer.status_code, answer.text) == (415, NONE)


@pytest.mark.parametrize(
    ("length", "most"),
    [
        *((length, 12) for length in (None, "9", "nonsense", "9" * 50)),
        (str(PHOTO_SENT_MAX + 1), 1),  # refused unread, but for what the client had taken up
    ],
)
async def test_a_photo_that_is_too_large_is_cut_off(browser, length, most):
    part, read = b"x" * 2**20, 0

    async def body():
        nonlocal read
        for _ in range(40):
            read += 1
            yield part

    headers = {"content-length": length} if length else {}
    answer = await sent(browser, body(), **headers)
    assert (answer.status_code, answer.text) == (413, LARGE)
    assert read <= most


async def test_a_stalled_upload_times_out(browser, monkeypatch):
    async def stalled(*_) -> bytes:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(http, "_TIMEOUT_S", 0.01)
    monkeypatch.setattr(http.bodies, "read", stalled)
    assert (await sent(browser, b"x")).status_code == 408


async def test_too_many_photos_from_one_address_are_refused(browser):
    for _ in range(60):
        await http.vehicles.limit_photos("127.0.0.1")
    answer = await sent(browser, as_file(two_colors()))
    assert answer.status_code == 429
    assert answer.text.startswith("Too many attempts. Try again in")
    await http.vehicles.limit_photos("203.0.113.8")  # another address


async def test_another_sites_origin_is_refused(browser):
    answer = await sent(browser, from_a_phone(), origin="https://evil.example")
    assert answer.status_code == 403


async def test_photos_cannot_be_fetched(browser):
    assert (await browser.get("/api/photos")).status_code == 405


@pytest.mark.parametrize(
    ("hops", "forwarded", "address"),
    [
        (0, "198.51.100.9", "203.0.113.7"),
        (1, "", "203.0.113.7"),
        (2, "made up, 198.51.100.9, 10.0.0.1", "198.51.100.9"),
    ],
)
def test_trusted_proxies_set_the_client_address(monkeypatch, hops, forwarded, address):
    settings = Settings(_env_file=None, trusted_proxy_hops=hops)  # type: ignore[call-arg]
    monkeypatch.setattr(visitor, "settings", settings)
    headers = [(b"x-forwarded-for", forwarded.encode())]
    scope = {"type": "http", "headers": headers, "client": ("203.0.113.7", 1)}
    assert visitor.client_address(visitor.Request(scope)) == address
