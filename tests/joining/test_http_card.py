import asyncio
from io import BytesIO

import pytest
from PIL import Image

from fuel_app.joining.http import draw_card
from tests.helpers.visitors import a_neighborhood

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("members", [0, 4, 20])
def test_a_card_is_a_small_picture_of_the_usual_size(members):
    picture = draw_card("Palm Court", "34236", members)
    with Image.open(BytesIO(picture)) as image:
        assert (image.format, image.size) == ("PNG", (1200, 630))
    assert len(picture) < 80_000


@pytest.mark.parametrize(
    "name", ["W" * 60, "Wide " * 12, "🌴🏖", "棕榈", "<b>'\"&", "e\u0301 \u2013 \u2019"]
)
def test_any_name_can_be_drawn(name):
    assert len(draw_card(name, "34236", 3)) < 80_000


async def test_a_neighborhood_has_its_own_card(database, browser):
    made = await a_neighborhood("Palm Court")
    response = await browser.get(f"/join-neighborhood/{made.id}/card.png")
    assert response.headers["content-type"] == "image/png"
    assert response.headers["cache-control"] == "public, max-age=300"
    assert response.content == draw_card("Palm Court", "34236", 1)


async def test_concurrent_requests_draw_one_card_once(sqlite_database, browser):
    made = await a_neighborhood("Crowded Court")
    card, before = f"/join-neighborhood/{made.id}/card.png", draw_card.cache_info().misses
    answers = await asyncio.gather(*(browser.get(f"{card}?members={n}") for n in range(8)))
    assert len({answer.content for answer in answers}) == 1
    assert draw_card.cache_info().misses == before + 1


async def test_an_unknown_neighborhood_gets_the_sites_picture(sqlite_database, browser):
    response = await browser.get("/join-neighborhood/nonsense/card.png")
    assert response.status_code == 200
    with Image.open(BytesIO(response.content)) as image:
        assert image.size == (1200, 630)
