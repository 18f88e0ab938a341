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
