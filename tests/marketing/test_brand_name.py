"""The site's name is one setting, also where no page writes it: home screens, chats."""

from io import BytesIO

import pytest
from PIL import Image, ImageChops

from fuel_app.kit import pictures
from fuel_app.settings import settings

pytestmark = pytest.mark.slow

NAMES = ["M" * 40, "The Very Long and Winding Fuel Company 24"[:40], "🌴🏖"]


@pytest.fixture
def bay_fuel(monkeypatch):
    named = settings.model_copy(update={"brand_name": "Bay Fuel"})
    for module in ("fuel_app.marketing.http", "fuel_app.kit.pictures"):
        monkeypatch.setattr(f"{module}.settings", named)


async def test_a_home_screen_shows_the_name_and_finds_the_icons(browser, bay_fuel):
    response = await browser.get("/site.webmanifest")
    manifest = response.json()
    assert response.headers["content-type"] == "application/manifest+json"
    assert (manifest["name"], manifest["short_name"]) == ("Bay Fuel", "Bay Fuel")
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}


@pytest.mark.parametrize("name", pictures.PICTURES)
async def test_a_picture_carries_the_name_that_is_set(browser, bay_fuel, name):
    response = await browser.get(f"/{name}.png")
    assert response.headers["content-type"] == "image/png"
    assert response.headers["cache-control"] == "public, max-age=3600"
    assert response.content == pictures.draw_preview(name, "Bay Fuel")
    assert response.content != pictures.draw_preview(name, "Gulfside Fuel")
    with Image.open(BytesIO(response.content)) as image:
        assert image.size == (1200, 630)


@pytest.mark.parametrize("brand", NAMES)
@pytest.mark.parametrize("name", pictures.PICTURES)
def test_any_name_stays_in_its_room(name, brand):
    room = pictures.PICTURES[name]
    without, named = (_pixels(pictures.draw_preview(name, each)) for each in ("", brand))
    written = ImageChops.difference(without, named).point([0] * 61 + [255] * 195)
    if (box := written.getbbox()) is not None:
        left, top, right, bottom = box
        assert left >= room.left - 4
        assert right <= room.left + room.width + 4
        assert top >= room.baseline - room.sizes[0] - 8
        assert bottom <= room.baseline + room.sizes[0] // 2


def _pixels(picture: bytes) -> Image.Image:
    with Image.open(BytesIO(picture)) as image:
        return image.convert("L")
