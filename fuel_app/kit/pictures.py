"""Pictures that are drawn: QR codes, link previews with the brand, and text in the site's font."""

import asyncio
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

import segno
from PIL import Image, ImageDraw, ImageFont
from starlette.requests import Request
from starlette.responses import Response

from fuel_app.settings import settings

_FONTS = Path(__file__).parent / "fonts"


@cache
def font(size: float, *, bold: bool = True) -> ImageFont.FreeTypeFont:
    """Return the site's font at a size in pixels."""
    return ImageFont.truetype(
        _FONTS / ("figtree-bold.ttf" if bold else "figtree-regular.ttf"), size
    )


def fits(text: str, size: float, width: float) -> bool:
    return font(size).getlength(text) <= width


def shortened(text: str, size: float, width: float) -> str:
    """Cut a bold text to the width, with an ellipsis."""
    if fits(text, size, width):
        return text
    while not fits(f"{text}…", size, width):
        text = text[:-1].rstrip()
    return f"{text}…"


def drawable(text: str) -> str:
    """Remove characters that the font has no glyph for, such as emoji."""
    without = (b"", _glyph("\uffff"))
    kept = (character for character in text if character == " " or _glyph(character) not in without)
    return " ".join("".join(kept).split())


def _glyph(character: str) -> bytes:
    return bytes(font(64).getmask(character))  # type: ignore[arg-type]


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
    named = await asyncio.to_thread(draw_preview, name, settings.brand_name)
    return Response(named, media_type="image/png", headers=_KEEP)


@cache
def draw_preview(name: str, brand: str) -> bytes:
    """Draw the brand into a picture."""
    room = PICTURES[name]
    with Image.open(_FOLDER / f"{name}.png") as stock:
        canvas = stock.convert("RGB")
    text = drawable(brand)
    size = next((s for s in room.sizes if fits(text, s, room.width)), room.sizes[-1])
    ImageDraw.Draw(canvas).text(
        (room.left, room.baseline),
        shortened(text, size, room.width),
        _INK,
        font(size),
        anchor="ls",
    )
    file = BytesIO()
    canvas.quantize(200, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


_QUIET = 4  # empty modules around the code, which cameras need: ISO/IEC 18004


def draw_code(text: str) -> str:
    """Draw black on white; error correction M tolerates 15 % damage."""
    file = BytesIO()
    code = segno.make_qr(text, error="m")
    code.save(file, kind="svg", border=_QUIET, light="#fff", xmldecl=False, omitsize=True, nl=False)
    return file.getvalue().decode()


async def drawn(text: str) -> str:
    """Draw beside the event loop."""
    return await asyncio.to_thread(draw_code, text)
