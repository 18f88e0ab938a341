import asyncio
from html.parser import HTMLParser

import pytest

from fuel_app.joining import service as neighborhoods
from fuel_app.joining.http import head, standing
from fuel_app.neighborhoods.rules import NeighborhoodSummary
from fuel_app.settings import settings
from tests.helpers.neighborhoods import merge, undo
from tests.helpers.visitors import a_neighborhood

ID = "0b8f1c1e-5a5e-4a0e-9a2c-1d2f3a4b5c6d"


def neighborhood(**differs) -> NeighborhoodSummary:
    return NeighborhoodSummary(
        **({"id": ID, "name": "Palm Court", "zip_code": "34236", "members": 3} | differs)
    )


class Head(HTMLParser):
    """Parse the title, meta tags and canonical address of a page."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._in_title = False
        self.feed(document)

    def handle_starttag(self, tag, attrs):
        has = dict(attrs)
        self._in_title = tag == "title"
        if tag == "meta" and (key := has.get("property") or has.get("name")):
            self.values.setdefault(key, has.get("content") or "")
        if has.get("rel") == "canonical":
            self.values["canonical"] = has.get("href") or ""

    def handle_data(self, data):
        if self._in_title:
            self.values.setdefault("title", data)
            self._in_title = False


def test_a_name_with_markup_stays_a_name():
    for name in ('<script>"x"</script>', "O'Hara & Sons", "Palm 🌴 Court", "</title>"):
        written = head(neighborhood(name=name))
        read = Head(written).values
        assert name in read["title"]
        assert name in read["og:title"]
        assert "<script" not in written


def test_a_new_member_changes_the_words_and_the_picture_address():
    assert standing(neighborhood(members=1)).startswith("1 neighbor in 34236 is in. ")
    assert standing(neighborhood(members=2)).startswith("2 neighbors in 34236 are in. ")
    three, four = (Head(head(neighborhood(members=n))).values["og:image"] for n in (3, 4))
    assert three != four


async def test_a_join_link_has_a_preview_of_its_neighborhood(database, browser):
    made = await a_neighborhood("Palm Court")
    response = await browser.get(f"/join-neighborhood/{made.id}")
    read = Head(response.text).values
    link = f"{settings.public_url}/join-neighborhood/{made.id}"
    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-cache"
    assert read["title"] == read["og:title"] == f"Join Palm Court in 34236 | {settings.brand_name}"
    assert "1 neighbor in 34236 is in. 4 more neighbors" in read["og:description"]
    assert read["og:url"] == read["canonical"] == link
    assert read["og:image"].startswith(f"{link}/card.png")
    assert (read["og:image:width"], read["og:image:height"]) == ("1200", "630")
    assert read["twitter:card"] == "summary_large_image"
    assert response.text.index("charSet") < response.text.index("<title>")


@pytest.mark.parametrize("neighborhood_id", [ID, "nonsense", "%3Cscript%3E", "x" * 5000])
async def test_an_unknown_neighborhood_gets_the_sites_own_preview(
    sqlite_database, browser, neighborhood_id
):
    response = await browser.get(f"/join-neighborhood/{neighborhood_id}")
    read = Head(response.text).values
    assert response.status_code == 200
    assert read["title"] == f"Join your neighborhood | {settings.brand_name}"
    assert read["og:image"] == f"{settings.public_url}/social.png"
    assert read["canonical"] == f"{settings.public_url}/"


async def test_a_failing_or_hanging_database_costs_only_the_name(browser, monkeypatch):
    async def fails(neighborhood_id):
        raise RuntimeError("the database is gone")

    async def hangs(neighborhood_id):
        await asyncio.sleep(60)

    monkeypatch.setattr("fuel_app.joining.http.TIMEOUT_S", 0.01)
    for find in (fails, hangs):
        monkeypatch.setattr(neighborhoods, "find", find)
        response = await browser.get(f"/join-neighborhood/{ID}")
        assert response.status_code == 200
        assert "Join your neighborhood" in response.text
        assert "gone" not in response.text


async def test_a_merged_neighborhoods_link_redirects_until_the_merge_is_undone(database, browser):
    bay, palm = await a_neighborhood("Bay View"), await a_neighborhood("Palm Court")
    link = f"/join-neighborhood/{palm.id.upper()}"
    assert (await browser.get(link)).status_code == 200
    merged = await merge(bay.id, palm.id)
    response = await browser.get(f"{link}?ref=abc")
    assert response.status_code == 307
    assert response.headers["location"] == f"/join-neighborhood/{bay.id}?ref=abc"
    await undo(merged.id)
    assert (await browser.get(link)).status_code == 200
