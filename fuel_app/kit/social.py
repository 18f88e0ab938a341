"""What chats show of the site's own pages: drawn beforehand, with room for the site's name."""

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

_DRAWN = Path(__file__).parent / "social_pictures"
_KEEP = {"Cache-Control": "public, max-age=3600"}
_INK = "#0B2530"


@dataclass(frozen=True, slots=True)
class Room:
    """Where the name begins, and how long and high it may be; in pixels."""

    left: int
    baseline: int
    width: int
    sizes: tuple[int, ...]  # the first that fits is taken


_CORNER = Room(140, 102, 436, (35, 28, 22))
SITE = "social"
PICTURES = {
    SITE: Room(188, 157, 492, (73, 60, 48, 36)),
    "social-plans": _CORNER,
    "social-fleet": _CORNER,
    "social-business": _CORNER,
}


async def picture(name: str, _request: Request) -> Response:
    """One of the pictures, a PNG of 1200 x 630."""
    named = await asyncio.to_thread(draw, name, settings.brand_name)
    return Response(named, media_type="image/png", headers=_KEEP)


@cache
def draw(name: str, brand: str) -> bytes:
    """The picture with the brand written in."""
    room = PICTURES[name]
    with Image.open(_DRAWN / f"{name}.png") as drawn:
        canvas = drawn.convert("RGB")
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
