import asyncio
from xml.etree import ElementTree

import pytest

from fuel_app.services import waitlist
from fuel_app.settings import settings
from tests.factories import waitlist_entry


async def test_health_counts_the_waitlist(database, browser):
    await waitlist.join(waitlist_entry(), referrer=None, address="here")

    response = await browser.get("/health")

    assert (response.status_code, response.json()) == (200, {"status": "ok", "waitlist": 1})
    assert response.headers["cache-control"] == "no-store"


async def test_health_says_when_the_database_fails_or_hangs(browser, monkeypatch):
    async def fails():
        raise ConnectionError("no route to the database")

    async def hangs():
        await asyncio.sleep(60)

    monkeypatch.setattr("fuel_app.web.health.PATIENCE_S", 0.01)
    for count in (fails, hangs):
        monkeypatch.setattr(waitlist, "count", count)
        response = await browser.get("/health")
        assert (response.status_code, response.json()) == (503, {"status": "unavailable"})
        assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/health", "/robots.txt", "/join-neighborhood/x/card.png"])
async def test_what_can_only_be_read_refuses_another_method(browser, path):
    response = await browser.put(path)

    assert response.status_code == 405
    assert set(response.headers["allow"].split(", ")) == {"GET", "HEAD"}


async def test_robots_find_the_sitemap(browser):
    response = await browser.get("/robots.txt")

    assert response.headers["content-type"].startswith("text/plain")
    assert f"Sitemap: {settings.public_url}/sitemap.xml" in response.text.splitlines()


async def test_the_sitemap_lists_the_public_pages(browser):
    response = await browser.get("/sitemap.xml")

    pages = [
        element.text for element in ElementTree.fromstring(response.content).iter() if element.text
    ]
    assert f"{settings.public_url}/" in pages
