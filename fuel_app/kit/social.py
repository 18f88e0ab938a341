"""Link preview pictures of the site's pages, with the brand drawn in."""

import asyncio
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw
from starlette.requests import Request
from starlette.responses import Response

from fuel_app.kit import lettering
from fuel_app.settings import settings

_FOLDER = Path(__file__).parent / "social_pictures"
_KEEP = {"Cache-Control": "public, max-age=3600"}
_INK = "#0B2530"


@dataclass(frozen=True, slots=True)
class Room:
    """The brand's position and size in a picture, in pixels."""

    left: int
    baseline: int
    width: int
    sizes: tuple[int, ...]  # the first that fits


_CORNER = Room(140, 102, 436, (35, 28, 22))
SITE = "social"
PICTURES = {
    SITE: Room(188, 157, 492, (73, 60, 48, 36)),
    "social-plans": _CORNER,
    "social-fleet": _CORNER,
    "social-business": _CORNER,
}


async def picture(name: str, _request: Request) -> Response:
    """Answer with one of the pictures, a PNG of 1200 x 630."""
    named = await asyncio.to_thread(draw, name, settings.brand_name)
    return Response(named, media_type="image/png", headers=_KEEP)


@cache
def draw(name: str, brand: str) -> bytes:
    """Draw the brand into a picture."""
    room = PICTURES[name]
    with Image.open(_FOLDER / f"{name}.png") as stock:
        canvas = stock.convert("RGB")
    text = lettering.drawable(brand)
    size = next((s for s in room.sizes if lettering.fits(text, s, room.width)), room.sizes[-1])
    ImageDraw.Draw(canvas).text(
        (room.left, room.baseline),
        lettering.shortened(text, size, room.width),
        _INK,
        lettering.font(size),
        anchor="ls",
    )
    file = BytesIO()
    canvas.quantize(200, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()
