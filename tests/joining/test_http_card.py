import asyncio
from io import BytesIO

import pytest
from PIL import Image

from fuel_app.joining.http import draw_card
from tests.helpers.visitors import a_neighborhood

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "members"),
    [("Palm Court", 0), ("Palm Court", 20), ("W" * 60, 3), ("Wide " * 12, 3), ("🌴🏖", 3)],
)
def test_any_card_is_a_small_picture_of_the_usual_size(name, members):
    picture = draw_card(name, "34236", members)
    with Image.open(BytesIO(picture)) as image:
        assert (image.format, image.size) == ("PNG", (1200, 630))
    assert len(picture) < 80_000


async def test_a_neighborhoods_card_is_drawn_once_an_unknown_one_has_the_sites(database, browser):
    made = await a_neighborhood("Crowded Court")
    card, before = f"/join-neighborhood/{made.id}/card.png", draw_card.cache_info().misses
    answers = await asyncio.gather(*(browser.get(f"{card}?members={n}") for n in range(8)))
    assert draw_card.cache_info().misses <= before + 1
    for answer in answers:
        assert answer.headers["content-type"] == "image/png"
        assert answer.headers["cache-control"] == "public, max-age=300"
        assert answer.content == draw_card("Crowded Court", "34236", 1)
    response = await browser.get("/join-neighborhood/nonsense/card.png")
    assert response.status_code == 200
    with Image.open(BytesIO(response.content)) as image:
        assert image.size == (1200, 630)
