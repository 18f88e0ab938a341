"""Share card: the 1200 x 630 preview image of a neighborhood's join link."""

import asyncio
import math
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont, ImageOps
from starlette.requests import Request
from starlette.responses import Response

from fuel_app.joining.http.links import find_neighborhood, here
from fuel_app.kit import lettering, social
from fuel_app.neighborhoods.rules import NeighborhoodSummary, progress_goal
from fuel_app.settings import ROOT, settings

SIZE = (1200, 630)
_SMOOTH = 2  # drawn larger and scaled down, for smooth edges
_LEFT, _WIDTH = 76, 1048
_KEEP = {"Cache-Control": "public, max-age=300"}
# One at a time: drawing keeps a core busy, and concurrent requests share the cached card.
_easel = ThreadPoolExecutor(1, thread_name_prefix="share-card")
_ASSETS = ROOT / "assets"

_INK, _MUTED, _SAND, _LINE = "#0B2530", "#4B6470", "#F7FAFA", "#DCE7EA"
_GULF, _GULF_DEEP, _SUN, _SKY = "#0E7C86", "#0A5961", "#FFB224", "#D9EDEF"


async def share_card(request: Request) -> Response:
    """Return the neighborhood's card, or the site's picture for an unknown one."""
    neighborhood = await find_neighborhood(request.path_params["neighborhood_id"])
    if neighborhood is None:
        return await social.picture(social.SITE, request)
    shown = (neighborhood.name, neighborhood.zip_code, neighborhood.members)
    picture = await asyncio.get_running_loop().run_in_executor(_easel, draw, *shown)
    return Response(picture, media_type="image/png", headers=_KEEP)


@lru_cache(maxsize=256)
def draw(name: str, zip_code: str, members: int) -> bytes:
    """Draw the card as a PNG of 1200 x 630."""
    neighborhood = NeighborhoodSummary("", name, zip_code, members)
    canvas = _sky()
    pen = ImageDraw.Draw(canvas)
    _sun_and_gulf(pen)
    _brand(canvas, pen)
    _text(pen, 178, "Save with your neighbors in", 34, _GULF_DEEP, bold=False)
    _name(pen, lettering.drawable(name) or zip_code)
    _progress(pen, neighborhood)
    small = canvas.resize(SIZE, Image.Resampling.LANCZOS)
    file = BytesIO()
    small.quantize(160, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def _font(size: float, *, bold: bool = True) -> ImageFont.FreeTypeFont:
    return lettering.font(size * _SMOOTH, bold=bold)


def _text(
    pen: ImageDraw.ImageDraw, y: float, text: str, size: float, color: str, *, bold: bool = True
) -> None:
    place = (_LEFT * _SMOOTH, y * _SMOOTH)
    pen.text(place, text, color, _font(size, bold=bold), anchor="ls")


def _sky() -> Image.Image:
    fade = Image.linear_gradient("L").resize((SIZE[0] * _SMOOTH, SIZE[1] * _SMOOTH))
    return ImageOps.colorize(fade, _SKY, _SAND, blackpoint=0, whitepoint=130)


def _sun_and_gulf(pen: ImageDraw.ImageDraw) -> None:
    for radius, color in ((178, "#FBEFD2"), (118, "#FFD685")):
        pen.circle((1118 * _SMOOTH, 58 * _SMOOTH), radius * _SMOOTH, color)
    corners = [(SIZE[0] * _SMOOTH, SIZE[1] * _SMOOTH), (0, SIZE[1] * _SMOOTH)]
    for height, shift, color in ((548, 0.0, "#5FB3B8"), (572, 1.9, "#36979F"), (598, 3.6, _GULF)):
        crest = [
            (x * _SMOOTH, (height + 9 * math.sin(x / 105 + shift)) * _SMOOTH)
            for x in range(0, SIZE[0] + 1, 4)
        ]
        pen.polygon([*crest, *corners], color)


def _brand(canvas: Image.Image, pen: ImageDraw.ImageDraw) -> None:
    with Image.open(_ASSETS / "icons" / "icon-512.png") as icon:
        mark = icon.convert("RGBA").resize((64 * _SMOOTH, 64 * _SMOOTH), Image.Resampling.LANCZOS)
    canvas.paste(mark, (_LEFT * _SMOOTH, 52 * _SMOOTH), mark)
    place = ((_LEFT + 82) * _SMOOTH, 84 * _SMOOTH)
    name = lettering.shortened(settings.brand_name, 34, _WIDTH - 82)
    pen.text(place, name, _INK, _font(34), anchor="lm")


def _name(pen: ImageDraw.ImageDraw, name: str) -> None:
    """Draw the name as large as it fits: on one line, else on two."""
    for size in (88, 76, 66):
        if _fits(name, size):
            return _text(pen, 178 + size + 8, name, size, _INK)
    words, lines = name.split(), [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and not _fits(longer, 56):
            lines.append(word)
        else:
            lines[-1] = longer
    first, rest = lines[0], " ".join(lines[1:])
    _text(pen, 242, lettering.shortened(first, 56, _WIDTH), 56, _INK)
    return _text(pen, 304, lettering.shortened(rest, 56, _WIDTH), 56, _INK)


def _fits(text: str, size: float) -> bool:
    return lettering.fits(text, size, _WIDTH)


def _progress(pen: ImageDraw.ImageDraw, neighborhood: NeighborhoodSummary) -> None:
    """Draw the members, the progress to the next tier and its saving."""
    _text(pen, 392, here(neighborhood), 40, _INK)
    members, goal = neighborhood.members, progress_goal(neighborhood.members)
    count = f"{members} of {goal}" if members < goal else "Top savings reached"
    right = (_LEFT + _WIDTH) * _SMOOTH
    pen.text((right, 392 * _SMOOTH), count, _MUTED, _font(32, bold=False), anchor="rs")
    _bar(pen, 1.0, _LINE)
    _bar(pen, max(min(members / goal, 1.0), 0.02), _GULF if members < goal else _SUN)
    _text(pen, 496, neighborhood.next_step, 36, _GULF_DEEP)


def _bar(pen: ImageDraw.ImageDraw, share: float, color: str) -> None:
    top, height = 416 * _SMOOTH, 24 * _SMOOTH
    right = (_LEFT + _WIDTH * share) * _SMOOTH
    box = (_LEFT * _SMOOTH, top, max(right, _LEFT * _SMOOTH + height), top + height)
    pen.rounded_rectangle(box, height / 2, color)
