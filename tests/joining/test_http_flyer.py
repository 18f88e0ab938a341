"""The code of a join link, and the sheet of paper that carries it."""

import pytest

from fuel_app.joining.http import drawn, sheet
from fuel_app.kit import http
from fuel_app.neighborhoods.rules import NeighborhoodSummary
from fuel_app.server.html import inline, source_hash
from fuel_app.settings import settings
from tests.factories import UNKNOWN_ID
from tests.helpers.neighborhoods import merge
from tests.helpers.open_area import open_area
from tests.helpers.visitors import a_neighborhood


def join_link(neighborhood: NeighborhoodSummary) -> str:
    """Return the link by the address that the visitor has used, since no other is set."""
    return f"http://testserver/join-neighborhood/{neighborhood.id}"


async def test_each_neighborhood_has_its_own_code(sqlite_database, browser):
    palm, bay = await a_neighborhood("Palm Court"), await a_neighborhood("Bay View")
    codes = [
        await browser.get(f"/join-neighborhood/{neighborhood.id}/code.svg")
        for neighborhood in (palm, bay, palm)
    ]
    assert {code.headers["content-type"] for code in codes} == {"image/svg+xml"}
    assert codes[0].headers["cache-control"] == "public, max-age=300"
    assert codes[0].text == codes[2].text != codes[1].text
    assert codes[0].text == await drawn(join_link(palm))


@pytest.mark.parametrize("asked", [UNKNOWN_ID, "nonsense", "%3Csvg%3E", "x" * 5000])
async def test_an_unknown_neighborhood_has_neither_code_nor_flyer(sqlite_database, browser, asked):
    code = await browser.get(f"/join-neighborhood/{asked}/code.svg")
    flyer = await browser.get(f"/join-neighborhood/{asked}/flyer")
    assert (code.status_code, code.text) == (404, "Neighborhood not found")
    assert flyer.status_code == 404
    assert "404 Not Found" in flyer.text


async def test_a_flyer_shows_the_progress_and_the_savings_of_each_tier(sqlite_database, browser):
    neighborhood = await a_neighborhood("Palm Court")
    flyer = await browser.get(f"/join-neighborhood/{neighborhood.id}/flyer")
    link = join_link(neighborhood)
    assert flyer.status_code == 200
    assert '<h1 class="short">Join Palm Court</h1>' in flyer.text
    assert "1 neighbor in 34236 is in. 4 more neighbors and everyone saves $5" in flyer.text
    for cells in (("5-9", "$5", "$60"), ("10-19", "$10", "$120"), ("20+", "$15", "$180")):
        range_, month, year = cells
        assert f"{range_} neighbors</th><td>{month} off</td><td>{year}</td>" in flyer.text
    assert await drawn(link) in flyer.text
    assert f'<p class="link">{link}</p>' in flyer.text
    assert flyer.headers["x-robots-tag"] == "noindex"
    policy, held = flyer.headers["content-security-policy"], inline(flyer.text)
    assert len(held.scripts) == len(held.styles) == 1
    assert held.style_attributes == []
    for text in (*held.scripts, *held.styles):
        assert source_hash(text) in policy
    assert "unsafe" not in policy


def named(name: str) -> str:
    neighborhood = NeighborhoodSummary(UNKNOWN_ID, name, "34236", 8)
    return sheet(neighborhood, "http://here", "<svg></svg>", None)


def test_a_name_with_markup_stays_a_name_and_a_longer_one_is_set_smaller():
    for name in ("<script>alert(1)</script>", '"><b>$code</b>', "O'Hara & Sons"):
        document = named(name)
        assert name not in document
        assert len(inline(document).scripts) == 1
        assert document.count("<svg></svg>") == 1
    for length, size in ((20, "short"), (21, "medium"), (36, "medium"), (37, "long")):
        assert f'<h1 class="{size}">Join W' in named("W" * length)


async def test_a_merged_neighborhood_redirects_flyer_and_code(sqlite_database, browser):
    bay, palm = await a_neighborhood("Bay View"), await a_neighborhood("Palm Court")
    await merge(bay.id, palm.id)
    code = await browser.get(f"/join-neighborhood/{palm.id}/code.svg")
    flyer = await browser.get(f"/join-neighborhood/{palm.id}/flyer")
    assert code.text == await drawn(join_link(bay))
    assert flyer.status_code == 307
    assert flyer.headers["location"] == f"/join-neighborhood/{bay.id}/flyer"


async def test_a_trusted_proxy_sets_the_scheme_of_the_join_link(
    sqlite_database, browser, monkeypatch
):
    neighborhood, headers = await a_neighborhood("Palm Court"), {"x-forwarded-proto": "https"}
    address = f"/join-neighborhood/{neighborhood.id}/flyer"
    assert join_link(neighborhood) in (await browser.get(address, headers=headers)).text
    proxied = settings.model_copy(update={"trusted_proxy_hops": 1})
    monkeypatch.setattr(http, "settings", proxied)
    secure = join_link(neighborhood).replace("http:", "https:")
    assert secure in (await browser.get(address, headers=headers)).text
    named = settings.model_copy(update={"site_url": "https://fuel.example"})
    monkeypatch.setattr(http, "settings", named)
    flyer = await browser.get(address, headers={"host": "[evil"})
    assert f"https://fuel.example/join-neighborhood/{neighborhood.id}" in flyer.text
    for part in ("flyer", "code.svg"):
        address = f"/join-neighborhood/{neighborhood.id}/{part}"
        answer = await browser.get(address, headers={"host": 4000 * "a"})  # it is not drawn
        assert answer.status_code == 200


async def test_the_cap_stands_beside_the_promise_until_the_zip_is_open(sqlite_database, browser):
    bay = await a_neighborhood("Bay View")
    address = f"/join-neighborhood/{bay.id}/flyer"
    promise = "Get Your First Fill-Up Free <span>(up to $50 of fuel)</span>"
    before = (await browser.get(address)).text
    assert promise in before
    assert "Join the waitlist with your name" in before
    await open_area(bay.zip_code)
    once = (await browser.get(address)).text
    assert "Fill-Up Free" not in once
    assert "waitlist" not in once
    assert "Sign up with your name" in once
