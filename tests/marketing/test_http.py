"""Addresses for search engines."""

from xml.etree import ElementTree

import pytest

from fuel_app.settings import settings


@pytest.mark.parametrize(
    "path", ["/health", "/ready", "/metrics", "/robots.txt", "/join-neighborhood/x/card.png"]
)
async def test_what_can_only_be_read_refuses_another_method(browser, path):
    response = await browser.put(path)

    assert response.status_code == 405
    assert set(response.headers["allow"].split(", ")) == {"GET", "HEAD"}


async def test_robots_find_the_sitemap_of_the_public_pages(browser):
    robots = await browser.get("/robots.txt")
    assert robots.headers["content-type"].startswith("text/plain")
    assert f"Sitemap: {settings.public_url}/sitemap.xml" in robots.text.splitlines()
    sitemap = ElementTree.fromstring((await browser.get("/sitemap.xml")).content)
    assert f"{settings.public_url}/" in [element.text for element in sitemap.iter()]
