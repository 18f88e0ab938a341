"""Public pages follow the opening, without a rebuild and before any script runs."""

import asyncio
import json
import re
from xml.etree import ElementTree

import pytest
from sqlalchemy import update

from fuel_app.areas.rules.areas import PAUSED
from fuel_app.areas.tables import Area
from fuel_app.kit.db.session import transaction
from fuel_app.marketing import http, service
from fuel_app.marketing.http import written
from fuel_app.marketing.rules import DESCRIPTION, DESCRIPTION_ONCE_OPEN, Opening
from fuel_app.settings import settings
from tests.helpers.open_area import open_area

MARK = 'data-company="open"'


def data(page: str) -> list[dict]:
    [block] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page)
    return json.loads(block)["@graph"]


async def test_a_page_follows_the_opening_of_an_area(database, browser):
    before = await browser.get("/")
    assert MARK not in before.text
    assert [city["name"] for city in data(before.text)[0]["areaServed"]] == [
        "Sarasota",
        "Bradenton",
    ]

    await open_area("34236", "34237")
    once = await browser.get("/", headers={"if-none-match": before.headers["etag"]})
    assert once.status_code == 200
    assert once.text.startswith(f'<!DOCTYPE html><html lang="en" {MARK}>')
    [area] = data(once.text)[0]["areaServed"]
    assert [each["postalCode"] for each in area["address"]] == ["34236", "34237"]

    again = await browser.get("/", headers={"if-none-match": once.headers["etag"]})
    assert again.status_code == 304

    async with transaction() as session:
        await session.execute(update(Area).values(status=PAUSED))
    page = (await browser.get("/fleet")).text
    assert MARK in page
    assert data(page)[0]["areaServed"] == []


async def test_a_failing_or_hanging_database_leaves_a_page_as_it_was(
    sqlite_database, browser, monkeypatch
):
    await open_area()
    assert MARK in (await browser.get("/")).text

    async def fails():
        raise RuntimeError("the database is gone")

    async def hangs():
        await asyncio.sleep(60)

    monkeypatch.setattr(http, "TIMEOUT_S", 0.01)
    for opening in (fails, hangs):
        monkeypatch.setattr(service, "opening", opening)
        response = await browser.get("/fleet")
        assert response.status_code == 200
        assert MARK in response.text
        assert "gone" not in response.text


@pytest.mark.parametrize(
    ("is_open", "description"), [(False, DESCRIPTION), (True, DESCRIPTION_ONCE_OPEN)]
)
def test_the_first_fill_is_promised_to_robots_until_the_company_is_open(is_open, description):
    document = (
        f'<!DOCTYPE html><html lang="en"><head><link/><meta content="{DESCRIPTION}" '
        f'name="description"/><meta content="{DESCRIPTION}" property="og:description"/></head>'
    )
    assert written("/", document, Opening(is_open)).count(f'content="{description}"') == 2


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
