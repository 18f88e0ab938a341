"""Pages from memory: codings, ETags, addresses, policy and caching."""

import base64
import gzip
import hashlib
import re

import brotli
import httpx
import pytest

from fuel_app import routes
from fuel_app.fuel_app import http_routes, is_wrong_link
from fuel_app.kit import secrets
from fuel_app.kit.db.tables import new_id
from fuel_app.messages.rules.kinds import MANAGED, TRACKED
from fuel_app.pages import LINK_PURPOSES
from fuel_app.server import site
from fuel_app.server.pages import best_coding
from tests.helpers.http_site import SCRIPT, STYLE

FOREVER = "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("", "identity"),
        ("gzip, deflate, br", "br"),
        ("br;q=0.1, gzip;q=0.8", "gzip"),
        ("*", "br"),
        ("*;q=0.5, br;q=0", "gzip"),
        ("gzip;q=0.2, identity", "identity"),
        ("GZIP ; Q=1", "gzip"),
        ("gzip;q=nonsense", "identity"),
    ],
)
def test_the_coding_follows_the_q_values(accepted, coding):
    assert best_coding(accepted) == coding


@pytest.mark.parametrize(
    ("coding", "unpack"),
    [("identity", bytes), ("gzip", gzip.decompress), ("br", brotli.decompress)],
)
async def test_every_coding_holds_the_same_page(browser, coding, unpack):
    async with browser.stream("GET", "/", headers={"accept-encoding": coding}) as response:
        raw = b"".join([chunk async for chunk in response.aiter_raw()])

    assert response.headers.get("content-encoding", "identity") == coding
    assert response.headers["vary"] == "Accept-Encoding"
    assert response.headers["cache-control"] == "no-cache"
    assert "Start" in unpack(raw).decode()


async def test_each_coding_has_its_own_strong_etag(browser):
    codings = [{"accept-encoding": coding} for coding in ("identity", "gzip", "br")]
    etags = {(await browser.head("/", headers=coding)).headers["etag"] for coding in codings}
    assert len(etags) == 3
    assert not any(etag.startswith("W/") for etag in etags)


@pytest.mark.parametrize("template", ["{}", 'W/{}, "other"', "*"])
async def test_a_cached_page_answers_304(browser, template):
    etag = (await browser.get("/")).headers["etag"]
    again = await browser.get("/", headers={"if-none-match": template.format(etag)})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == etag
    assert "script-src" in again.headers["content-security-policy"]
    assert (await browser.get("/", headers={"if-none-match": '"old"'})).status_code == 200


@pytest.mark.parametrize("path", ["/", "/fleet", "/help/tips", "/join-neighborhood/any"])
@pytest.mark.usefixtures("sqlite_database")
async def test_clean_addresses_answer_without_a_redirect(browser, path):
    assert (await browser.get(path)).status_code == 200


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("/fleet/", "/fleet"),
        ("/fleet/?ref=a%20b&x=//c", "/fleet?ref=a%20b&x=//c"),
        ("/join-neighborhood/any/", "/join-neighborhood/any"),
        ("/join-neighborhood/a%0Ab/", "/join-neighborhood/a%0Ab"),
    ],
)
async def test_a_trailing_slash_redirects_once(browser, path, clean):
    response = await browser.get(path)
    assert (response.status_code, response.headers["location"]) == (301, clean)


@pytest.mark.parametrize(
    "path", ["//evil.com/", "//evil.com//", "/\\evil.com/", "//evil.com/fleet/", "//fleet/"]
)
async def test_there_is_no_open_redirect(app, path):
    url = httpx.URL("http://testserver", raw_path=path.encode())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as browser:
        response = await browser.get(url)
    assert response.status_code == 404
    assert "location" not in response.headers


@pytest.mark.parametrize(
    "path", ["/nope", "/404", "/index.html", "/fleet.html", "/__spa-fallback.html", "/assets/no.js"]
)
async def test_an_unknown_address_is_a_404_without_scripts_too(browser, path):
    response = await browser.get(path)
    assert (response.status_code, response.headers["cache-control"]) == (404, "no-cache")
    assert "<title>Unexpected Application Error!</title>" in response.text
    without_scripts = "<noscript><h1>Unexpected Application Error!</h1><p>404 Not Found</p>"
    assert without_scripts in response.text


async def test_the_stylesheet_is_inline_and_its_links_load_nothing(browser):
    page = (await browser.get("/")).text
    links = re.findall("<link[^>]*>", page)
    assert f"<style>{STYLE}</style>" in page
    assert "disabled" in next(tag for tag in links if "stylesheet" in tag)
    assert "media='not all'" in next(tag for tag in links if "preload" in tag)
    assert 'rel="modulepreload"' in page


@pytest.mark.parametrize("path", ["/", "/fleet", "/nope", "/join-neighborhood/any"])
@pytest.mark.usefixtures("sqlite_database")
async def test_the_policy_lists_exactly_what_is_inline(browser, path):
    response = await browser.get(path)
    policy = response.headers["content-security-policy"]

    def hashed(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    scripts = re.findall(r"<script>(.*?)</script>", response.text, re.DOTALL)
    assert SCRIPT in scripts
    assert set(rules["script-src"].split()) == {"'self'", *map(hashed, scripts)}
    allowed_styles = {"'self'", hashed(STYLE)}
    if path == "/":
        allowed_styles |= {"'unsafe-hashes'", hashed("color:red")}
    assert set(rules["style-src"].split()) == allowed_styles
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy


async def test_without_a_build_everything_passes_through(tmp_path):
    async def reflex(scope, receive, send):
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b"mine"})

    built = tmp_path / "none"
    app = site.wrap(
        reflex,
        router=lambda path: "index",
        routes=http_routes,
        is_wrong_link=is_wrong_link,
        built=built,
    )
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as browser:
        assert (await browser.get("/")).text == "mine"


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/assets/app-1.js", FOREVER),
        ("/favicon.svg", "public, max-age=3600"),
        ("/assets/no.js", "no-cache"),
        ("/fleet", "no-cache"),
    ],
)
async def test_only_found_files_are_cached(browser, path, kept):
    assert (await browser.get(path)).headers["cache-control"] == kept


@pytest.mark.parametrize("path", ["/reset-password/token", "/invitation/token"])
async def test_a_page_whose_address_is_a_secret_is_neither_kept_nor_told_to_others(browser, path):
    headers = (await browser.get(path)).headers
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert (await browser.get("/fleet")).headers["referrer-policy"] != "no-referrer"


@pytest.mark.parametrize(
    ("page", "purpose"),
    [("/manage", MANAGED), ("/manage/receipt", MANAGED), ("/track", TRACKED)],
)
async def test_a_link_that_we_never_made_is_answered_with_404_by_its_own_page(
    browser, page, purpose
):
    link = secrets.token(purpose, new_id())
    right, wrong = await browser.get(f"{page}/{link}"), await browser.get(f"{page}/{link[:-1]}_")
    assert (right.status_code, wrong.status_code) == (200, 404)
    assert right.text == wrong.text


def test_each_page_that_a_link_opens_has_its_purpose():
    assert set(LINK_PURPOSES) == set(routes.LINK_PAGES)
