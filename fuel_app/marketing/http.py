"""What search engines and home screens are told."""

import asyncio
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape

from PIL import Image, ImageDraw
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from fuel_app import routes
from fuel_app.kit import pictures as lettering
from fuel_app.settings import settings

# The pages that search engines may list: add the address of a new public page here.
PUBLIC_PAGES = (routes.HOME, routes.PLANS, routes.FLEET, routes.BUSINESS, routes.PRIVACY)

_KEEP = {"Cache-Control": "public, max-age=3600"}


async def robots(_request: Request) -> Response:
    lines = ("User-agent: *", "Allow: /", "", f"Sitemap: {settings.public_url}/sitemap.xml", "")
    return PlainTextResponse("\n".join(lines), headers=_KEEP)


async def sitemap(_request: Request) -> Response:
    pages = "".join(
        f"<url><loc>{escape(settings.public_url + address)}</loc></url>" for address in PUBLIC_PAGES
    )
    document = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{pages}</urlset>'
    )
    return Response(document, media_type="application/xml", headers=_KEEP)


async def manifest(_request: Request) -> Response:
    """How the site appears on a home screen (W3C Web Application Manifest)."""
    return JSONResponse(
        {
            "name": settings.brand_name,
            "short_name": settings.brand_name,
            "description": "Never visit a gas station again.",
            "lang": "en-US",
            "id": "/",
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "theme_color": "#0E7C86",
            "background_color": "#F7FAFA",
            "icons": [
                _icon("icon-192", 192, "any"),
                _icon("icon-512", 512, "any"),
                _icon("icon-maskable-512", 512, "maskable"),
            ],
        },
        headers=_KEEP,
        media_type="application/manifest+json",
    )


def _icon(name: str, size: int, purpose: str) -> dict[str, str]:
    return {
        "src": f"/icons/{name}.png",
        "sizes": f"{size}x{size}",
        "type": "image/png",
        "purpose": purpose,
    }


_DRAWN = Path(__file__).parent / "pictures"
_SOCIAL_KEEP = {"Cache-Control": "public, max-age=3600"}
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
    return Response(named, media_type="image/png", headers=_SOCIAL_KEEP)


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
